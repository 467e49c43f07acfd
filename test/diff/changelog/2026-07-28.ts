import type { Changelog } from "./changelog.js";

const sides = "from {client,server}";
const results =
  "{CallTool,Complete,GetPrompt,ListPrompts,ListResourceTemplates,ListResources,ListTools,ReadResource}Result";
const cacheable = "{ListPrompts,ListResourceTemplates,ListResources,ListTools,ReadResource}Result";
const retried = "{CallTool,GetPrompt,ReadResource}RequestParams";
const key = "io.modelcontextprotocol";

/** From the revision before 2026-07-28 to it. */
export const to20260728: Changelog = {
  named: [
    {
      says: "no handshake: each request says version and capabilities, results name the server",
      finds: [
        "request-removed initialize from client",
        "notification-removed notifications/initialized from client",
        `property-added-required RequestMetaObject.${key}/{clientCapabilities,protocolVersion}`,
        `property-added-optional RequestMetaObject.${key}/clientInfo`,
        `property-added-optional ResultMetaObject.${key}/serverInfo`,
        "property-became-required {CallTool,Complete,GetPrompt,Paginated,ReadResource}RequestParams._meta",
        "params-became-required {ListPrompts,ListResourceTemplates,ListResources,ListTools}Request.params",
        "error-added {UNSUPPORTED_PROTOCOL_VERSION,MISSING_REQUIRED_CLIENT_CAPABILITY}.code",
      ],
    },
    { says: "server/discover", finds: ["request-added server/discover from client"] },
    {
      says: "subscriptions/listen in place of subscribing to resources",
      finds: [
        "request-added subscriptions/listen from client",
        "request-removed resources/{subscribe,unsubscribe} from client",
        "notification-added notifications/subscriptions/acknowledged from server",
        `property-added-optional NotificationMetaObject.${key}/subscriptionId`,
      ],
    },
    {
      says: "no ping, no logging/setLevel, no news of roots; the level of the log travels with the request",
      finds: [
        `request-removed ping ${sides}`,
        "request-removed logging/setLevel from client",
        "notification-removed notifications/roots/list_changed from client",
        "property-removed ClientCapabilities.roots.listChanged",
        `property-added-optional RequestMetaObject.${key}/logLevel`,
      ],
    },
    {
      says: "tasks become an extension",
      finds: [
        `request-removed tasks/{cancel,get,list,result} ${sides}`,
        `notification-removed notifications/tasks/status ${sides}`,
        "result-alternative-removed {elicitation/create,sampling/createMessage} from server",
        "result-alternative-removed tools/call from client",
        "property-removed {CallToolRequest,CreateMessageRequest,ElicitRequestForm,ElicitRequestURL}Params.task",
        "property-removed {ClientCapabilities.tasks,ServerCapabilities.tasks,Tool.execution}",
      ],
    },
    {
      says: "servers ask in results, clients answer in a retry",
      finds: [
        "method-demoted-to-payload {elicitation/create,roots/list,sampling/createMessage} from server",
        "result-alternative-added {prompts/get,resources/read,tools/call} from client",
        `property-added-optional ${retried}.{inputResponses,requestState}`,
      ],
    },
    {
      says: "every result says its type",
      finds: [`property-added-required ${results}.resultType`, "property-added-required Result.resultType"],
    },
    {
      says: "extensions",
      finds: ["property-added-optional {ClientCapabilities,ServerCapabilities}.extensions"],
    },
    { says: "results may be cached", finds: [`property-added-required ${cacheable}.{ttlMs,cacheScope}`] },
    {
      says: "another code for resources that are not found",
      finds: ["error-removed RESOURCE_NOT_FOUND.code"],
    },
    {
      says: "any JSON Schema for tools, any JSON value as their structured output",
      finds: [
        "property-removed Tool.{inputSchema,outputSchema}.{properties,required}",
        "property-removed Tool.outputSchema.type",
        "type-widened {CallToolResult,ToolResultContent}.structuredContent",
      ],
    },
    {
      says: "no notification reports that an elicitation by URL is complete",
      finds: [
        "notification-removed notifications/elicitation/complete from server",
        "property-removed ElicitRequestURLParams.elicitationId",
        "error-removed URL_ELICITATION_REQUIRED.code",
      ],
    },
    { says: "headers that do not match are an error", finds: ["error-added HEADER_MISMATCH.code"] },
    {
      says: "roots, sampling and logging are deprecated",
      finds: [
        "deprecated-added ClientCapabilities.{roots,sampling}",
        "deprecated-added ServerCapabilities.logging",
        "deprecated-added CreateMessage{Request,RequestParams,RequestParams.includeContext,Result}",
        "deprecated-added ListRoots{Request,Result}",
        "deprecated-added {LoggingLevel,LoggingMessageNotification,LoggingMessageNotificationParams,Root}",
        "deprecated-added {ModelHint,ModelPreferences,SamplingMessage,SamplingMessageContentBlock,ToolChoice}",
        "deprecated-added {notifications/message,roots/list,sampling/createMessage} from server",
      ],
    },
    {
      says: "limits and defaults of numbers are numbers (the file of the older revision was mended, too)",
      finds: [],
    },
  ],
  unseen: [
    "no sessions",
    "no resumable streams",
    "trace context",
    "the order of tools",
    "headers of requests",
    "iss in answers of authorization servers",
    "application_type in registration",
    "credentials belong to an issuer",
    "HTTP+SSE and dynamic registration are deprecated",
  ],
  unnamed: [
    {
      says: "a cancellation names its request again",
      finds: ["property-became-required CancelledNotificationParams.requestId"],
    },
    {
      says: "only servers report progress",
      finds: ["notification-direction-removed notifications/progress from client"],
    },
    {
      says: "no more than 100 completions",
      finds: ["bound-tightened CompleteResult.completion.values"],
    },
    {
      says: "input requests and their responses have no _meta",
      finds: [
        "property-removed {CreateMessageRequest,ElicitRequestForm,ElicitRequestURL}Params._meta",
        "property-removed {ElicitResult,ListRootsResult}._meta",
        "property-removed RequestParams._meta.progressToken",
        "error-removed USER_REJECTED.code",
      ],
    },
  ],
};
