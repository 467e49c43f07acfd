export * from "./server.js";

// Clients.
export { connect } from "./legacy/client/connect.js";
export type {
  ClientErrors,
  ClientValidation,
  ConnectOptions,
  ConnectTimeouts,
  Source,
} from "./connect/connect.js";
export type {
  Authorize,
  AuthorizeRequest,
  Authorizer,
  Challenge,
} from "./http/client/http-client-options.js";
export type { HeaderValues } from "@mcpgen/base";
export type { ClientState } from "./client/connections.js";
export type { BatchNotification, BatchRequest, BatchResults, Client, ToolResult } from "./client/client.js";
export {
  userRejected,
  type ClientHandlers,
  type ElicitationHandlers,
  type SamplingHandler,
} from "./client/handlers.js";
export type { VendorHandler, VendorRequestOptions } from "./client/vendor-methods.js";
export type { OnDrift, PinnedContract } from "./client/pins.js";
export type { Drift, DriftClass } from "./protocol/events.js";
export type { ConnectLimits } from "./client/client-profile.js";
export { UriTemplate } from "./protocol/templates.js";
export type { TemplateValue, VariablesOf } from "@mcpgen/engine/uri-template";
export { displayName } from "./protocol/safe-urls.js";
export { pageProblem, safeIcons } from "./protocol/safe-urls.js";
export type { Rejected } from "./client/decode.js";
export type { ListBounds, ListResult } from "./client/lists.js";
export {
  bindContract,
  type Complete,
  type ContentCheck,
  type ContractMethods,
  type StructuredOutcome,
  type ToolFailure,
  type ToolOutcome,
} from "./client/bind-contract.js";
export type { ChangeNotice, Subscription, SubscriptionRequest } from "./client/subscriptions.js";
export type {
  AnswerContext,
  NotificationListener,
  OriginatingRequest,
  ClientMiddleware,
  ClientMiddlewareRequest,
} from "./client/middleware.js";
