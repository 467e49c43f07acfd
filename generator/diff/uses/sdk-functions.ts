import type { Role } from "../../model/model.js";

/** The work of a function of an official SDK's clients or servers. */
export interface SdkFunction {
  /** Methods of the protocol that it sends or, where it registers something, answers. */
  readonly methods: readonly string[];
  /** The side that calls it; absent where both do. */
  readonly side?: Role;
}

const of = (side: Role | undefined, ...methods: string[]): SdkFunction => ({
  methods,
  ...(side && { side }),
});

/** Functions of `Client`, `Server` and `McpServer`, of versions 1 and 2, by name. */
export const sdkFunctions: ReadonlyMap<string, SdkFunction> = new Map([
  ["ping", of(undefined, "ping")],
  ["callTool", of("client", "tools/call")],
  ["callToolStream", of("client", "tools/call")],
  ["listTools", of("client", "tools/list")],
  ["getPrompt", of("client", "prompts/get")],
  ["listPrompts", of("client", "prompts/list")],
  ["readResource", of("client", "resources/read")],
  ["listResources", of("client", "resources/list")],
  ["listResourceTemplates", of("client", "resources/templates/list")],
  ["subscribeResource", of("client", "resources/subscribe")],
  ["unsubscribeResource", of("client", "resources/unsubscribe")],
  ["complete", of("client", "completion/complete")],
  ["setLoggingLevel", of("client", "logging/setLevel")],
  ["sendRootsListChanged", of("client", "notifications/roots/list_changed")],
  ["createMessage", of("server", "sampling/createMessage")],
  ["elicitInput", of("server", "elicitation/create")],
  ["listRoots", of("server", "roots/list")],
  ["sendLoggingMessage", of("server", "notifications/message")],
  ["sendResourceUpdated", of("server", "notifications/resources/updated")],
  ["sendResourceListChanged", of("server", "notifications/resources/list_changed")],
  ["sendToolListChanged", of("server", "notifications/tools/list_changed")],
  ["sendPromptListChanged", of("server", "notifications/prompts/list_changed")],
  ["tool", of("server", "tools/call", "tools/list")],
  ["registerTool", of("server", "tools/call", "tools/list")],
  ["prompt", of("server", "prompts/get", "prompts/list")],
  ["registerPrompt", of("server", "prompts/get", "prompts/list")],
  ["resource", of("server", "resources/read", "resources/list")],
  ["registerResource", of("server", "resources/read", "resources/list")],
]);

/** Functions that take the schema or the name of a method, and whether what they are given is received or sent. */
export const sdkDispatchers: ReadonlyMap<string, "received" | "sent"> = new Map([
  ["setRequestHandler", "received"],
  ["setNotificationHandler", "received"],
  ["request", "sent"],
  ["notification", "sent"],
]);
