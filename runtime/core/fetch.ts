// Servers on platforms that speak in `Request` and `Response`: workers, Bun, Deno. Nothing here loads a module of Node.
export { createHttpHandler, type HttpHandler } from "./http/server/fetch-http.js";
export type { HttpOptions } from "./http/server/http-options.js";
export type { HttpRoute } from "./http/server/routes.js";
export type { Permit, PermitCall } from "./http/server/permit.js";
export type { Denial, Principal } from "./http/server/access.js";
export { guardRequest, type GuardOptions, type Refusal } from "./http/server/access.js";
export type { SessionLimits, SessionOptions } from "./http/server/sessions.js";
export type { HttpSessions, SessionEnd, SessionEvent, SessionInfo } from "./http/server/session-reports.js";
export type { HttpCounters, HttpGauges, HttpStats, LimitName } from "./http/server/http-stats.js";
export {
  MemorySessionStore,
  type NewSession,
  type SessionStore,
  type StoredSession,
} from "./http/server/session-store.js";
export type { SessionCluster } from "./http/server/session-cluster.js";
export type { SseOptions } from "./http/server/sse.js";
export {
  MemoryEventStore,
  type EventStore,
  type MissedEvents,
  type StoredEvent,
} from "./http/server/event-streams.js";

// For gateways: which headers a server's clients send, and what tools declare.
export { requestHeaders } from "./http/server/preflight.js";
export { paramHeadersOf, type ParamHeader, type ParamHeaders } from "./protocol/param-headers.js";
