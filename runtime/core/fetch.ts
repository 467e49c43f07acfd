// Servers on platforms that speak in `Request` and `Response`: workers, Bun, Deno. Nothing here loads a module of Node.
export { createHttpHandler, type HttpHandler } from "./http/fetch-http.js";
export type { HttpOptions } from "./http/http-options.js";
export type { Denial, Principal } from "./http/principal.js";
export type { GuardOptions } from "./http/guard.js";
export type { SessionLimits } from "./http/sessions.js";
export type { SseOptions } from "./http/sse-requests.js";
export { MemoryEventStore, type EventStore, type StoredEvent } from "./http/events.js";

// For gateways: which headers a server's clients send, and what tools declare.
export { requestHeaders } from "./http/preflight.js";
export { paramHeadersOf, type ParamHeader, type ParamHeaders } from "./http/param-headers.js";
