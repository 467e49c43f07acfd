// sdk-v1.mjs stdio|sessions|stateless|bearer [PORT]
import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { nameForm, note, steps, tools } from "../shared/tools.mjs";
import { serveOnPort, sessionsOf } from "./on-port.mjs";

/** The revision that the last handshake agreed on: over stdio, nothing else names it. */
let negotiated;

/** A transport whose handshake is heard. */
function heard(transport) {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    negotiated = message.result?.protocolVersion ?? negotiated;
    return send(message, options);
  };
  return transport;
}

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
    note(`revision ${extra.requestInfo?.headers["mcp-protocol-version"] ?? negotiated}`);
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
  const made = heard(new StreamableHTTPServerTransport(options));
  await makeServer().connect(made);
  return made;
};
if (mode === "stdio") await makeServer().connect(heard(new StdioServerTransport()));
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
