import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { z } from "zod";
import { answers, inboxes } from "../inbox.mjs";

const modern = "2026-07-28";
const levelKey = "io.modelcontextprotocol/logLevel";

/**
 * A session of the official SDK, version 2, that asks for `revision`.
 *
 * @param target the file of a server, or the URL of one
 */
export async function connect(target, revision, args = []) {
  const client = new Client(
    { name: "fixture", version: "1.0.0" },
    {
      capabilities: { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } },
      ...(revision === modern
        ? { versionNegotiation: { mode: { pin: modern } } }
        : { supportedProtocolVersions: [revision] }),
    },
  );
  const user = answers();
  const inbox = inboxes();
  client.setRequestHandler("elicitation/create", ({ params }) => user.elicit(params));
  client.setRequestHandler("sampling/createMessage", ({ params }) => user.sample(params));
  client.setRequestHandler("roots/list", () => user.roots());
  const on = (method, kind) =>
    client.setNotificationHandler(method, ({ params }) => inbox[kind].put(params ?? {}));
  on("notifications/message", "logs");
  on("notifications/resources/updated", "updated");
  on("notifications/tools/list_changed", "toolsChanged");
  client.fallbackNotificationHandler = async (notification) => inbox.rest.put(notification);
  const transport =
    target instanceof URL
      ? new StreamableHTTPClientTransport(target)
      : new StdioClientTransport({ command: process.execPath, args: [target, ...args] });
  await client.connect(transport);
  return session(client, user, inbox, revision === modern);
}

function session(client, user, inbox, isModern) {
  let meta = {};
  return {
    user,
    ...inbox,
    revision: () => client.getNegotiatedProtocolVersion(),
    instructions: () => client.getInstructions(),
    capabilities: () => client.getServerCapabilities(),
    server: () => client.getServerVersion(),
    request: (method, params) => client.request({ method, params }, z.looseObject({})),
    tools: async () => (await client.listTools()).tools,
    call: (name, input, { onProgress, signal } = {}) =>
      client.callTool({ name, arguments: input ?? {}, ...meta }, { onprogress: onProgress, signal }),
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: (uri) => client.readResource({ uri }),
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: (name, input) => client.getPrompt({ name, arguments: input }),
    complete: (ref, argument) => client.complete({ ref, argument }),
    hear: async (level) => {
      if (isModern) meta = { _meta: { [levelKey]: level } };
      else await client.setLoggingLevel(level);
    },
    ping: () => client.ping(),
    watch: async (uri) => {
      if (isModern) {
        const subscription = await client.listen({
          resourceSubscriptions: [uri],
          toolsListChanged: true,
          promptsListChanged: true,
          resourcesListChanged: true,
        });
        return () => subscription.close();
      }
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
    close: () => client.close(),
  };
}
