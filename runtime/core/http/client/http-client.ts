import {
  batchText,
  type ClientChannel,
  type ClientReceiver,
  interrupted,
  McpError,
  messageOf,
  type Outgoing,
  type platform,
  printWarning,
  type RequestId,
  settleWithin,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { HttpClientOptions } from "./http-client-options.js";
import { HttpRequests } from "./http-requests.js";
import {
  type HttpRequest,
  type HttpResponse,
  answerIn,
  answersIn,
  bodyOf,
  defaultLimit,
  errorCodeOf,
  headerOf,
  isSessionLost,
  mediaType,
  refusal,
  sessionLost,
} from "./http-response.js";
import { Outbox, type Unanswered, untilTaken } from "./outbox.js";
import { type StreamReader, type StreamedRequest, readAnswer, unfinished } from "./sse-reader.js";

/** Timeout in milliseconds for the DELETE of a session. */
const deleteTimeout = 2000;

/** The header with the session id. A server that sends it may send messages on the GET stream. */
const sessionHeader = "mcp-session-id";

/** Statuses with which a server that only has HTTP+SSE answers a handshake (2025-11-25, backwards compatibility). */
const fallbackStatuses: ReadonlySet<number> = new Set([400, 404, 405]);

type Named = Readonly<Record<string, string>>;

/** Dependencies of a channel beside its options. */
export interface HttpChannelParts {
  /** Error codes that show that a server knows this transport. */
  readonly known?: Iterable<number>;
  /** Whether a connection to the server was opened before. */
  readonly again?: boolean;
  /** Called when the GET stream is lost. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Absent if the client has no legacy revisions. */
  readonly legacy?: LegacyHttp | undefined;
}

/** The channel's code for legacy revisions; `runtime/core/legacy/client` implements it. */
export interface LegacyHttp {
  openStreams(
    options: HttpClientOptions,
    user: SessionUser,
    signal: platform.AbortSignal,
    onWarning: (message: string) => void,
  ): SessionStreams;
  /**
   * Opens the stream of HTTP+SSE (2024-11-05), for servers that have no other transport. Resolves with `undefined` if the
   * server does not have it.
   *
   * @throws {McpError} `connection-closed`, `invalid-result`; `refused` is the earlier answer to the handshake
   */
  openSse(
    requests: HttpRequests,
    limit: number,
    signal: platform.AbortSignal,
    user: SessionUser,
    refused: { readonly status: number; readonly body: string },
  ): Promise<SseConnection | undefined>;
}

/** The connection, as the streams of a session use it. */
export interface SessionUser extends StreamReader {
  /** Requests a stream, from the event after `lastId` on. @param headers of the request that it answers */
  get(lastId: string | undefined, signal: platform.AbortSignal, headers?: Named): Promise<HttpResponse>;
  /** The server has forgotten the session. */
  forgotten(): void;
  /** The stream of HTTP+SSE ended, and the session with it: it cannot be resumed. */
  ended(why: McpError): void;
}

/** The event streams of a session: answers to requests, and the GET stream. */
export interface SessionStreams {
  /** Like `readAnswer`, but resumes a stream that ends without the answer. @throws {McpError} `connection-closed` */
  answer(response: HttpResponse, request: StreamedRequest): Promise<void>;
  /** Opens the GET stream. Resolves when the server has answered. */
  begin(): Promise<void>;
  /** Requests a lost GET stream again: the server has answered a request. */
  again(): void;
}

/** An open connection over HTTP+SSE. */
export interface SseConnection {
  /** Posts a message. Its answer comes on the stream. @throws {McpError} `connection-closed`, `session-lost` */
  post(body: string, headers: Named, signal: platform.AbortSignal): Promise<void>;
}

/** An exchange for one request, or for a batch. Its signal is made on first use: most requests need none. */
class Exchange implements HttpRequest {
  readonly method = "POST";
  readonly headers: Named;
  readonly body: string;
  readonly authorized: HttpRequest["authorized"];
  /** The revision that a handshake offers: no header names it. */
  readonly revision: string | undefined;
  /** The requests. */
  readonly ids: readonly RequestId[];
  isAborted = false;
  #controller: AbortController | undefined;
  #onAbort: (() => void) | undefined;

  constructor(messages: readonly Outgoing[], ids: readonly RequestId[], isBatch: boolean, session?: Named) {
    const [first] = messages as readonly [Outgoing];
    this.headers = session ? Object.assign({}, session, first.headers) : first.headers;
    this.body = isBatch ? batchText(messages) : first.text;
    this.authorized = isBatch
      ? (used) => messages.forEach((each) => each.authorized?.(used))
      : first.authorized;
    this.revision = first.method === "initialize" ? offeredIn(first.text) : undefined;
    this.ids = ids;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  onAbort(callback: () => void): () => void {
    this.#onAbort = callback;
    if (this.isAborted) callback();
    return () => {
      // Another attempt of the request may have set its own callback.
      if (this.#onAbort === callback) this.#onAbort = undefined;
    };
  }

  abort(): void {
    this.isAborted = true;
    this.#controller?.abort();
    this.#onAbort?.();
  }
}

/** The client of Streamable HTTP: each message is one POST; answers come in its body or on a stream. */
class HttpClientChannel implements ClientChannel {
  readonly guaranteesReply = true;
  readonly carriesHeaders = true;
  readonly #limit: number;
  readonly #requests: HttpRequests;
  readonly #legacy: LegacyHttp | undefined;
  readonly #streams: SessionStreams | undefined;
  readonly #outbox = new Outbox((message, signal) => this.#postMessage(message, signal));
  readonly #known: ReadonlySet<number>;
  readonly #running = new Map<RequestId, Exchange>();
  readonly #everything = new AbortController();
  readonly #user: SessionUser;
  #receiver!: ClientReceiver;
  /** The header of the session, if the server has opened one. */
  #session: Named | undefined;
  #version: Named = {};
  /** Whether a handshake has succeeded: only then can streams be resumed. */
  #shaken = false;
  #state: "open" | "draining" | "closed" = "open";
  /** Resolves when the handshake is over: requests wait for it. */
  #ready: Promise<void> | undefined;
  /** HTTP+SSE (2024-11-05), if the server has no other transport. */
  #older: SseConnection | undefined;

  /** @throws {McpError} `invalid-definition`: the URL or a header is invalid */
  constructor(
    url: string,
    options: HttpClientOptions = {},
    { known = [], again = false, onWarning = printWarning, legacy }: HttpChannelParts = {},
  ) {
    this.#limit = options.limit ?? defaultLimit;
    this.#known = new Set([...known, rpc.methodNotFound]);
    this.#requests = new HttpRequests(url, options, again);
    this.#user = {
      get: (from, signal, headers = this.#version) =>
        this.#exchange("GET", { ...headers, ...(from && { "last-event-id": from }) }, signal),
      message: (text, origin) => this.#receiver.message(text, origin),
      stray: (answer, id) => this.#receiver.parsed(answer, undefined, id),
      turn: () => this.#receiver.turn(),
      room: () => this.#outbox.room,
      ended: (why) => this.#end(why),
      forgotten: () => {
        if (this.#session !== undefined || this.#older) this.#drain();
      },
    };
    this.#legacy = legacy;
    this.#streams = legacy?.openStreams(options, this.#user, this.#everything.signal, onWarning);
  }

  open(receiver: ClientReceiver): void {
    this.#receiver = receiver;
  }

  reply(text: string): void {
    if (this.#state === "open") this.#outbox.answer({ text, headers: this.#version });
  }

  post(message: Outgoing): void {
    const { id, ends, method } = message;
    if (this.#state !== "open") {
      if (ends !== undefined) this.abandon(ends);
      return;
    }
    if (id !== undefined) return this.#whenReady(() => this.#request([message], false));
    const arrived = this.#outbox.notify(message);
    if (method === "notifications/initialized") this.#ready = arrived;
    if (ends !== undefined) void arrived.then(() => this.abandon(ends));
  }

  postBatch(messages: readonly Outgoing[]): void {
    if (this.#state !== "open") return;
    const requests = messages.filter(({ id }) => id !== undefined).length;
    if (requests === 0) return this.#notifyBatch(messages);
    // Notifications are sent in order.
    if (requests === messages.length) return this.#whenReady(() => this.#request(messages, true));
    void this.#outbox.idle.then(() => this.#request(messages, true));
  }

  /** Ends the stream of a request, which cancels it in the modern era. */
  abandon(id: RequestId): boolean {
    const exchange = this.#running.get(id);
    this.#running.delete(id);
    // The exchange of a batch ends when its last request is answered or aborted.
    if (exchange && this.#isOver(exchange)) exchange.abort();
    return true;
  }

  authorization(signal: platform.AbortSignal): Promise<string | undefined> {
    return this.#requests.authorization(signal);
  }

  setProtocolHeaders(headers: Named): void {
    this.#version = headers;
    this.#shaken = true;
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = "closed";
    if (state === "open") await this.#outbox.idle;
    this.#stop();
    if (state !== "open" || this.#session === undefined) return;
    // The server may refuse: DELETE is optional.
    const controller = new AbortController();
    await settleWithin(deleteTimeout, this.#exchange("DELETE", this.#version, controller.signal));
    controller.abort();
  }

  #exchange(
    method: "POST" | "GET" | "DELETE",
    headers: Named,
    signal: AbortSignal,
    body?: string,
  ): Promise<HttpResponse> {
    return this.#requests.send({ method, headers: Object.assign({}, this.#session, headers), signal, body });
  }

  async #postMessage({ text, method, headers }: Unanswered, signal: AbortSignal): Promise<void> {
    if (this.#older) return this.#older.post(text, headers, signal);
    const post = (bound = signal): Promise<HttpResponse> => this.#exchange("POST", headers, bound, text);
    const response = await (method === undefined ? untilTaken(post, signal) : post());
    await response.body?.cancel();
    // The handshake is over: the server may send messages.
    if (response.ok && method === "notifications/initialized" && this.#session !== undefined)
      await this.#streams?.begin();
  }

  #whenReady(send: () => Promise<void>): void {
    if (this.#ready) void this.#ready.then(send);
    else void send();
  }

  /** Whether all requests of an exchange were answered or aborted. */
  #isOver({ ids }: Exchange): boolean {
    return ids.every((id) => this.#receiver.isSettled(id));
  }

  /** Sends a request, or a batch with requests. */
  async #request(messages: readonly Outgoing[], isBatch: boolean): Promise<void> {
    // Some may have been aborted before they were sent.
    const open = messages.filter(({ id }) => id === undefined || !this.#receiver.isSettled(id));
    const ids = open.flatMap(({ id }) => id ?? []);
    if (ids.length === 0) return this.#notifyBatch(open);
    const exchange = new Exchange(open, ids, isBatch, this.#session);
    for (const id of ids) this.#running.set(id, exchange);
    try {
      await this.#ask(open[0]!, exchange, isBatch);
      // Over HTTP+SSE, the answers come on the stream of the session.
      if (!this.#older && !this.#isOver(exchange))
        throw interrupted("the server did not answer this request of the batch");
    } catch (error) {
      if (!exchange.isAborted) for (const id of ids) this.#fail(id, error);
    } finally {
      for (const id of ids) this.#running.delete(id);
    }
  }

  /** Sends a batch without requests. */
  #notifyBatch(messages: readonly Outgoing[]): void {
    const [first] = messages;
    if (first) void this.#outbox.notify({ ...first, text: batchText(messages) });
  }

  async #ask({ method, headers }: Outgoing, exchange: Exchange, isBatch: boolean): Promise<void> {
    const { ids, body: text } = exchange;
    const [id] = ids as readonly [RequestId];
    if (this.#older) return this.#older.post(text, headers, exchange.signal);
    const handshake = method === "initialize";
    const response = await this.#requests.send(exchange);
    // Only this answer opens a session (2025-11-25, session management).
    const session = handshake ? headerOf(response, sessionHeader) : null;
    if (session !== null) this.#session = { [sessionHeader]: session };
    if (response.ok) this.#streams?.again();
    const type = mediaType(response);
    if (type === "text/event-stream" && response.ok)
      return this.#stream(response, {
        id,
        isBatch: ids.length > 1,
        signal: exchange.signal,
        headers,
        resumable: handshake || this.#shaken,
        disconnected: (retryMs) => ids.forEach((each) => this.#receiver.disconnected?.(each, retryMs)),
        isDone: () => this.#isOver(exchange),
        end: () => exchange.abort(),
      });
    const body = await bodyOf(response, this.#limit);
    if (handshake && (await this.#fallBack(response, body)))
      return this.#older!.post(text, headers, exchange.signal);
    if (response.status === 404 && this.#session !== undefined && isSessionLost(body, id)) {
      this.#drain();
      throw sessionLost();
    }
    const refused = response.ok ? undefined : refusal(response, body);
    if (isBatch) this.#receiver.parsed(answersIn(response, body, ids), refused);
    else this.#receiver.parsed(answerIn(response, type, body, id), refused, id);
  }

  async #stream(response: HttpResponse, request: StreamedRequest): Promise<void> {
    if (this.#streams) return this.#streams.answer(response, request);
    const end = await readAnswer(response, this.#user, this.#limit, request);
    if (end) throw unfinished(response, end);
  }

  /**
   * Tries HTTP+SSE (2024-11-05) after a refused handshake (2026-07-28, Streamable HTTP, backward compatibility).
   * Resolves with `true` if the server has it.
   *
   * @throws {McpError} `connection-closed`, `invalid-result`: the server opened the stream, but it cannot be used
   */
  async #fallBack({ status }: HttpResponse, body: string): Promise<boolean> {
    if (this.#shaken || !fallbackStatuses.has(status)) return false;
    const code = errorCodeOf(body);
    if (!this.#legacy || (code !== undefined && this.#known.has(code))) return false;
    const { signal } = this.#everything;
    const refused = { status, body };
    try {
      this.#older = await this.#legacy.openSse(this.#requests, this.#limit, signal, this.#user, refused);
    } catch (error) {
      // The server's own error is more precise than the failure of the stream.
      if (code === undefined) throw error;
    }
    return this.#older !== undefined;
  }

  #fail(id: RequestId, error: unknown): void {
    const coded = error instanceof McpError;
    const reason = coded ? error : new McpError("connection-closed", messageOf(error), { cause: error });
    this.#receiver.failed(id, reason);
  }

  /**
   * The server has forgotten the session (2025-11-25, session management). Sent requests continue: each gets its own
   * response.
   */
  #drain(): void {
    if (this.#state !== "open") return;
    this.#state = "draining";
    this.#everything.abort();
    this.#outbox.stop();
    this.#receiver.draining(sessionLost());
  }

  #end(reason: McpError): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#receiver.closed(reason);
    this.#stop();
  }

  /** Aborts all exchanges. */
  #stop(): void {
    this.#everything.abort();
    this.#outbox.stop();
    for (const exchange of this.#running.values()) exchange.abort();
    this.#running.clear();
  }
}

/** The revision that a handshake offers: no header names it. */
function offeredIn(text: string): string {
  return (JSON.parse(text) as { params: { protocolVersion: string } }).params.protocolVersion;
}

/** Opens a channel to a URL. */
export function httpClientChannel(...given: ConstructorParameters<typeof HttpClientChannel>): ClientChannel {
  return new HttpClientChannel(...given);
}
