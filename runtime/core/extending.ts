// For packages that give an extension its behaviour.
export { RequestContext, modernServer } from "./server/request.js";
export { ServerConnection } from "./server/connection.js";
export { liftedAnswer, missingCapability } from "./server/ask.js";
export { SerialisedResult, placeOf, type RequestProtocol } from "./server/server-definition.js";
export { scopesOfCall } from "./http/server/permit.js";
export { makesCall, type InnerCall } from "./http/server/permit.js";
export { type Alternative, expectAlternative } from "./client/middleware.js";
export {
  harmless,
  insufficientScopeCode,
  isMcpError,
  messageOf,
  printError,
  rateLimitedCode,
  timeLimitCode,
} from "@mcpgen/base";
export * as rpc from "@mcpgen/base/rpc-codes";
export { longestName, longestText, shortened, visible } from "@mcpgen/base";
export {
  classify,
  errorText,
  isObject,
  isPromise,
  isRequestId,
  type Message,
  type NotificationMessage,
  notificationOf,
  type RequestMessage,
  requestOf,
  type ResponseMessage,
  resultText,
} from "@mcpgen/base";
export { type AnyChannel, checkChannel } from "@mcpgen/base";
export { JsonRpcPeer, type MessageTaker, progressOf, takeMessage } from "@mcpgen/base";
export {
  answerError,
  answersFor,
  asReady,
  canRequest,
  clockOfClient,
  endpointOf,
  functionsOf,
  hasServerRequest,
  loweredAnswer,
  outlast,
  resultAs,
  stopAnswer,
} from "./client/answering.js";
export { type Asked, type Rounds, isSuspended } from "./server/rounds.js";
export { checkOptions, gone, invalid, type Rules, suggestion, withFunctions } from "@mcpgen/base";
export { jsonOr, malformedMember, type Members, withoutNulls } from "@mcpgen/base";
export type { InternalContext, Peer, Surrounding } from "./protocol/hooks.js";
export { nullReader } from "./protocol/events.js";
export { sendError, wrongPlace } from "./protocol/revision-view.js";
export { locateIssue } from "./schema/locate.js";
export { refusal } from "./protocol/error-table.js";
export { type RevisionView, declares } from "./protocol/revision-view.js";
export { Admission, type Amounts, type Quota, type Refusal } from "@mcpgen/base";
export { BoundedMap } from "@mcpgen/base";
export { Turns } from "@mcpgen/base";
export { Breaker } from "@mcpgen/base";
export { abortable, longestWait, systemClock, unref, wallTimeOf, withTimeout } from "@mcpgen/base";
export { attempts, growing, waitAsked } from "@mcpgen/base";
export { corsHeaders } from "./http/server/access.js";
export { eventHeaders, eventText } from "./http/server/event-streams.js";
export type { EventSink, Exchange } from "./http/server/exchange.js";
export type { ClusterRefusal, ClusterSession, HttpSession } from "./legacy/http/session.js";
export type { ClusterEndpoint, ClusterNode, SessionCluster } from "./legacy/http/session-cluster.js";
export type { HttpRoute } from "./http/server/endpoint-options.js";
export { MemoryEventStore, type EventStore, type MissedEvents } from "./legacy/http/event-store.js";
export type { SessionOptions } from "./legacy/http/http-options.js";
export type { NewSession, SessionStore, StoredSession } from "./legacy/http/session-store.js";
export { stored } from "./legacy/http/sessions.js";
export { withoutCalls } from "./legacy/http/stream-rights.js";
export { mostReserved, weightOf } from "@mcpgen/base";
export { isLogLevel, metaKeys } from "./protocol/meta.js";
