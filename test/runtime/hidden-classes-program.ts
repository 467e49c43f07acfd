// Runs each kind of call many times over each transport. The argument is the number of calls of a kind.
import { connect, type Client } from "@mcpgen/runtime";
import { createServer } from "@mcpgen/runtime/all";
import { clientRevisions } from "@mcpgen/protocol";
import { serveHttp } from "@mcpgen/runtime/http";
import { createTestPair } from "@mcpgen/testing";

const count = Number(process.argv[2]);

const message = {
  type: "object",
  properties: { message: { type: "string" } },
  required: ["message"],
} as const;
const question = { message: "Which?", requestedSchema: { type: "object", properties: {} } } as const;

const server = createServer({ name: "busy", version: "1.0.0" });
server.tool("echo", { inputSchema: message }, ({ message }) => message);
server.tool("later", { inputSchema: message, outputSchema: message }, async (input) => {
  await Promise.resolve();
  return { structuredContent: input, content: [] };
});
server.tool("progress", {}, (_, context) => {
  context.progress(1);
  return "done";
});
server.tool("ask", {}, async (_, { ask }) => (await ask.elicit("which", question)).action);
server.resource("test:text", { name: "text" }, () => ({ contents: [{ uri: "test:text", text: "text" }] }));
server.prompt("greet", {}, () => ({ messages: [] }));

const kinds: readonly ((client: Client) => Promise<unknown>)[] = [
  (client) => client.callTool("echo", { message: "hello" }),
  (client) => client.callTool("later", { message: "hello" }),
  (client) => client.callTool("progress", {}, { onProgress() {} }),
  (client) => client.callTool("ask", {}),
  (client) => client.listTools(),
  (client) => client.readResource("test:text"),
  (client) => client.getPrompt("greet"),
];

async function work(client: Client): Promise<void> {
  for (const call of kinds) for (let made = 0; made < count; made++) await call(client);
  await client.close();
}

const elicit = () => ({ action: "accept", content: {} }) as const;
for (const { id } of [clientRevisions.at(0)!, clientRevisions.at(-1)!]) {
  const { client } = await createTestPair({ server, revision: id, elicit });
  await work(client);
  for (const responses of ["json", "sse"] as const) {
    const http = await serveHttp(server, { port: 0, responses });
    await work(await connect(http.url, { revisions: clientRevisions, revision: id, elicit }));
    await http.close();
  }
}
