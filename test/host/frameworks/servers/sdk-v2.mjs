// sdk-v2.mjs stdio|sessions|stateless|bearer [PORT]
import { randomUUID } from "node:crypto";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, createMcpHandler, fromJsonSchema, inputRequired } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { nameForm, note, steps, tools } from "../shared/tools.mjs";
import { serveOnPort, sessionsOf } from "./on-port.mjs";

function makeServer() {
  const server = new McpServer({ name: "trips", version: "1.0.0" });
  for (const { name, description, inputSchema, outputSchema, asks, call } of tools)
    server.registerTool(
      name,
      {
        description,
        inputSchema: fromJsonSchema(inputSchema),
        ...(outputSchema && { outputSchema: fromJsonSchema(outputSchema) }),
      },
      (args, { mcpReq, http }) => {
        const inRequest = mcpReq.envelope?.["io.modelcontextprotocol/protocolVersion"];
        const inHeader = http?.req?.headers.get("mcp-protocol-version");
        note(`revision ${inRequest ?? inHeader ?? server.server.getNegotiatedProtocolVersion()}`);
        const answer = mcpReq.inputResponses?.name;
        if (asks && !answer)
          return inputRequired({ inputRequests: { name: inputRequired.elicit(nameForm) } });
        const { progressToken } = mcpReq._meta ?? {};
        const progress = async (step) => {
          const params = { progressToken, progress: step, total: steps };
          if (progressToken !== undefined) await mcpReq.notify({ method: "notifications/progress", params });
        };
        return call(args, { signal: mcpReq.signal, progress, answer });
      },
    );
  return server;
}

const mode = process.argv[2];
if (mode === "stdio") serveStdio(() => makeServer());
else if (mode === "stateless") serveOnPort(toNodeHandler(createMcpHandler(() => makeServer())));
else
  serveOnPort(
    sessionsOf(async (began) => {
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => began(id, transport),
      });
      await makeServer().connect(transport);
      return transport;
    }),
  );
