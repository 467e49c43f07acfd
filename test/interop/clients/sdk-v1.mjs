import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as types from "@modelcontextprotocol/sdk/types.js";
import { answers, inboxes } from "../inbox.mjs";

/**
 * A session of the official SDK, version 1, that asks for `revision`.
 *
 * @param target the file of a server, or the URL of one; the path `/sse` stands for HTTP+SSE
 */
export async function connect(target, revision, args = []) {
  const client = new Client(
    { name: "fixture", version: "1.0.0" },
    { capabilities: { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } } },
  );
  const user = answers();
  const inbox = inboxes();
  client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => user.elicit(params));
  client.setRequestHandler(types.CreateMessageRequestSchema, ({ params }) => user.sample(params));
  client.setRequestHandler(types.ListRootsRequestSchema, () => user.roots());
  const on = (schema, kind) =>
    client.setNotificationHandler(schema, ({ params }) => inbox[kind].put(params ?? {}));
  on(types.LoggingMessageNotificationSchema, "logs");
  on(types.ResourceUpdatedNotificationSchema, "updated");
  on(types.ToolListChangedNotificationSchema, "toolsChanged");
  client.fallbackNotificationHandler = async (notification) => inbox.rest.put(notification);
  const Http = target.pathname === "/sse" ? SSEClientTransport : StreamableHTTPClientTransport;
  const transport =
    target instanceof URL
      ? new Http(target)
      : new StdioClientTransport({ command: process.execPath, args: [target, ...args] });
  await client.connect(asking(revision, transport));
  return session(client, user, inbox);
}

/** The SDK always requests the newest revision that it knows. This replaces the revision in its first message. */
function asking(revision, transport) {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (message.method === "initialize") message.params.protocolVersion = revision;
    return send(message, options);
  };
  const setVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    transport.negotiated = version;
    setVersion?.(version);
  };
  return transport;
}

function session(client, user, inbox) {
  return {
    user,
    ...inbox,
    revision: () => client.transport.negotiated,
    instructions: () => client.getInstructions(),
    capabilities: () => client.getServerCapabilities(),
    server: () => client.getServerVersion(),
    request: (method, params) => client.request({ method, params }, types.ResultSchema),
    tools: async () => (await client.listTools()).tools,
    call: (name, input, { onProgress, signal } = {}) =>
      client.callTool({ name, arguments: input ?? {} }, undefined, { onprogress: onProgress, signal }),
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: (uri) => client.readResource({ uri }),
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: (name, input) => client.getPrompt({ name, arguments: input }),
    complete: (ref, argument) => client.complete({ ref, argument }),
    hear: (level) => client.setLoggingLevel(level),
    ping: () => client.ping(),
    watch: async (uri) => {
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
    close: () => client.close(),
  };
}
