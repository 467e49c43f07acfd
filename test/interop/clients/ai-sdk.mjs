import { ElicitationRequestSchema, createMCPClient } from "@ai-sdk/mcp";
import { answers, inboxes } from "../inbox.mjs";
import { modern } from "../peers.mjs";

/** A session of the AI SDK, which asks for the newest revision of an era. @param target the URL of a server */
export async function connect(target, revision) {
  const user = answers();
  const client = await createMCPClient({
    transport: { type: "http", url: target.href },
    protocolVersionDiscovery: revision === modern,
    capabilities: { elicitation: {} },
  });
  client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => user.elicit(params));
  return {
    user,
    ...inboxes(),
    revision: () => client.initializeResult.protocolVersion,
    instructions: () => client.instructions,
    tools: async () => (await client.listTools()).tools,
    call: (name, input = {}, { signal } = {}) =>
      client.callTool({ name, arguments: input, options: { signal } }),
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: (uri) => client.readResource({ uri }),
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: (name, input) => client.getPrompt({ name, arguments: input }),
    complete: (ref, argument) => client.complete({ ref, argument }),
    close: () => client.close(),
  };
}
