import type * as platform from "../../platform/platform.js";
import { McpError, messageOf, interrupted, printWarning } from "../../jsonrpc/errors.js";
import * as rpc from "../../jsonrpc/rpc-codes.js";
import type { HttpClientOptions } from "./http-client-options.js";
import type { RequestId } from "../../jsonrpc/message.js";
import { type ClientChannel, type ClientReceiver, type Outgoing, batchText } from "../../jsonrpc/channel.js";
import {
  answerIn,
  answersIn,
  bodyOf,
  defaultLimit,
  errorCodeOf,
  refusal,
  sessionLost,
  isSessionLost,
} from "./answer-body.js";
import { type HttpResponse, headerOf, mediaType } from "./http-response.js";
import { EventStreams, GetStream } from "./event-streams.js";
import { type HttpRequest, HttpRequests } from "./http-requests.js";
import { OrderedSender, type Unanswered } from "./ordered-sender.js";
import { settleWithin } from "../../time/clock.js";
import type { OlderConnection, OlderTransport } from "./older-transport.js";
import { untilTaken } from "./until-taken.js";

/** Milliseconds that DELETE of a session may take. */
const deleteTimeout = 2000;

/** A server that sends it may have messages on the GET stream. */
const sessionHeader = "mcp-session-id";

/** Statuses by which a server of HTTP+SSE alone answers a handshake (2025-11-25, backwards compatibility). */
const fallbackStatuses: ReadonlySet<number> = new Set([400, 404, 405]);

type Named = Readonly<Record<string, string>>;

/** What a channel is given beside its options. */
export interface HttpChannelParts {
  /** Codes of errors by which a server shows that it knows this transport. */
  readonly known?: Iterable<number>;
  /** Whether a connection to the server was opened before. */
  readonly again?: boolean;
  /** Called when the GET stream is lost. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Loads HTTP+SSE; without it, a server that has no other transport is refused. */
  readonly loadOlder?: (() => Promise<OlderTransport>) | undefined;
}

/** The client of Streamable HTTP: each message is one POST; answers come in its body or on a stream. */
class HttpClientChannel implements ClientChannel {
  readonly guaranteesReply = true;
  readonly carriesHeaders = true;
  readonly #limit: number;
  readonly #requests: HttpRequests;
  readonly #streams: EventStreams;
  readonly #getStream: GetStream;
  readonly #sender = new OrderedSender((message, signal) => this.#postMessage(message, signal));
  readonly #known: ReadonlySet<number>;
  readonly #running = new Map<RequestId, AbortController>();
  readonly #everything = new AbortController();
  #receiver!: ClientReceiver;
  #session: string | undefined;
  #version: Named = {};
  /** Whether a handshake has succeeded: only then can streams be resumed. */
  #shaken = false;
  #state: "open" | "draining" | "closed" = "open";
  /** Resolves when the handshake is over: requests wait for it. */
  #ready: Promise<void> = Promise.resolve();
  /** HTTP+SSE (2024-11-05), if the server has no other transport. */
  #older: OlderConnection | undefined;
  readonly #loadOlder: HttpChannelParts["loadOlder"];

  /** @throws {McpError} `invalid-definition`: the URL or a header is invalid */
  constructor(
    url: string,
    options: HttpClientOptions = {},
    { known = [], again = false, onWarning = printWarning, loadOlder }: HttpChannelParts = {},
  ) {
    this.#loadOlder = loadOlder;
    this.#limit = options.limit ?? defaultLimit;
    this.#known = new Set([...known, rpc.methodNotFound]);
    this.#requests = new HttpRequests(url, options, again);
    this.#streams = new EventStreams(options, {
      get: (from, signal) =>
        this.#exchange("GET", { ...this.#version, ...(from && { "last-event-id": from }) }, signal),
      message: (text) => this.#receiver.message(text),
      stray: (answer, id) => this.#receiver.parsed(answer, undefined, id),
      turn: () => this.#receiver.turn(),
      room: () => this.#sender.room,
      forgotten: () => this.#session !== undefined && this.#drain(),
    });
    this.#getStream = new GetStream(this.#streams, this.#everything.signal, onWarning);
  }

  open(receiver: ClientReceiver): void {
    this.#receiver = receiver;
  }

  reply(text: string): void {
    if (this.#state === "open") this.#sender.answer({ text, headers: this.#version });
  }

  post(message: Outgoing): void {
    const { id, ends, method } = message;
    if (this.#state !== "open") {
      if (ends !== undefined) this.abandon(ends);
      return;
    }
    if (id !== undefined) return void this.#ready.then(() => this.#request(message, id));
    const arrived = this.#sender.notify(message);
    if (method === "notifications/initialized") this.#ready = arrived;
    if (ends !== undefined) void arrived.then(() => this.abandon(ends));
  }

  postBatch(messages: readonly Outgoing[]): void {
    if (this.#state !== "open") return;
    const requests = messages.filter(({ id }) => id !== undefined).length;
    if (requests === 0) return this.#notifyBatch(messages);
    // Notifications are sent after those before them.
    const turn = requests < messages.length ? this.#sender.idle : this.#ready;
    void turn.then(() => this.#requestBatch(messages));
  }

  /** Ends the stream of a request: in the modern era, that is its cancellation. */
  abandon(id: RequestId): boolean {
    this.#running.get(id)?.abort();
    this.#running.delete(id);
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
    if (state === "open") await this.#sender.idle;
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
    more?: Pick<HttpRequest, "body" | "authorized" | "revision">,
  ): Promise<HttpResponse> {
    const session: Named = this.#session === undefined ? {} : { [sessionHeader]: this.#session };
    return this.#requests.send({ method, headers: { ...session, ...headers }, signal, ...more });
  }

  async #postMessage({ text, method, headers }: Unanswered, signal: AbortSignal): Promise<void> {
    if (this.#older) return this.#older.post(text, headers, signal);
    const post = (bound = signal): Promise<HttpResponse> =>
      this.#exchange("POST", headers, bound, { body: text });
    const response = await (method === undefined ? untilTaken(post, signal) : post());
    await response.body?.cancel();
    // The handshake is over: the server may send messages.
    if (response.ok && method === "notifications/initialized" && this.#session !== undefined)
      await this.#getStream.begin();
  }

  async #request(message: Outgoing, id: RequestId): Promise<void> {
    // It may have been given up before it was sent.
    if (this.#receiver.isSettled(id)) return;
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      if (this.#older) await this.#older.post(message.text, message.headers, controller.signal);
      else await this.#ask(message, id, controller);
    } catch (error) {
      if (!controller.signal.aborted) this.#fail(id, error);
    } finally {
      this.#running.delete(id);
    }
  }

  /** Sends a batch. Each request can be abandoned; the exchange ends when none waits for it. */
  async #requestBatch(messages: readonly Outgoing[]): Promise<void> {
    const whole = new AbortController();
    const open = messages.filter(({ id }) => id === undefined || !this.#receiver.isSettled(id));
    const ids = open.flatMap(({ id }) => id ?? []);
    if (ids.length === 0) return this.#notifyBatch(open);
    const waiting = (): RequestId[] => ids.filter((id) => !this.#receiver.isSettled(id));
    for (const id of ids) {
      const own = new AbortController();
      own.signal.addEventListener("abort", () => waiting().length === 0 && whole.abort());
      this.#running.set(id, own);
    }
    try {
      await this.#askBatch(open, ids, whole, () => waiting().length === 0);
      // Over HTTP+SSE, the answers come on the stream of the session.
      if (!this.#older && waiting().length > 0)
        throw interrupted("the server did not answer this request of the batch");
    } catch (error) {
      for (const id of waiting()) this.#fail(id, error);
    } finally {
      for (const id of ids) this.#running.delete(id);
    }
  }

  /** Sends a batch without requests. */
  #notifyBatch(messages: readonly Outgoing[]): void {
    const [first] = messages;
    if (first) void this.#sender.notify({ ...first, text: batchText(messages) });
  }

  async #askBatch(
    messages: readonly Outgoing[],
    ids: readonly RequestId[],
    whole: AbortController,
    isDone: () => boolean,
  ): Promise<void> {
    const { signal } = whole;
    const [{ headers }] = messages as readonly [Outgoing];
    const authorized = (authorization: string | undefined): void =>
      messages.forEach((each) => each.authorized?.(authorization));
    if (this.#older) return this.#older.post(batchText(messages), headers, signal);
    const response = await this.#exchange("POST", headers, signal, { body: batchText(messages), authorized });
    if (response.ok) this.#getStream.again();
    if (mediaType(response) === "text/event-stream" && response.ok) {
      const end = (): void => whole.abort();
      return this.#streams.answer(response, { id: ids[0]!, signal, resumable: this.#shaken, isDone, end });
    }
    const body = await bodyOf(response, this.#limit);
    if (response.status === 404 && this.#session !== undefined && isSessionLost(body, ids[0]!)) {
      this.#drain();
      throw sessionLost();
    }
    this.#receiver.parsed(answersIn(response, body, ids), response.ok ? undefined : refusal(response, body));
  }

  async #ask(message: Outgoing, id: RequestId, controller: AbortController): Promise<void> {
    const { text, headers, method, authorized } = message;
    const { signal } = controller;
    const handshake = method === "initialize";
    const revision = handshake ? offeredIn(text) : undefined;
    const response = await this.#exchange("POST", headers, signal, { body: text, authorized, revision });
    // Only this answer opens a session (2025-11-25, session management).
    if (handshake) this.#session = headerOf(response, sessionHeader) ?? this.#session;
    if (response.ok) this.#getStream.again();
    const type = mediaType(response);
    if (type === "text/event-stream" && response.ok)
      return this.#streams.answer(response, {
        id,
        signal,
        resumable: handshake || this.#shaken,
        isDone: () => !this.#running.has(id) || this.#receiver.isSettled(id),
        end: () => controller.abort(),
      });
    const body = await bodyOf(response, this.#limit);
    if (
      handshake &&
      !this.#shaken &&
      fallbackStatuses.has(response.status) &&
      (await this.#fallBack(response, body))
    )
      return this.#older!.post(text, headers, signal);
    if (response.status === 404 && this.#session !== undefined && isSessionLost(body, id)) {
      this.#drain();
      throw sessionLost();
    }
    const refused = response.ok ? undefined : refusal(response, body);
    this.#receiver.parsed(answerIn(response, type, body, id), refused, id);
  }

  /**
   * Tries HTTP+SSE (2024-11-05) after a refused handshake (2026-07-28, Streamable HTTP, backward compatibility).
   * Resolves with whether the server has it.
   *
   * @param refusal body of the answer
   * @throws {McpError} `connection-closed`, `invalid-result`: the server opened the stream, but it cannot be used
   */
  async #fallBack({ status }: HttpResponse, refusal: string): Promise<boolean> {
    const code = errorCodeOf(refusal);
    if (code !== undefined && this.#known.has(code)) return false;
    const older = await this.#loadOlder?.();
    if (!older) return false;
    try {
      this.#older = await older.openSse(this.#requests, this.#limit, this.#everything.signal, {
        message: (text) => this.#receiver.message(text),
        turn: () => this.#receiver.turn(),
        room: () => this.#sender.room,
        ended: (why) => this.#end(why),
        forgotten: () => this.#drain(),
      });
    } catch (error) {
      // The server's own error is more precise than the failure of the stream.
      if (code === undefined) throw older.noSse(error, status, refusal);
    }
    return this.#older !== undefined;
  }

  #fail(id: RequestId, error: unknown): void {
    const coded = error instanceof McpError;
    const reason = coded ? error : new McpError("connection-closed", messageOf(error), { cause: error });
    this.#receiver.failed(id, reason);
  }

  /**
   * The server has forgotten the session (2025-11-25, session management). Requests that were sent go on: each gets its
   * own response.
   */
  #drain(): void {
    if (this.#state !== "open") return;
    this.#state = "draining";
    this.#everything.abort();
    this.#sender.stop();
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
    this.#sender.stop();
    for (const controller of this.#running.values()) controller.abort();
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
