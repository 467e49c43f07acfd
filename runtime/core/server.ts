// Everything for servers, without the code of clients. Imports on demand are avoided: bundlers that write one file wrap
// every module behind such an import.

// Servers: written in code, or from a contract.
export { createServer, defineServer, defineToolServer } from "./legacy/server/servers.js";
export type { CodeFirstServer } from "./server/create-server.js";
export type { Mount, MountOptions } from "./server/offers.js";
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
export type { Contract, ContractHandlers, DefineServerOptions, ToolChecks } from "./server/define-server.js";
export { addToTools } from "./server/registration.js";
export { withDefaults, withoutNulls } from "./schema/arguments.js";
export { methodSchemas, toolCheck, type MethodSchemas, type SchemaReader } from "./schema/schema-check.js";
export type { Scopes, ToolDescriber, UncheckedArguments } from "./server/listing.js";
export type {
  ErrorOptions,
  ListsOptions,
  Server,
  ServerOptions,
  ServerStats,
  StateOptions,
  ValidationOptions,
} from "./server/server.js";
export type {
  ServerSession,
  SessionRequestOptions,
  NotificationContext,
  Ask,
  AskOptions,
  AskedRequest,
  AskedResults,
  Elicited,
  Form,
  Page,
  HandlerContext,
  InputRequired,
} from "./server/context.js";
export type { ErrorPlace, ServerCounts, CacheHints } from "./server/server-definition.js";
export {
  errorTable,
  experimentalErrors,
  type RefusalName,
  type RefusalOverride,
  type RefusalOverrides,
} from "./protocol/error-table.js";
export type { ConnectionOptions, ServerConnection } from "./server/connection.js";

// Parameters and return values of handlers. The star lets packages of extensions add members to these interfaces.
export type * from "./server/added-members.js";
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
export type { Change, NotificationBus } from "./server/server-definition.js";
export type { FromJsonSchema } from "@mcpgen/engine/interpreter";
export type {
  InputOf,
  JsonSchema,
  MessageSchema,
  OutputOf,
  StandardJsonSchema,
  StandardSchema,
  ToolSchema,
} from "./schema/schema-type.js";

// Middleware and events of both roles.
export type {
  Middleware,
  Next,
  OtherMethod,
  MiddlewareContext,
  MiddlewareRequest,
} from "./protocol/hooks.js";
export type { ClientEvent, CommonEvent, ServerEvent } from "./protocol/events.js";
export type { ServerMiddleware, ServerMiddlewareRequest } from "./server/middleware.js";

// Also exported for clients.
export type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from "@mcpgen/protocol/authoring";
export type { Represented, RequestOptions } from "@mcpgen/protocol/model";
export type { Open } from "@mcpgen/protocol/open";
export { type ErrorCode, McpError } from "@mcpgen/base";
export type { ErrorTable, KnownRevisions, Loss, ServerRevisions } from "./protocol/revision-view.js";
export type { LogLevel } from "./protocol/meta.js";
export type { Channel, ClientChannel, ClientReceiver, Outgoing, Receiver } from "@mcpgen/base";
export type { Timeouts } from "@mcpgen/base";
export type { Clock } from "@mcpgen/base";
export type { Params, RequestId } from "@mcpgen/base";
export { memoryChannels } from "@mcpgen/base";
