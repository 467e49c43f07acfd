import type { Changelog } from "./changelog.js";

const enumSchemas =
  "{TitledMultiSelectEnumSchema,TitledSingleSelectEnumSchema,UntitledMultiSelectEnumSchema,UntitledSingleSelectEnumSchema}";
const sampled = "{CreateMessageResult,SamplingMessage}.content";
const sides = "from {client,server}";

/** From the revision before 2025-11-25 to it. */
export const to20251125: Changelog = {
  named: [
    {
      says: "icons",
      finds: [
        "property-added-optional {Implementation,Prompt,Resource,ResourceLink,ResourceTemplate,Tool}.icons",
      ],
    },
    {
      says: "enums in elicitation: titled or not, one or several choices",
      finds: [
        `union-member-added PrimitiveSchemaDefinition (${enumSchemas})`,
        "map-value-widened ElicitResult.content{}",
      ],
    },
    {
      says: "elicitation by URL",
      finds: [
        "became-union ElicitRequestParams",
        "property-added-optional ElicitRequestFormParams.mode",
        "property-added-optional ClientCapabilities.elicitation.{form,url}",
        "notification-added notifications/elicitation/complete from server",
        "error-added URL_ELICITATION_REQUIRED.code",
      ],
    },
    {
      says: "sampling with tools",
      finds: [
        "property-added-optional CreateMessageRequestParams.{tools,toolChoice}",
        "property-added-optional ClientCapabilities.sampling.{context,tools}",
        `union-member-added ${sampled} ({ToolResultContent,ToolUseContent,SamplingMessageContentBlock[]})`,
      ],
    },
    {
      says: "tasks",
      finds: [
        `request-added tasks/{cancel,get,list,result} ${sides}`,
        `notification-added notifications/tasks/status ${sides}`,
        "result-alternative-added {elicitation/create,sampling/createMessage} from server",
        "result-alternative-added tools/call from client",
        "property-added-optional {CallToolRequestParams,CreateMessageRequestParams,ElicitRequestFormParams}.task",
        "property-added-optional {ClientCapabilities.tasks,ServerCapabilities.tasks,Tool.execution}",
      ],
    },
    {
      says: "implementations describe themselves",
      finds: ["property-added-optional Implementation.description"],
    },
    {
      says: "defaults in elicitation",
      finds: ["property-added-optional {LegacyTitledEnumSchema,NumberSchema,StringSchema}.default"],
    },
    {
      says: "JSON Schema 2020-12",
      finds: [
        "dialect-changed $schema",
        "property-added-optional {Tool.inputSchema,Tool.outputSchema,ElicitRequestFormParams.requestedSchema}.$schema",
      ],
    },
    { says: "params have separate definitions", finds: [] },
  ],
  unseen: [
    "OpenID Connect discovery",
    "incremental scopes",
    "names of tools",
    "Client ID Metadata Documents",
    "logging to stderr",
    "403 for a bad Origin",
    "security best practices",
    "invalid input is an error of the tool",
    "polling of SSE streams (twice)",
    "WWW-Authenticate is optional",
  ],
  unnamed: [
    {
      says: "a cancellation need not name a request (tasks are cancelled otherwise)",
      finds: ["property-became-optional CancelledNotificationParams.requestId"],
    },
    { says: "an error need not name a request", finds: ["property-became-optional JSONRPCError.id"] },
    { says: "implementations have a website", finds: ["property-added-optional Implementation.websiteUrl"] },
    {
      says: "params and sampled messages declare _meta",
      finds: [
        "property-added-optional {CallTool,Complete,CreateMessage,GetPrompt,Initialize,Paginated}RequestParams._meta",
        "property-added-optional {ReadResource,SetLevel,Subscribe,Unsubscribe}RequestParams._meta",
        "property-added-optional ElicitRequestFormParams._meta",
        "property-added-optional {Cancelled,LoggingMessage,Progress,ResourceUpdated}NotificationParams._meta",
        "property-added-optional SamplingMessage._meta",
      ],
    },
  ],
};
