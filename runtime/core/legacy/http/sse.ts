import { errorText, idOf, isProduction, type RequestId, type ServerChannel } from "@mcpgen/base";
import { ServerConnection } from "../../server/connection.js";
import type { Server } from "../../server/server.js";
import { type Posted, acceptedBy, corsHeaders, replyBusy, replyInvalid } from "../../http/server/access.js";
import { type Streams, eventHeaders } from "../../http/server/event-streams.js";
import { type Principal, type EventSink, type Exchange, parseTarget } from "../../http/server/exchange.js";
import { idsOfRequests, postProblem, receive } from "./session-requests.js";
import { type EndpointQuotas, countWork, maxSessionRequests } from "../../http/server/limits.js";
import type { HttpCounts, SessionEnd } from "../../http/server/http-stats.js";
import type { SseOptions } from "./http-options.js";
import type { SessionReports } from "./session-reports.js";
import { endedError, sessionId } from "./session.js";

/** The query parameter that holds the HTTP+SSE session id in the URL for POSTs. */
const sessionParameter = "sessionId";

/** The HTTP+SSE session id in the URL of a POST, if there is one. */
export function sseSessionOf(exchange: Exchange): string | undefined {
  if (exchange.header("mcp-session-id") !== undefined || !exchange.url.includes(`${sessionParameter}=`))
    return undefined;
  return parseTarget(exchange.url)?.searchParams.get(sessionParameter) ?? undefined;
}

interface SseEnvironment {
  readonly streams: Streams;
  readonly quotas: EndpointQuotas;
  /** Ends an idle session of Streamable HTTP that belongs to the principal. Returns whether there was one. */
  readonly makeRoom: (principal: string) => boolean;
  readonly reports: SessionReports;
  readonly counts: HttpCounts;
}

/** HTTP+SSE (2024-11-05): a GET opens a stream, and POSTs refer to it. */
export class SseRequests {
  readonly #server: Server;
  readonly #options: SseOptions;
  readonly #environment: SseEnvironment;
  readonly #sessions = new Map<string, SseSession>();

  constructor(server: Server, options: SseOptions, environment: SseEnvironment) {
    this.#server = server;
    this.#options = options;
    this.#environment = environment;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Opens a session. Its first event contains the URL for POSTs. */
  open(exchange: Exchange, { auth, principal = "" }: Principal): void {
    if (!acceptedBy(exchange.header("accept")).events)
      return replyInvalid(exchange, 406, "Accept must allow text/event-stream");
    const endpoint = parseTarget(this.#options.messages ?? exchange.url);
    if (!endpoint) return replyInvalid(exchange, 400, "the URL of the request cannot be read");
    const { streams, quotas, reports, makeRoom } = this.#environment;
    const isFull = (): boolean => quotas.sessions.admit(principal, 0) !== undefined;
    if (isFull() && !((this.#evict(principal) || makeRoom(principal)) && !isFull()))
      return replyBusy(exchange, undefined, "limits.sessions");
    const sink = exchange.openStream(200, { ...eventHeaders, ...corsHeaders(exchange) });
    const opened = this.#server.definition.clock.now();
    const session = new SseSession({ principal, sink, opened }, this.#environment, (reason) => {
      this.#sessions.delete(session.id);
      quotas.sessions.release(principal, 0);
      streams.ended(sink);
      if (session.isOpen) reports.ended(reason, session);
    });
    session.whenOpen = () => reports.begun("created", session);
    endpoint.searchParams.set(sessionParameter, session.id);
    session.connection = new ServerConnection(
      this.#server.definition,
      session,
      { auth, principal },
      "legacy",
    );
    this.#sessions.set(session.id, session);
    streams.opened(sink, principal);
    sink.write(`event: endpoint\ndata: ${relative(endpoint)}\n\n`);
    exchange.onGone(() => session.end("disconnected"));
  }

  /**
   * Receives a message. Responses go on the stream of the session.
   *
   * @param stated whether the message states a modern revision, which cannot use HTTP+SSE
   */
  post({ exchange, message, principal: caller }: Posted, id: string, stated: boolean): void {
    const { auth, principal = "" } = caller;
    const session = this.#sessions.get(id);
    if (!session || session.principal !== principal)
      return replyInvalid(exchange, 404, "there is no such session: open its stream again", idOf(message));
    const isBatch = Array.isArray(message);
    const messages: readonly unknown[] = isBatch ? (message as unknown[]) : [message];
    const problem = postProblem(messages, isBatch, session) ?? (stated ? modernMessage : undefined);
    const one = isBatch ? undefined : idOf(message);
    if (problem !== undefined) return replyInvalid(exchange, 400, problem, one);
    const ids: RequestId[] = idsOfRequests(messages);
    if (ids.length > 0 && session.requests + ids.length > maxSessionRequests)
      return replyBusy(exchange, one, "limits.work");
    session.connection.auth = auth;
    session.lastSeen = this.#server.definition.clock.now();
    session.expect(ids, exchange.size);
    exchange.reply(202, { "content-type": "text/plain", ...corsHeaders(exchange) }, "Accepted");
    receive(session.connection, message, exchange);
  }

  get connections(): ServerConnection[] {
    return [...this.#sessions.values()].map(({ connection }) => connection);
  }

  /** A session after its handshake. */
  byId(id: string): SseSession | undefined {
    const session = this.#sessions.get(id);
    return session?.isOpen ? session : undefined;
  }

  /** The sessions after their handshakes. */
  *[Symbol.iterator](): Generator<SseSession> {
    for (const session of this.#sessions.values()) if (session.isOpen) yield session;
  }

  /** Ends the session of this id. Returns whether there was one. */
  endById(id: string): boolean {
    const session = this.#sessions.get(id);
    session?.end("ended");
    return session !== undefined;
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }

  /** Ends the principal's oldest session without a handshake. Every other session has a connected client. */
  #evict(principal: string): boolean {
    for (const session of this.#sessions.values()) {
      if (session.principal !== principal || session.connection.session) continue;
      session.end("evicted");
      return true;
    }
    return false;
  }
}

const modernMessage = "HTTP+SSE serves clients that make a handshake: post this to the endpoint itself";

/** Path and query. Leading double slashes are reduced to one: they would name another host. */
function relative({ pathname, search }: URL): string {
  return pathname.replace(/^\/+/, "/") + search;
}

function messageEvent(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}

/** One client over HTTP+SSE (2024-11-05). The session lasts as long as its stream. */
class SseSession implements ServerChannel {
  readonly id = sessionId();
  /** The owner; messages of other principals get 404. */
  readonly principal: string;
  connection!: ServerConnection;
  readonly #sink: EventSink;
  readonly #environment: SseEnvironment;
  readonly #onEnd: (reason: SessionEnd) => void;
  /** Running requests, with the body bytes counted for each. */
  readonly #running = new Map<RequestId, number>();
  #reserved = 0;
  #over = false;
  /** By the clock. */
  readonly created: number;
  /** Time of the client's last message, by the clock. */
  lastSeen: number;
  /** The handshake is complete. */
  isOpen = false;
  /** Called when the handshake is complete. */
  whenOpen: (() => void) | undefined;

  get hidesErrors(): boolean {
    return isProduction();
  }

  /** @param opened the time at which its stream was opened, by the clock */
  constructor(
    {
      principal,
      sink,
      opened,
    }: { readonly principal: string; readonly sink: EventSink; readonly opened: number },
    environment: SseEnvironment,
    onEnd: (reason: SessionEnd) => void,
  ) {
    this.principal = principal;
    this.#sink = sink;
    this.#environment = environment;
    this.created = this.lastSeen = opened;
    this.#onEnd = onEnd;
  }

  /** Number of running requests. */
  get requests(): number {
    return this.#running.size;
  }

  /** The stream that answers a request, if the request is running. */
  streamOf(id: RequestId): EventSink | undefined {
    return this.#running.has(id) ? this.#sink : undefined;
  }

  /** Registers requests before they run. @param size characters of the request body */
  expect(ids: readonly RequestId[], size: number): void {
    const each = Math.ceil(size / Math.max(1, ids.length));
    for (const id of ids) {
      this.#running.set(id, each);
      countWork(this.#environment.quotas, this.principal, 1, each);
    }
  }

  flush(): void {}

  send(text: string): void {
    if (!this.#over) this.#sink.write(messageEvent(text));
  }

  answer(id: RequestId | undefined, text: string): void {
    this.dropAnswer(id);
    this.send(text);
    if (this.isOpen || !this.connection.session) return;
    this.isOpen = true;
    this.whenOpen?.();
  }

  dropAnswer(id: RequestId | undefined): void {
    const held = id === undefined ? undefined : this.#running.get(id);
    if (held === undefined) return;
    this.#running.delete(id!);
    countWork(this.#environment.quotas, this.principal, -1, -held);
  }

  reserve(bytes: number): boolean {
    const { quotas, makeRoom, counts } = this.#environment;
    while (quotas.sessions.admit(this.principal, bytes, 0)) {
      if (makeRoom(this.principal)) continue;
      counts.limitHit("limits.memory", this.principal);
      return false;
    }
    this.#reserved += bytes;
    return true;
  }

  abortedWork(more: number): void {
    this.#environment.quotas.work.take(this.principal, 0, more);
  }

  /** Ends the session: the client disconnected, or the server closes it. */
  end(reason: SessionEnd): void {
    if (this.#over) return;
    this.#over = true;
    for (const id of [...this.#running.keys()]) {
      this.#sink.write(messageEvent(errorText(id, endedError)));
      this.dropAnswer(id);
    }
    this.#onEnd(reason);
    this.connection.closed();
    this.#environment.quotas.sessions.release(this.principal, this.#reserved, 0);
    this.#sink.end();
  }

  async close(): Promise<void> {
    this.end("closed");
  }
}
