// sdk-v1.mjs stdio|sessions|stateless|bearer [PORT]
import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { nameForm, steps, tools } from "../shared/tools.mjs";
import { serveOnPort, sessionsOf } from "./on-port.mjs";

// `McpServer` of version 1 takes Zod alone; `Server` lists JSON Schema as it is.
function makeServer() {
  const server = new Server({ name: "trips", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, inputSchema, outputSchema }) => ({
      ...{ name, description, inputSchema },
      ...(outputSchema && { outputSchema }),
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { asks, call } = tools.find(({ name }) => name === params.name);
    const progressToken = extra._meta?.progressToken;
    const progress = async (step) => {
      const report = { progressToken, progress: step, total: steps };
      if (progressToken !== undefined)
        await extra.sendNotification({ method: "notifications/progress", params: report });
    };
    const answer = asks && (await server.elicitInput(nameForm, { relatedRequestId: extra.requestId }));
    return call(params.arguments ?? {}, { signal: extra.signal, progress, answer });
  });
  return server;
}

const mode = process.argv[2];
const transport = async (options) => {
  const made = new StreamableHTTPServerTransport(options);
  await makeServer().connect(made);
  return made;
};
if (mode === "stdio") await makeServer().connect(new StdioServerTransport());
else if (mode === "stateless")
  serveOnPort(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    await (await transport({ sessionIdGenerator: undefined })).handleRequest(request, response);
  });
else
  serveOnPort(
    sessionsOf(async (began) => {
      const made = await transport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => began(id, made),
      });
      return made;
    }),
  );
