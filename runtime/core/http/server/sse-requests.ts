import { isModern } from "../../server/modern.js";
import { type Message, type RequestId, idOf, isObject } from "../../jsonrpc/message.js";
import type { ServerConnection } from "../../server/connection.js";
import type { Server } from "../../server/server.js";
import { corsHeaders } from "./cors.js";
import { eventHeaders } from "./events.js";
import type { Exchange } from "./exchange.js";
import type { Principal } from "./principal.js";
import type { Load } from "./load.js";
import { acceptedBy } from "../shared/media.js";
import { idsOfRequests, postProblem } from "./message-problem.js";
import type { Quota } from "./quota.js";
import { refuseBusy, refuseInvalid } from "./refuse.js";
import { sessionId } from "./session-id.js";
import { locate, parameter } from "./sse-name.js";
import { SseSession } from "./sse-session.js";
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
