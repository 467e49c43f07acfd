// Prints as JSON the files whose functions run in a warm `tools/call` of 2026-07-28 over HTTP, and how often
// a function of each is entered.
import { createServer } from "../../../runtime/core/all.ts";
import { createHttpHandler } from "../../../runtime/core/http.ts";

const revision = "2026-07-28";
const server = createServer({ name: "trip", version: "1.0.0" });
server.tool(
  "echo",
  { inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } },
  ({ text }) => ({ content: [{ type: "text", text }] }),
);
const handler = createHttpHandler(server, { allowedHosts: ["localhost"] });

async function call(id) {
  const response = await handler.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": revision,
        "mcp-method": "tools/call",
        "mcp-name": "echo",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: {
          name: "echo",
          arguments: { text: "hello" },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": { name: "trip", version: "1.0.0" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    }),
  );
  const { result } = await response.json();
  if (result?.content[0].text !== "hello") throw new Error(`the call failed with status ${response.status}`);
}

await call(1);
globalThis.trip.begin();
await call(2);

process.exit();
