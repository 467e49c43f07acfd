import type { Channel, Receiver } from "../../jsonrpc/channel.js";
import { type Message, type RequestId, idOf, isObject } from "../../jsonrpc/message.js";
import type { ServerConnection } from "../../server/connection.js";
import { isModern } from "../../server/modern.js";
import type { Server } from "../../server/server.js";
import { acceptedBy } from "../shared/media.js";
import { type Principal, corsHeaders } from "./access.js";
import { eventHeaders } from "./events.js";
import { type EventSink, type Exchange, locate, parameter } from "./exchange.js";
import { refuseBusy, refuseInvalid } from "./http-error.js";
import type { Load, Quota } from "./limits.js";
import { idsOfRequests, postProblem } from "./message-problem.js";
import { sessionId } from "./session.js";
import type { Streams } from "./streams.js";

/** How clients of the transport before this one are served. */
export interface SseOptions {
  /**
   * Path they are told to post messages to; that of the stream without it. Needed where a gateway in front serves
   * it by another.
   */
  readonly messages?: string;
}

export interface SseEnvironment {
  readonly streams: Streams;
  readonly load: Load;
  /** Of sessions. */
  readonly count: Quota;
  /** Of bytes that are kept for them. */
  readonly bytes: Quota;
  /** Requests of one session at a time. */
  readonly maxRequests: number;
}

/** HTTP+SSE (2024-11-05): a stream that is opened first, and POSTs that belong to it. */
export class SseRequests {
  private readonly server: Server;
  private readonly options: SseOptions;
  private readonly environment: SseEnvironment;
  private readonly sessions = new Map<string, SseSession>();

  constructor(server: Server, options: SseOptions, environment: SseEnvironment) {
    this.server = server;
    this.options = options;
    this.environment = environment;
  }

  get size(): number {
    return this.sessions.size;
  }

  /** Opens a session, and says first where its messages go. */
  open(exchange: Exchange, { auth, principal = "" }: Principal): void {
    if (!acceptedBy(exchange.header("accept")).events)
      return refuseInvalid(exchange, 406, "Accept must allow text/event-stream");
    const endpoint = locate(this.options.messages ?? exchange.url);
    if (!endpoint) return refuseInvalid(exchange, 400, "the URL of the request cannot be read");
    const { streams, load, count, bytes } = this.environment;
    if (!count.take(principal, 1) && !(this.evict(principal) && count.take(principal, 1)))
      return refuseBusy(exchange, undefined);
    const sink = exchange.openStream(200, { ...eventHeaders, ...corsHeaders(exchange) });
    const session = new SseSession(sessionId(), principal, sink, load, bytes, () => {
      this.sessions.delete(session.id);
      count.give(principal, 1);
      streams.ended(sink);
    });
    endpoint.searchParams.set(parameter, session.id);
    session.connection = this.server.attach(session, { auth, principal });
    this.sessions.set(session.id, session);
    streams.opened(sink, principal);
    sink.write(`event: endpoint\ndata: ${relative(endpoint)}\n\n`);
    exchange.onGone(() => session.end());
  }

  /** Takes a message; what answers it goes on the stream of its session. */
  post(exchange: Exchange, id: string, message: unknown, { auth, principal = "" }: Principal): void {
    const session = this.sessions.get(id);
    if (!session || session.principal !== principal)
      return refuseInvalid(exchange, 404, "there is no such session: open its stream again", idOf(message));
    const isBatch = Array.isArray(message);
    const messages: readonly unknown[] = isBatch ? (message as unknown[]) : [message];
    const problem = postProblem(messages, isBatch, session) ?? eraProblem(messages);
    const one = isBatch ? undefined : idOf(message);
    if (problem !== undefined) return refuseInvalid(exchange, 400, problem, one);
    const ids: RequestId[] = idsOfRequests(messages);
    if (ids.length > 0 && session.requests + ids.length > this.environment.maxRequests)
      return refuseBusy(exchange, one);
    session.connection.auth = auth;
    session.expect(ids, exchange.size);
    exchange.reply(202, { "content-type": "text/plain", ...corsHeaders(exchange) }, "Accepted");
    session.connection.receive(message);
  }

  get connections(): ServerConnection[] {
    return [...this.sessions.values()].map(({ connection }) => connection);
  }

  /** Ends all sessions in order. */
  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }

  /** Ends the oldest session of this principal without a handshake: the clients of all others are connected. */
  private evict(principal: string): boolean {
    for (const session of this.sessions.values()) {
      if (session.principal !== principal || session.connection.session) continue;
      session.end();
      return true;
    }
    return false;
  }
}

/** Messages that stand for themselves have a transport of their own. */
function eraProblem(messages: readonly unknown[]): string | undefined {
  return messages.some((message) => isObject(message) && isModern(message as unknown as Message))
    ? "HTTP+SSE serves clients that make a handshake: post this to the endpoint itself"
    : undefined;
}

/** Path and query. Two slashes in front would name another host. */
function relative({ pathname, search }: URL): string {
  return pathname.replace(/^\/+/, "/") + search;
}

/** One client over HTTP+SSE (2024-11-05): it is there as long as its stream is. */
export class SseSession implements Channel {
  readonly id: string;
  /** Whose it is; messages of others do not find it. */
  readonly principal: string;
  connection!: ServerConnection;
  private readonly sink: EventSink;
  private readonly load: Load;
  private readonly onEnd: (session: SseSession) => void;
  /** Requests that are being answered, and the bytes held for each. */
  private readonly running = new Map<RequestId, number>();
  private readonly bytes: Quota;
  private reserved = 0;
  private over = false;

  constructor(
    id: string,
    principal: string,
    sink: EventSink,
    load: Load,
    bytes: Quota,
    onEnd: (session: SseSession) => void,
  ) {
    this.id = id;
    this.principal = principal;
    this.sink = sink;
    this.load = load;
    this.bytes = bytes;
    this.onEnd = onEnd;
  }

  /** Requests that are being answered. */
  get requests(): number {
    return this.running.size;
  }

  /** What answers a request, if it is being answered. */
  streamOf(id: RequestId): EventSink | undefined {
    return this.running.has(id) ? this.sink : undefined;
  }

  /** These requests are about to be answered. @param size of the body they came in */
  expect(ids: readonly RequestId[], size: number): void {
    const each = Math.ceil(size / Math.max(1, ids.length));
    for (const id of ids) {
      this.running.set(id, each);
      this.load.running.add(this.principal, 1);
      this.load.held.add(this.principal, each);
    }
  }

  open(_receiver: Receiver): void {}

  flush(): void {}

  send(text: string): void {
    if (!this.over) this.sink.write(`event: message\ndata: ${text}\n\n`);
  }

  answer(id: RequestId | undefined, text: string): void {
    this.forgo(id);
    this.send(text);
  }

  forgo(id: RequestId | undefined): void {
    const held = id === undefined ? undefined : this.running.get(id);
    if (held === undefined) return;
    this.running.delete(id!);
    this.load.running.give(this.principal, 1);
    this.load.held.give(this.principal, held);
  }

  reserve(bytes: number): boolean {
    if (!this.bytes.take(this.principal, bytes)) return false;
    this.reserved += bytes;
    return true;
  }

  late(more: number): void {
    this.load.running.add(this.principal, more);
  }

  /** The client is gone, or nobody serves it any more. */
  end(): void {
    if (this.over) return;
    this.over = true;
    for (const id of [...this.running.keys()]) this.forgo(id);
    this.onEnd(this);
    this.connection.closed();
    this.bytes.give(this.principal, this.reserved);
    this.sink.end();
  }

  async close(): Promise<void> {
    this.end();
  }
}
