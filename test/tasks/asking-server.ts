import { tasks as serverExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol";
import { type Server, createServer } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { tasks } from "@mcpgen/tasks";

const form = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
} as const;

/** Milliseconds that a request of the server may take. */
export const limit = 300;

/** A server with tools that ask the user and the model, and one that lets the time of the server pass. */
export function askingServer(): { readonly server: Server; readonly close: () => Promise<void> } {
  const extension = tasks(serverExtension);
  const clock = new VirtualClock(1_000_000);
  const timeouts = { timeout: limit, totalTimeout: limit };
  const server = createServer(
    { name: "asking", version: "1.0.0" },
    // A request that waits for the user itself would time out.
    { revisions: serverRevisions, extensions: [extension], clock, timeouts },
  );
  const inputSchema = { type: "object", properties: { ms: { type: "number" } }, required: ["ms"] } as const;
  server.tool("pass", { inputSchema }, async ({ ms }) => {
    await clock.advance(ms);
    return "passed";
  });
  const task = { support: "optional" } as const;
  server.tool("form", { task }, async (_, { ask }) => {
    const answer = await ask.elicit("name", form);
    return answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action;
  });
  server.tool("page", { task }, async (_, { ask }) => {
    const { action } = await ask.url("page", { message: "Visit", url: "https://example.com/" });
    return action;
  });
  server.tool("model", { task }, async (_, { ask }) => {
    const messages = [{ role: "user", content: { type: "text", text: "hi" } }] as const;
    const { content } = await ask.sample("words", { messages: [...messages], maxTokens: 9 });
    return (content as { readonly text: string }).text;
  });
  return { server, close: () => extension.close() };
}
