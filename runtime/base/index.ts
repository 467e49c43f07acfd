// The foundation of the runtime and of its extension packages, independent of revisions, roles and transports.

// JSON-RPC 2.0: messages, errors, both ends of a connection, the channel that transports implement.
export {
  batchesUnsupported,
  classify,
  errorText,
  idOf,
  isObject,
  isPromise,
  isRequest,
  isRequestId,
  isResponse,
  isSameId,
  notificationOf,
  notificationText,
  requestOf,
  requestText,
  resultText,
  sortedText,
  valueAt,
  withProgressToken,
  withoutNullId,
  type ErrorObject,
  type Message,
  type MessageKind,
  type NotificationMessage,
  type Params,
  type Problem,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from "./jsonrpc/message.js";
export {
  McpError,
  asRemote,
  errorObjectOf,
  isReserved,
  harmless,
  insufficientScopeCode,
  internalError,
  interrupted,
  invalidParams,
  invalidRequest,
  isInterrupted,
  isMcpError,
  messageOf,
  parseError,
  printError,
  printWarning,
  rateLimitedCode,
  stored,
  timeLimitCode,
  type ErrorCode,
} from "./jsonrpc/errors.js";
export {
  JsonRpcPeer,
  afterTurn,
  progressOf,
  takeMessage,
  takeParsed,
  type MessageTaker,
} from "./jsonrpc/peer.js";
export {
  type Asked,
  type ParkedCall,
  Parking,
  type Judge,
  type Judged,
  type Outcome,
  type ParkingLimits,
  type ParkingOption,
  type Waiting,
} from "./jsonrpc/parking.js";
export {
  identityOf,
  lost,
  type LostCause,
  ofOtherRequest,
  refusedState,
  type Round,
  stateUsed,
} from "./jsonrpc/round-state.js";
export { Pending, defaultTimeouts, type Timeouts } from "./jsonrpc/pending.js";
export {
  batchText,
  checkChannel,
  clientChannelOf,
  isClientChannel,
  type AnyChannel,
  type Channel,
  type ClientChannel,
  type ClientReceiver,
  type Opener,
  type Outgoing,
  type Receiver,
  type ServerChannel,
} from "./jsonrpc/channel.js";
export { memoryChannels } from "./jsonrpc/memory-channel.js";
export { mostLevels, mostReserved, weightOf } from "./jsonrpc/json-limits.js";

// Shortens texts of the peer for errors and logs.
export { longestName, longestText, shortText, shortened, visible } from "./jsonrpc/foreign-text.js";

// Checks of options, and of members of documents, by name.
export {
  checkOptions,
  gone,
  invalid,
  listLike,
  listOfExtensions,
  numberFrom,
  optionFault,
  orObject,
  requireFunction,
  requireKnown,
  secrets,
  suggestion,
  text,
  texts,
  valueFault,
  withFunctions,
  withGone,
  type Names,
  type OptionFault,
  type OwnRules,
  type Rule,
  type Rules,
} from "./options/option-check.js";
export { checkExtensionIds } from "./options/extension-ids.js";
export { type HeaderValues, requestHeaders, setHeaders } from "./options/headers.js";
export { jsonOr, malformedMember, withoutNulls, type Members } from "./options/members.js";

// Bounds in number and bytes, with a fair share for each principal.
export { Admission, type Amounts, type Quota, type Refusal } from "./admission/admission.js";
export { BoundedMap } from "./admission/bounded-map.js";
export { Turns } from "./admission/turns.js";

// The clock, time limits, attempts and the waits between them.
export {
  Aborts,
  abortable,
  longestWait,
  settleWithin,
  systemClock,
  unref,
  wallTimeOf,
  withTimeout,
  type Clock,
} from "./time/clock.js";
export { attempts, growing, waitAsked, type Pace } from "./time/retry.js";
export { Breaker } from "./time/breaker.js";
export { Ticker } from "./time/ticker.js";

export { isProduction } from "./platform/production.js";
// Types that the platform declares.
export type * as platform from "./platform/platform.js";
export { nearest } from "@mcpgen/engine/explain";
