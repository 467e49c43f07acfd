// Hooks for packages that implement an extension or wrap requests. docs/extensions.md has a row for each.

// Requests of both roles.
export { RequestContext } from "./server/request.js";
export { ServerRequest, type RequestAgain, type StoredRequest } from "./extending/server-request.js";
export { ExtendedClient, ServerQuestion } from "./extending/extended-client.js";
export { type Alternative, expectAlternative } from "./client/middleware.js";
export { makesCall, type InnerCall } from "./http/server/permit.js";

// Middleware.
export type { Asked } from "@mcpgen/base";
export { type Rounds, isSuspended } from "./server/rounds.js";
export { placeOf } from "./server/server-definition.js";
export { refusal } from "./protocol/error-table.js";
export type { InternalContext, Peer, Surrounding } from "./protocol/hooks.js";
export type { RevisionView } from "./protocol/revision-view.js";

// Messages outside of the protocol.
export { readOpenly, type OpenReading } from "./extending/open-reading.js";
export { wrongPlace } from "./protocol/revision-view.js";

// Sessions over HTTP that several processes share.
export { MemoryEventStore, type EventStore, type MissedEvents } from "./legacy/http/event-store.js";
export type { ClusterRefusal, ClusterSession, HttpSession } from "./legacy/http/session.js";
export type { ClusterNode, ClusterSessions, SessionCluster } from "./legacy/http/session-cluster.js";
export type { EventSink, Exchange } from "./http/server/exchange.js";
export type { ClusterEndpoint, HttpRoute } from "./http/server/endpoint-options.js";
export type { SessionOptions } from "./legacy/http/http-options.js";
export type { NewSession, SessionStore, StoredSession } from "./legacy/http/session-store.js";
