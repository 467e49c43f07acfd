// Servers: written in code, or from a contract.
export { createServer, type CodeFirstServer } from "./server/create-server.js";
export type { Mount, MountOptions } from "./server/mounts.js";
export type {
  ListedResource,
  PromptDefinition,
  PromptRegistration,
  Registration,
  ResourceDefinition,
  ResourceRegistration,
  TemplateDefinition,
  TemplateLister,
  TemplateRegistration,
  ToolDefinition,
  ToolRegistration,
} from "./server/definitions.js";
export {
  defineServer,
  defineToolServer,
  type Contract,
  type ContractHandlers,
  type DefineServerOptions,
  type ToolChecks,
} from "./server/define-server.js";
export { addToTools } from "./server/added-to-tools.js";
export { withDefaults, withoutNulls } from "./schema/arguments.js";
export { toolCheck } from "./schema/schema-check.js";
export { methodSchemas, type MethodSchemas, type SchemaReader } from "./schema/message-schema.js";
export type { Scopes, UncheckedArguments } from "./server/scopes.js";
export type { Server, ServerOptions, ServerStats } from "./server/server.js";
export type { ServerSession, SessionRequestOptions } from "./server/server-session.js";
export type {
  ErrorListener,
  ErrorPlace,
  NotificationContext,
  ServerCounts,
} from "./server/server-definition.js";
export {
  errorTable,
  experimentalErrors,
  type RefusalName,
  type RefusalOverride,
  type RefusalOverrides,
} from "./protocol/error-table.js";
export type { ErrorTable } from "./protocol/refusals.js";
export type { ConnectionOptions, ServerConnection } from "./server/connection.js";

// What handlers are given, and what they give.
export type { HandlerContext } from "./server/context.js";
// With the star, packages of extensions can add members to them.
export type * from "./server/added-members.js";
export type { Ask, AskOptions, AskedRequest, AskedResults, Elicited, Form, Page } from "./server/ask.js";
export type { StructuredAnswer, ToolAnswer, ToolHandler } from "./server/tools.js";
export {
  resourceNotFound,
  type ResourceAnswer,
  type ResourceHandler,
  type TemplateHandler,
} from "./server/resources.js";
export type { PromptAnswer, PromptHandler } from "./server/prompts.js";
export { isInsideRoots } from "./protocol/safe-urls.js";
export type { Completer, Completers } from "./server/completion.js";
export { memoryStateStore, type StateStore, type UsedState } from "./server/rounds.js";
export type { CacheHints } from "./server/server-definition.js";
export type { Change, NotificationBus } from "./server/changes.js";
export type { JsonSchema } from "./schema/schema-type.js";
export type { FromJsonSchema } from "./schema/inferred-type.js";
export type { InputOf, MessageSchema, OutputOf, ToolSchema } from "./schema/schema-type.js";
export type { StandardJsonSchema, StandardSchema } from "./schema/standard-schema.js";

// Around requests, on both roles.
export type {
  Middleware,
  Next,
  OtherMethod,
  MiddlewareContext,
  MiddlewareRequest,
} from "./protocol/hooks.js";
export type { ClientEvent, CommonEvent, ServerEvent } from "./protocol/events.js";
export type { ServerMiddleware, ServerMiddlewareRequest } from "./server/middleware.js";
export type { ClientMiddleware, ClientMiddlewareRequest } from "./client/middleware.js";

// Clients.
export { connect, type ConnectOptions, type Source } from "./connect/connect.js";
export type {
  Authorize,
  AuthorizeRequest,
  Authorizer,
  Challenge,
  HeaderValues,
} from "./http/client/http-client-options.js";
export type { ClientState } from "./client/connections.js";
export type { Client, ToolResult } from "./client/client.js";
export {
  userRejected,
  type AnswerContext,
  type ClientErrorListener,
  type ClientHandlers,
  type NotificationListener,
} from "./client/server-messages.js";
export type { BatchNotification, BatchRequest, BatchResults } from "./client/outgoing-batch.js";
export type { VendorHandler, VendorRequestOptions } from "./client/vendor-methods.js";
export type { ClientLimits } from "./client/client-profile.js";
export { UriTemplate, type TemplateValue } from "./protocol/uri-template.js";
export type { VariablesOf } from "./protocol/template-matcher.js";
export { displayName } from "./protocol/display-name.js";
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

export type { RequestOptions } from "@mcpgen/protocol/model";

// What both are made of.
export type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from "@mcpgen/protocol/authoring";
export type { Open } from "@mcpgen/protocol/open";
export { McpError, type ErrorCode } from "./jsonrpc/errors.js";
export type { Loss, LossListener } from "./protocol/revision-view.js";
export type { LogLevel } from "./protocol/meta.js";
export type { Channel, ClientChannel, ClientReceiver, Outgoing, Receiver } from "./jsonrpc/channel.js";
export type { Timeouts } from "./jsonrpc/pending.js";
export type { Clock } from "./time/clock.js";
export type { Params, RequestId } from "./jsonrpc/message.js";
export { memoryChannels } from "./jsonrpc/memory-channel.js";
