import { McpError, messageOf, rpc } from "../peer/errors.js";
import type { RequestId } from "../peer/message.js";
import type { Channel, Outgoing, Receiver } from "../transport/channel.js";
import { answerIn, bodyOf, errorCodeOf, tellsOfSession } from "./answer-body.js";
import { EventStreams } from "./event-streams.js";
import type { HttpClientOptions } from "./http-client-options.js";
import { HttpRequests } from "./http-requests.js";
import { defaultLimit } from "./limit.js";
import { mediaType } from "./media.js";
import { wait } from "./pace.js";
import { sessionLost } from "./session-lost.js";
import type { SseConnection } from "./sse-connection.js";

/** Milliseconds that the end of a session may take. */
const patience = 2000;

/** Milliseconds that requests wait, after a handshake, for a stream to listen on. */
const promptness = 500;

/** Streams that a server wants to be listened to; it says so by a session. */
const sessionHeader = "mcp-session-id";

/** What a server answers to a handshake that knows the transport before this one alone (2025-11-25, backwards compatibility). */
const unknownHere: ReadonlySet<number> = new Set([400, 404, 405]);

type Headers = Readonly<Record<string, string>>;

/** Streamable HTTP as a client uses it: each message its own POST, answers wherever they come. */
export class HttpClientChannel implements Channel {
  readonly answersAll = true;
  private readonly limit: number;
  private readonly requests: HttpRequests;
  private readonly streams: EventStreams;
  private readonly known: ReadonlySet<number>;
  private readonly running = new Map<RequestId, AbortController>();
  private readonly everything = new AbortController();
  private receiver: Receiver | undefined;
  private session: string | undefined;
  private version: Headers = {};
  /** Whether a handshake has settled the version: only then are there streams to resume. */
  private shaken = false;
  private state: "open" | "retired" | "closed" = "open";
  /** Notifications arrive before what is sent after them. */
  private notified: Promise<void> = Promise.resolve();
  private listening = false;
  /** The transport of 2024-11-05, where the server knows no other. */
  private older: SseConnection | undefined;

  /**
   * @param known codes of errors by which a server shows that it knows this transport
   * @param again whether an earlier connection to the server stood
   */
  constructor(url: string, options: HttpClientOptions = {}, known: Iterable<number> = [], again = false) {
    this.limit = options.limit ?? defaultLimit;
    this.known = new Set([...known, rpc.methodNotFound]);
    this.requests = new HttpRequests(url, options, again);
    this.streams = new EventStreams(options, {
      get: (lastId, signal) => {
        const from = lastId === undefined ? {} : { "last-event-id": lastId };
        return this.exchange("GET", { ...this.version, ...from }, signal);
      },
      message: (text) => this.receiver?.message(text),
      turn: () => this.receiver?.turn(),
      forgotten: () => this.session !== undefined && this.retire(),
    });
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
    if (this.state !== "open") return;
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

  /** What was negotiated goes with all that follows. */
  speak(headers: Headers): void {
    this.version = headers;
    this.shaken = true;
  }

  async close(): Promise<void> {
    const { state } = this;
    this.state = "closed";
    if (state === "open") await Promise.race([this.notified, wait(patience, this.everything.signal)]);
    this.stop();
    if (state !== "open" || this.session === undefined) return;
    // A server may not let sessions be ended; that is its business.
    await this.exchange("DELETE", this.version, AbortSignal.timeout(patience)).catch(() => undefined);
  }

  private exchange(
    method: "POST" | "GET" | "DELETE",
    headers: Headers,
    signal: AbortSignal,
    body?: string,
  ): Promise<Response> {
    const session: Headers = this.session === undefined ? {} : { [sessionHeader]: this.session };
    const all = { ...session, ...headers };
    return this.requests.send({ method, headers: all, signal, ...(body === undefined ? {} : { body }) });
  }

  private async notify({ text, headers }: Outgoing): Promise<void> {
    const { signal } = this.everything;
    try {
      if (this.older) return await this.older.post(text, headers, signal);
      const response = await this.exchange("POST", headers, signal, text);
      await response.body?.cancel();
      // What the handshake ends with: now the server may have something to say.
      if (response.ok && this.session !== undefined) await this.listen();
    } catch {
      // The next request will tell.
    }
  }

  private async request(message: Outgoing, id: RequestId): Promise<void> {
    // It may have been given up while it waited for its turn.
    if (this.receiver?.isSettled?.(id)) return;
    const controller = new AbortController();
    this.running.set(id, controller);
    try {
      if (this.older) await this.older.post(message.text, message.headers, controller.signal);
      else await this.ask(message, id, controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) this.fail(id, error);
    } finally {
      this.running.delete(id);
    }
  }

  private async ask({ text, headers }: Outgoing, id: RequestId, signal: AbortSignal): Promise<void> {
    const response = await this.exchange("POST", headers, signal, text);
    // What negotiates a version cannot carry one; of all later eras, none has sessions.
    const handshake = Object.keys(headers).length === 0;
    if (handshake) this.session = response.headers.get(sessionHeader) ?? this.session;
    const type = mediaType(response.headers.get("content-type") ?? "");
    if (type === "text/event-stream" && response.ok)
      return this.streams.answer(
        response,
        signal,
        handshake || this.shaken,
        () => !this.running.has(id) || this.receiver?.isSettled?.(id) === true,
      );
    const body = await bodyOf(response, this.limit);
    if (handshake && !this.shaken && unknownHere.has(response.status) && (await this.fallBack(body)))
      return this.older!.post(text, headers, signal);
    if (response.status === 404 && this.session !== undefined && tellsOfSession(body, id)) {
      this.retire();
      throw sessionLost();
    }
    this.receiver?.message(answerIn(response, type, body, id));
  }

  /**
   * Tries the transport of 2024-11-05 where a handshake was refused (2026-07-28, Streamable HTTP, backward
   * compatibility). Says whether the server knows it.
   *
   * @param refusal body of the answer
   */
  private async fallBack(refusal: string): Promise<boolean> {
    const code = errorCodeOf(refusal);
    if (code !== undefined && this.known.has(code)) return false;
    const { openSse } = await import("./sse-connection.js");
    this.older = await openSse(this.requests, this.limit, this.everything.signal, {
      message: (text) => this.receiver?.message(text),
      turn: () => this.receiver?.turn(),
      ended: (why) => this.end(why),
      forgotten: () => this.retire(),
    });
    return this.older !== undefined;
  }

  /**
   * Listens for what belongs to no request. Resolves once that has begun: many servers ask by it what a call needs,
   * and drop what nobody listens for.
   */
  private async listen(): Promise<void> {
    if (this.listening) return;
    this.listening = true;
    const { signal } = this.everything;
    await new Promise<void>((resolve) => {
      // Some servers do not begin a stream before they have something to say.
      const timer = setTimeout(resolve, promptness);
      const decided = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.streams.listen(signal, decided).catch((error: McpError) => {
        if (!signal.aborted) this.end(error);
      });
    });
  }

  private fail(id: RequestId, error: unknown): void {
    const reason =
      error instanceof McpError
        ? error
        : new McpError("connection-closed", messageOf(error), { cause: error });
    this.receiver?.failed?.(id, reason);
  }

  /**
   * The server has forgotten the session (2025-11-25, session management). Each request that is on its way is
   * told of it on its own exchange, or was done before: none is given up for the answer to another.
   */
  private retire(): void {
    if (this.state !== "open") return;
    this.state = "retired";
    this.everything.abort();
    if (this.receiver?.retired) this.receiver.retired(sessionLost());
    else this.receiver?.closed(sessionLost());
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

/** Opens a channel to a URL. */
export function httpClientChannel(
  ...given: ConstructorParameters<typeof HttpClientChannel>
): HttpClientChannel {
  return new HttpClientChannel(...given);
}
