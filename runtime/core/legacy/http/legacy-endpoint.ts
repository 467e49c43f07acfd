import { McpError } from "@mcpgen/base";
import type { ServerConnection } from "../../server/connection.js";
import type { Server } from "../../server/server.js";
import { type Posted, corsHeaders } from "../../http/server/access.js";
import { Endpoint, type EndpointParts, type LegacyRequests } from "../../http/server/endpoint.js";
import { eventHeaders, eventText } from "../../http/server/event-streams.js";
import { checkEndpointOptions } from "../../http/server/endpoint-options.js";
import type { Principal, Exchange } from "../../http/server/exchange.js";
import type { HttpSessions } from "../../http/server/http-stats.js";
import { MemoryEventStore } from "./event-store.js";
import { type HttpOptions, httpRules, sessionOptions } from "./http-options.js";
import type { ClusterNode } from "./session-cluster.js";
import { SessionReports } from "./session-reports.js";
import { SessionRequests, StatelessRequests } from "./session-requests.js";
import { Sessions } from "./sessions.js";
import { SseRequests, sseSessionOf } from "./sse.js";
import { StreamExpiry } from "./stream-expiry.js";
import { withoutCalls } from "./stream-rights.js";

/** An endpoint for the revisions of both eras. @throws {McpError} `invalid-definition` */
export function endpointOf(server: Server, options: HttpOptions = {}): Endpoint {
  return new Endpoint(server, options, (endpoint) => new LegacyEndpoint(options, endpoint));
}

/** Like `endpointOf`, but validates the options first. @throws {McpError} `invalid-definition` */
export function checkedEndpoint(server: Server, options: HttpOptions = {}): Endpoint {
  checkEndpointOptions(options, httpRules);
  return endpointOf(server, options);
}

/** The legacy requests of one endpoint. */
class LegacyEndpoint implements LegacyRequests {
  readonly #options: HttpOptions;
  readonly #endpoint: EndpointParts;
  readonly #reports: SessionReports;
  readonly #sessions: Sessions | undefined;
  readonly #stateful: SessionRequests | undefined;
  readonly #stateless: StatelessRequests | undefined;
  readonly #sse: SseRequests | undefined;
  node: ClusterNode | undefined;
  readonly olderSession: LegacyRequests["olderSession"];

  constructor(options: HttpOptions, endpoint: EndpointParts) {
    this.#options = options;
    this.#endpoint = endpoint;
    const { server, form, streams, quotas, counts } = endpoint;
    const { legacy, clock } = server.definition;
    this.#reports = new SessionReports(clock, counts.sessions, sessionOptions(options).onSession);
    if (options.sessions === false)
      this.#stateless = new StatelessRequests(server, legacy, { form, streams, quotas });
    else [this.#sessions, this.#stateful] = this.#makeSessions();
    this.#sse = this.#makeSse();
    this.olderSession = this.#sse && sseSessionOf;
  }

  #makeSessions(): [Sessions, SessionRequests] {
    const { server, form, streams, quotas, counts, warn, fail } = this.#endpoint;
    const { clock, legacy } = server.definition;
    const given = sessionOptions(this.#options);
    const cluster = this.#join();
    const events = cluster?.events ?? this.#options.events ?? new MemoryEventStore();
    const expiry = new StreamExpiry(clock);
    const environment = { events, clock, streams, expiry, quotas, counts, warn, cluster };
    const sessions = new Sessions(environment, given, this.#reports);
    return [sessions, new SessionRequests(server, legacy, { sessions, events, form, fail })];
  }

  /** @throws {McpError} `invalid-definition`: a cluster without a session store, or with an event store */
  #join(): ClusterNode | undefined {
    const { cluster, events } = this.#options;
    const { store } = sessionOptions(this.#options);
    if (!cluster) return undefined;
    if (!store || events)
      throw new McpError(
        "invalid-definition",
        events ? "cluster takes the place of events" : "cluster needs sessions.store, or sealedSessions",
      );
    return (this.node = cluster.join(this.#endpoint, {
      end: (session) => this.#sessions!.end(session, "ended"),
      openStream: (exchange) => exchange.openStream(200, { ...eventHeaders, ...corsHeaders(exchange) }),
      eventText,
      nameOf: withoutCalls,
      lifeMs: store.lifeMs,
    }));
  }

  /** @throws {McpError} `invalid-definition`: `sse` without sessions */
  #makeSse(): SseRequests | undefined {
    const { sse = false, sessions = true } = this.#options;
    if (sse === false) return undefined;
    if (sessions === false)
      throw new McpError("invalid-definition", "HTTP+SSE (sse) needs what `sessions: false` turns off");
    const { server, streams, quotas, counts } = this.#endpoint;
    const reports = this.#reports;
    const makeRoom = (principal: string): boolean => this.#sessions!.makeRoom(principal);
    const environment = { streams, quotas, makeRoom, reports, counts };
    return new SseRequests(server, sse === true ? {} : sse, environment);
  }

  get size(): number {
    return (this.#sessions?.size ?? 0) + (this.#sse?.size ?? 0);
  }

  get sessions(): HttpSessions {
    const stateful = this.#sessions;
    const sse = this.#sse;
    const reports = this.#reports;
    return {
      get size() {
        return [...(stateful ?? []), ...(sse ?? [])].length;
      },
      get: (id) => {
        const session = stateful?.byId(id) ?? sse?.byId(id);
        return session && reports.infoOf(session);
      },
      end: async (id) => sse?.endById(id) || (await stateful?.endById(id)) || false,
      *[Symbol.iterator]() {
        for (const session of [...(stateful ?? []), ...(sse ?? [])]) yield reports.infoOf(session);
      },
    };
  }

  get connections(): ServerConnection[] {
    return [this.#sessions, this.#sse].flatMap((each) => each?.connections ?? []);
  }

  post(posted: Posted): void {
    (this.#stateful ?? this.#stateless)!.post(posted);
  }

  postOlder(posted: Posted, session: string, stated: boolean): void {
    this.#sse!.post(posted, session, stated);
  }

  take(exchange: Exchange, principal: Principal, isModern: boolean): string | undefined {
    const { method } = exchange;
    const named = exchange.header("mcp-session-id") !== undefined;
    if (method === "GET" && this.#sse && !named) return void this.#sse.open(exchange, principal);
    // Modern revisions have no sessions (2026-07-28, Streamable HTTP, earlier revisions).
    const sessions = isModern ? undefined : this.#stateful;
    // Without a session, a GET stream would never carry a message.
    if (method === "GET" && sessions && named) return void sessions.get(exchange, principal);
    if (method === "DELETE" && sessions) return void sessions.delete(exchange, principal);
    if (!sessions) return "POST";
    return method === "GET" ? "POST, DELETE" : "POST, GET, DELETE";
  }

  async close(): Promise<void> {
    await Promise.all([this.#sessions?.close(), this.#sse?.close()]);
  }
}
