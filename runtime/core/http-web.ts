// Servers on platforms that use `Request` and `Response`. Nothing here loads a module of Node: the `workerd` and
// `browser` conditions of the package choose it in place of `http`.
export type { PermitCall, Denial, Principal } from "./http/server/exchange.js";
export type { HttpHandler } from "./http/server/fetch-http.js";
import { type HttpHandler, withoutParking } from "./http/server/fetch-http.js";
import { createHttpHandler as handlerOf } from "./legacy/http/fetch-handler.js";
import type { HttpOptions } from "./legacy/http/http-options.js";
import type { Server } from "./server/server.js";

/**
 * Like `createHttpHandler` elsewhere; on these platforms, no call waits for answers of its client unless `state.parking` is
 * given.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function createHttpHandler(server: Server, options?: HttpOptions): HttpHandler {
  return handlerOf(withoutParking(server), options);
}

export type { HttpOptions, SessionEvent, SessionOptions, SseOptions } from "./legacy/http/http-options.js";
export type { HttpLimits } from "./http/server/limits.js";
export type { HttpRoute } from "./http/server/endpoint-options.js";
export type { Permit } from "./http/server/permit.js";
export { guardRequest, type GuardOptions, type Refusal } from "./http/server/access.js";
export type { HttpSessions, SessionEnd, SessionInfo } from "./http/server/http-stats.js";
export type { HttpCounters, HttpGauges, HttpStats, LimitName } from "./http/server/http-stats.js";
export {
  MemorySessionStore,
  type NewSession,
  type SessionStore,
  type StoredSession,
} from "./legacy/http/session-store.js";
export type { SessionCluster } from "./legacy/http/session-cluster.js";
export {
  MemoryEventStore,
  type EventStore,
  type MissedEvents,
  type StoredEvent,
} from "./legacy/http/event-store.js";

// For gateways: which headers a server's clients send, and what tools declare.
export { requestHeaders } from "./http/server/access.js";
export { paramHeadersOf, type ParamHeader, type ParamHeaders } from "./protocol/param-headers.js";
