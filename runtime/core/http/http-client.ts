import { McpError, messageOf } from "../peer/errors.js";
import { type RequestId, errorText, isObject } from "../peer/message.js";
import type { Channel, Outgoing, Receiver } from "../transport/channel.js";
import { defaultLimit, pump, textWithin } from "./limit.js";
import { mediaType } from "./media.js";
import { Pace, lost, wait } from "./pace.js";
import { SseReader } from "./sse-reader.js";

/** What the server asks for where it refuses a request for want of authorization. */
export interface Challenge {
  readonly status: number;
  /** `WWW-Authenticate`. */
  readonly challenge: string | undefined;
}

/** How to reach a server over HTTP. */
export interface HttpClientOptions {
  /** Headers of each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the platform's. */
  readonly fetch?: typeof fetch;
  /**
   * Gives the headers that authorize a request; called again, with what the server asks for, when one was
   * refused with 401 or 403, and the request is then sent once more.
   */
  readonly authorize?: (challenge?: Challenge) => Promise<Readonly<Record<string, string>>>;
  /** Attempts to connect to a lost stream again that may fail in a row; 5 without it. */
  readonly reconnects?: number;
  /** Milliseconds to wait before the first of them, where the server does not say; doubled each time. */
  readonly retryMs?: number;
  /** Bytes of one message of the server's; 10 MiB without it. A request whose answer is longer fails. */
  readonly limit?: number;
}

/** What may be otherwise the next time, beside failures of the server. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Milliseconds that the end of a session may take. */
const patience = 2000;

type State = "open" | "closed";

/** Streams that a server wants to be listened to; it says so by a session. */
const sessionHeader = "mcp-session-id";

/** Streamable HTTP as a client uses it: each message its own POST, answers wherever they come. */
export class HttpClientChannel implements Channel {
  private readonly url: string;
  private readonly options: HttpClientOptions;
  private readonly fetch: typeof fetch;
  private readonly limit: number;
  private readonly running = new Map<RequestId, AbortController>();
  private readonly everything = new AbortController();
  private receiver: Receiver | undefined;
  private session: string | undefined;
  private version: Readonly<Record<string, string>> = {};
  /** Whether a handshake has settled the version: only then are there streams to resume. */
  private shaken = false;
  private state: State = "open";
  /** Notifications arrive before what is sent after them. */
  private notified: Promise<void> = Promise.resolve();
  private listening = false;

  constructor(url: string, options: HttpClientOptions = {}) {
    this.url = url;
    this.options = options;
    this.limit = options.limit ?? defaultLimit;
    this.fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  open(receiver: Receiver): void {
    this.receiver = receiver;
  }

  /** What a client answers to a server. */
  send(text: string): void {
    this.post({ text, headers: this.version });
  }

  flush(): void {}

  post(message: Outgoing): void {
    if (this.state === "closed") return;
    const { id } = message;
    if (id !== undefined) return void this.notified.then(() => this.request(message, id));
    const before = this.notified;
    this.notified = before.then(() => this.notify(message));
  }

  /** Ends the stream of a request: in the modern era, that is its cancellation. */
  abandon(id: RequestId): void {
    this.running.get(id)?.abort();
    this.running.delete(id);
  }

  async close(): Promise<void> {
    if (this.state === "closed") return;
    this.state = "closed";
    await Promise.race([this.notified, wait(patience, this.everything.signal)]);
    this.stop();
    if (this.session === undefined) return;
    // A server may not let sessions be ended; that is its business.
    await this.send1("DELETE", this.version, undefined, AbortSignal.timeout(patience)).catch(() => undefined);
  }

  private async notify({ text, headers }: Outgoing): Promise<void> {
    try {
      const response = await this.send1("POST", headers, text, this.everything.signal);
      await response.body?.cancel();
      // What the handshake ends with: now the server may have something to say.
      if (response.ok && this.session !== undefined) this.listen();
    } catch {
      // The next request will tell.
    }
  }

  private async request({ text, headers }: Outgoing, id: RequestId): Promise<void> {
    // It may have been given up while it waited for its turn.
    if (this.receiver?.isSettled?.(id)) return;
    const controller = new AbortController();
    this.running.set(id, controller);
    try {
      const response = await this.send1("POST", headers, text, controller.signal);
      // What negotiates a version cannot carry one; of all later eras, none has sessions.
      const handshake = Object.keys(headers).length === 0;
      if (handshake) this.session = response.headers.get(sessionHeader) ?? this.session;
      await this.read(response, id, controller.signal, handshake || this.shaken);
    } catch (error) {
      if (!controller.signal.aborted) this.fail(id, error);
    } finally {
      this.running.delete(id);
    }
  }

  private async read(
    response: Response,
    id: RequestId,
    signal: AbortSignal,
    resumable: boolean,
  ): Promise<void> {
    const type = mediaType(response.headers.get("content-type") ?? "");
    if (type === "text/event-stream" && response.ok) return this.stream(response, id, signal, resumable);
    const text = await textWithin(response, this.limit);
    if (response.status === 404 && this.session !== undefined && !isError(text, id)) return this.lose();
    if (response.status === 404 && this.session !== undefined && sessionIsGone(text)) return this.lose();
    if (type === "application/json" && answers(text, response.ok)) return this.deliver(text, id);
    throw new McpError(
      "connection-closed",
      `the server answered ${response.status}${text === "" ? "" : `: ${text.slice(0, 200)}`}`,
      {
        data: { status: response.status, body: text.slice(0, 1000) },
      },
    );
  }

  /** An error without an id answers the request all the same: it came on its exchange. */
  private deliver(text: string, id: RequestId): void {
    const message: unknown = JSON.parse(text);
    const anonymous = isObject(message) && isObject(message["error"]) && (message["id"] ?? null) === null;
    this.receiver?.message(anonymous ? errorText(id, message["error"] as never) : text);
  }

  /** Reads an answer's stream, and comes back for the rest of it where it broke and can be resumed. */
  private async stream(
    response: Response,
    id: RequestId,
    signal: AbortSignal,
    resumable: boolean,
  ): Promise<void> {
    const pace = new Pace(this.options.reconnects, this.options.retryMs);
    let lastId: string | undefined;
    for (let current: Response | undefined = response; ;) {
      if (current) lastId = (await this.hear(current, pace)) ?? lastId;
      if (signal.aborted || !this.running.has(id) || this.receiver?.isSettled?.(id)) return;
      if (lastId === undefined || !resumable) throw lost("the stream ended without the answer");
      await pace.next(signal);
      current = await this.again(lastId, signal, pace);
    }
  }

  /** Reads a stream to its end. Returns the id to resume it from. */
  private async hear(response: Response, pace: Pace): Promise<string | undefined> {
    const reader = new SseReader(({ data }) => this.receiver?.message(data), this.limit);
    await pump(response, (chunk) => reader.push(chunk)).catch((error: unknown) => {
      // A stream that broke is taken up again; one that is too long would be so again.
      if (error instanceof McpError && error.code === "message-too-long") throw error;
    });
    this.receiver?.turn();
    pace.told(reader.retryMs);
    return reader.lastId;
  }

  /** Another connection to a stream; nothing if there was none to be had this time. */
  private async again(
    lastId: string | undefined,
    signal: AbortSignal,
    pace: Pace,
  ): Promise<Response | undefined> {
    const from = lastId === undefined ? {} : { "last-event-id": lastId };
    const response = await this.send1("GET", { ...this.version, ...from }, undefined, signal).catch(
      () => undefined,
    );
    if (response?.ok) {
      pace.connected();
      return response;
    }
    await response?.body?.cancel();
    pace.missed();
    // A proxy may have no server now, and a server may not have noticed yet that the stream is lost.
    if (!response || passing.has(response.status) || response.status >= 500) return undefined;
    if (response.status === 404 && this.session !== undefined) this.lose();
    throw lost(`the server does not resume the stream: it answered ${response.status}`);
  }

  /** Listens for what belongs to no request (2025-11-25, listening for messages from the server). */
  private listen(): void {
    if (this.listening) return;
    this.listening = true;
    const { signal } = this.everything;
    void this.keepListening(signal).catch((error: McpError) => {
      if (!signal.aborted) this.end(error);
    });
  }

  private async keepListening(signal: AbortSignal): Promise<void> {
    const pace = new Pace(this.options.reconnects, this.options.retryMs);
    let current = await this.send1("GET", this.version, undefined, signal).catch(() => undefined);
    // A server need not offer it.
    if (current && !current.ok) return void (await current.body?.cancel());
    for (let lastId: string | undefined; ;) {
      if (current) lastId = (await this.hear(current, pace)) ?? lastId;
      await pace.next(signal);
      current = await this.again(lastId, signal, pace);
    }
  }

  /** Sends one request, with what authorizes it; a refusal is answered once. */
  private async send1(
    method: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const { authorize } = this.options;
    const first = await this.attempt(method, headers, body, signal, await authorize?.());
    if (!authorize || (first.status !== 401 && first.status !== 403)) return first;
    const challenge = first.headers.get("www-authenticate") ?? undefined;
    await first.body?.cancel();
    const granted = await authorize({ status: first.status, challenge });
    return this.attempt(method, headers, body, signal, granted);
  }

  private async attempt(
    method: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    signal: AbortSignal,
    granted: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const all = {
      accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(this.session === undefined ? {} : { [sessionHeader]: this.session }),
      ...this.options.headers,
      ...headers,
      ...granted,
    };
    for (let tries = 0; ; tries++) {
      try {
        return await this.fetch(this.url, {
          method,
          headers: all,
          signal,
          redirect: "error",
          ...(body === undefined ? {} : { body }),
        });
      } catch (error) {
        // Nobody listened: the request was not seen, and may be sent again while a server starts anew.
        if (signal.aborted || !isRefused(error) || body === undefined || tries >= 5) throw error;
        await wait(100 * 2 ** tries, signal);
      }
    }
  }

  /** What was negotiated goes with all that follows. */
  speak(headers: Readonly<Record<string, string>>): void {
    this.version = headers;
    this.shaken = true;
  }

  private fail(id: RequestId, error: unknown): void {
    const reason =
      error instanceof McpError
        ? error
        : new McpError("connection-closed", `the server cannot be reached: ${causeOf(error)}`, {
            cause: error,
          });
    this.receiver?.failed?.(id, reason);
  }

  /** The server has forgotten the session (2025-11-25, session management). */
  private lose(): void {
    this.session = undefined;
    this.end(new McpError("session-lost", "the server has forgotten the session"));
  }

  private end(reason: McpError): void {
    if (this.state === "closed") return;
    this.state = "closed";
    this.receiver?.closed(reason);
    this.stop();
  }

  /** Ends all that is under way. */
  private stop(): void {
    this.everything.abort();
    for (const controller of this.running.values()) controller.abort();
    this.running.clear();
  }
}

function isRefused(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return cause?.code === "ECONNREFUSED";
}

function causeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return cause === undefined ? messageOf(error) : messageOf(cause);
}

/** Whether a body is an answer: any response of JSON-RPC where the status is good, an error where it is not. */
function answers(text: string, ok: boolean): boolean {
  const message = parsed(text);
  if (!isObject(message)) return Array.isArray(message) && ok;
  return ok || (isObject(message["error"]) && typeof message["error"]["code"] === "number");
}

function isError(text: string, id: RequestId): boolean {
  const message = parsed(text);
  return isObject(message) && isObject(message["error"]) && message["id"] === id;
}

/** A 404 that answers the request says what it did not find, unless that is the session. */
function sessionIsGone(text: string): boolean {
  const message = parsed(text);
  const error = isObject(message) ? message["error"] : undefined;
  return isObject(error) && error["code"] !== -32601;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Opens a channel to `url` each time it is called. */
export function httpClientChannel(url: string, options: HttpClientOptions = {}): HttpClientChannel {
  return new HttpClientChannel(url, options);
}
