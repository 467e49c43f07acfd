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
} from "./jsonrpc/errors.js";
export * as rpc from "./jsonrpc/rpc-codes.js";
export { longestName, longestText, shortened, visible } from "./jsonrpc/foreign-text.js";
export {
  classify,
  errorText,
  isObject,
  isPromise,
  isRequestId,
  notificationOf,
  requestOf,
  resultText,
  type Message,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
} from "./jsonrpc/message.js";
export { checkChannel, type AnyChannel } from "./jsonrpc/channel.js";
export { JsonRpcPeer, type MessageTaker, progressOf, takeMessage } from "./jsonrpc/peer.js";
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
export {
  type Rules,
  checkOptions,
  gone,
  invalid,
  suggestion,
  withFunctions,
} from "./options/option-check.js";
export { type Members, jsonOr, malformedMember, withoutNulls } from "./protocol/members.js";
export type { InternalContext, Peer, Surrounding } from "./protocol/hooks.js";
export { nullReader } from "./protocol/events.js";
export { sendError, wrongPlace } from "./protocol/revision-view.js";
export { locateIssue } from "./schema/locate.js";
export { refusal } from "./protocol/error-table.js";
export { type RevisionView, declares } from "./protocol/revision-view.js";
export { Admission, type Amounts, type Quota, type Refusal } from "./admission/admission.js";
export { BoundedMap } from "./admission/bounded-map.js";
export { Turns } from "./admission/turns.js";
export { Breaker } from "./time/breaker.js";
export { abortable, longestWait, systemClock, unref, wallTimeOf, withTimeout } from "./time/clock.js";
export { attempts, growing, waitAsked } from "./time/retry.js";
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
export { mostReserved, weightOf } from "./jsonrpc/json-limits.js";
export { isLogLevel, metaKeys } from "./protocol/meta.js";
