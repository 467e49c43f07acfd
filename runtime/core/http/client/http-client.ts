import { McpError, messageOf, rpc } from "../../jsonrpc/errors.js";
import type { RequestId } from "../../jsonrpc/message.js";
import { printWarning } from "../../jsonrpc/warning.js";
import type { Channel, Outgoing, Receiver } from "../../jsonrpc/channel.js";
import { answerIn, bodyOf, errorCodeOf, tellsOfSession } from "./answer-body.js";
import { EventStreams } from "./event-streams.js";
import type { HttpClientOptions } from "./http-client-options.js";
import { HttpRequests } from "./http-requests.js";
import { defaultLimit } from "./limit.js";
import { Listening } from "./listening.js";
import { mediaType } from "../shared/media.js";
import { Notices } from "./notices.js";
import { atMost } from "./patience.js";
import { refusal } from "./refusal.js";
import { sessionLost } from "./session-lost.js";
import type { SseConnection } from "./sse-connection.js";

/** Milliseconds that the end of a session may take. */
const patience = 2000;

/** Streams that a server wants to be listened to; it says so by a session. */
const sessionHeader = "mcp-session-id";

/** What a server answers to a handshake that knows the transport before this one alone (2025-11-25, backwards compatibility). */
const unknownHere: ReadonlySet<number> = new Set([400, 404, 405]);

type Named = Readonly<Record<string, string>>;

/** Streamable HTTP as a client uses it: each message its own POST, answers wherever they come. */
export class HttpClientChannel implements Channel {
  readonly answersAll = true;
  private readonly limit: number;
  private readonly requests: HttpRequests;
  private readonly streams: EventStreams;
  private readonly listening: Listening;
  private readonly notices = new Notices((message, signal) => this.tell(message, signal));
  private readonly known: ReadonlySet<number>;
  private readonly running = new Map<RequestId, AbortController>();
  private readonly everything = new AbortController();
  private receiver: Receiver | undefined;
  private session: string | undefined;
  private version: Named = {};
  /** Whether a handshake has settled the version: only then are there streams to resume. */
  private shaken = false;
  private state: "open" | "retired" | "closed" = "open";
  /** What requests wait for: that the handshake is over. */
  private ready: Promise<void> = Promise.resolve();
  /** The transport of 2024-11-05, where the server knows no other. */
  private older: SseConnection | undefined;

  /**
   * @param known codes of errors by which a server shows that it knows this transport
   * @param again whether a connection to the server was opened before
   * @param onWarning hears that the server is not listened to any more
   * @throws {McpError} `invalid-definition`: nothing can be sent to the URL, or with the headers
   */
  constructor(
    url: string,
    options: HttpClientOptions = {},
    known: Iterable<number> = [],
    again = false,
    onWarning: (message: string) => void = printWarning,
  ) {
    this.limit = options.limit ?? defaultLimit;
    this.known = new Set([...known, rpc.methodNotFound]);
    this.requests = new HttpRequests(url, options, again);
    this.streams = new EventStreams(options, {
      get: (from, signal) =>
        this.exchange("GET", { ...this.version, ...(from && { "last-event-id": from }) }, signal),
      message: (text) => this.receiver?.message(text),
      turn: () => this.receiver?.turn(),
      room: () => this.notices.room,
      forgotten: () => this.session !== undefined && this.retire(),
    });
    this.listening = new Listening(this.streams, this.everything.signal, onWarning);
  }

  open(receiver: Receiver): void {
    this.receiver = receiver;
  }

  /** What a client answers to a server. */
  send(text: string): void {
    if (this.state === "open") this.notices.answer({ text, headers: this.version });
  }

  flush(): void {}

  post(message: Outgoing): void {
    const { id, ends, method } = message;
    if (this.state !== "open") return void (ends !== undefined && this.abandon(ends));
    if (id !== undefined) return void this.ready.then(() => this.request(message, id));
    const told = this.notices.tell(message);
    if (method === "notifications/initialized") this.ready = told;
    if (ends !== undefined) void told.then(() => this.abandon(ends));
  }

  /** Ends the stream of a request: in the modern era, that is its cancellation. */
  abandon(id: RequestId): void {
    this.running.get(id)?.abort();
    this.running.delete(id);
  }

  authorization(signal: AbortSignal): Promise<string> {
    return this.requests.authorization(signal);
  }

  /** What was negotiated goes with all that follows. */
  speak(headers: Named): void {
    this.version = headers;
    this.shaken = true;
  }

  async close(): Promise<void> {
    const { state } = this;
    this.state = "closed";
    if (state === "open") await this.notices.told;
    this.stop();
    if (state !== "open" || this.session === undefined) return;
    // A server may not let sessions be ended; that is its business.
    const controller = new AbortController();
    await atMost(patience, this.exchange("DELETE", this.version, controller.signal));
    controller.abort();
  }

  private exchange(
    method: "POST" | "GET" | "DELETE",
    headers: Named,
    signal: AbortSignal,
    body?: string,
    authorized?: (authorization: string) => void,
  ): Promise<Response> {
    const session: Named = this.session === undefined ? {} : { [sessionHeader]: this.session };
    return this.requests.send({ method, headers: { ...session, ...headers }, signal, body, authorized });
  }

  private async tell({ text, method, headers }: Outgoing, signal: AbortSignal): Promise<void> {
    if (this.older) return this.older.post(text, headers, signal);
    const response = await this.exchange("POST", headers, signal, text);
    await response.body?.cancel();
    // What the handshake ends with: now the server may have something to say.
    if (response.ok && method === "notifications/initialized" && this.session !== undefined)
      await this.listening.begin();
  }

  private async request(message: Outgoing, id: RequestId): Promise<void> {
    // It may have been given up while it waited for its turn.
    if (this.receiver?.isSettled?.(id)) return;
    const controller = new AbortController();
    this.running.set(id, controller);
    try {
      if (this.older) await this.older.post(message.text, message.headers, controller.signal);
      else await this.ask(message, id, controller);
    } catch (error) {
      if (!controller.signal.aborted) this.fail(id, error);
    } finally {
      this.running.delete(id);
    }
  }

  private async ask(message: Outgoing, id: RequestId, controller: AbortController): Promise<void> {
    const { text, headers, method, authorized } = message;
    const { signal } = controller;
    const response = await this.exchange("POST", headers, signal, text, authorized);
    const handshake = method === "initialize";
    // No other answer opens a session (2025-11-25, session management).
    if (handshake) this.session = response.headers.get(sessionHeader) ?? this.session;
    if (response.ok) this.listening.again();
    const type = mediaType(response.headers.get("content-type") ?? "");
    if (type === "text/event-stream" && response.ok)
      return this.streams.answer(response, {
        id,
        signal,
        resumable: handshake || this.shaken,
        isDone: () => !this.running.has(id) || this.receiver?.isSettled?.(id) === true,
        end: () => controller.abort(),
      });
    const body = await bodyOf(response, this.limit);
    if (
      handshake &&
      !this.shaken &&
      unknownHere.has(response.status) &&
      (await this.fallBack(response, body))
    )
      return this.older!.post(text, headers, signal);
    if (response.status === 404 && this.session !== undefined && tellsOfSession(body, id)) {
      this.retire();
      throw sessionLost();
    }
    const refused = response.ok ? undefined : refusal(response, body);
    this.receiver?.message(answerIn(response, type, body, id), refused);
  }

  /**
   * Tries the transport of 2024-11-05 where a handshake was refused (2026-07-28, Streamable HTTP, backward
   * compatibility). Says whether the server knows it.
   *
   * @param refusal body of the answer
   * @throws {McpError} `connection-closed`, `invalid-result`: it may, but nothing comes of it
   */
  private async fallBack({ status }: Response, refusal: string): Promise<boolean> {
    const code = errorCodeOf(refusal);
    if (code !== undefined && this.known.has(code)) return false;
    const { noSse, openSse } = await import("./sse-connection.js");
    try {
      this.older = await openSse(this.requests, this.limit, this.everything.signal, {
        message: (text) => this.receiver?.message(text),
        turn: () => this.receiver?.turn(),
        room: () => this.notices.room,
        ended: (why) => this.end(why),
        forgotten: () => this.retire(),
      });
    } catch (error) {
      // What the server says in messages goes before what it does not.
      if (code === undefined) throw noSse(error, status, refusal);
    }
    return this.older !== undefined;
  }

  private fail(id: RequestId, error: unknown): void {
    const coded = error instanceof McpError;
    const reason = coded ? error : new McpError("connection-closed", messageOf(error), { cause: error });
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
    this.notices.stop();
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
    this.notices.stop();
    for (const controller of this.running.values()) controller.abort();
    this.running.clear();
  }
}

/** Opens a channel to a URL. */
export function httpClientChannel(...given: ConstructorParameters<typeof HttpClientChannel>): Channel {
  return new HttpClientChannel(...given);
}
