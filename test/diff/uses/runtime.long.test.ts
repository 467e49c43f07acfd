// A server and a client on our packages, as people write them.
import { expect, test } from "vitest";
import { codeFolder } from "./code.js";
import { found, marked, plain } from "./marked-code.js";

const files = {
  "src/server.ts": `import { type CodeFirstServer, McpError, createServer } from "@mcpgen/runtime";
import type { Open } from "@mcpgen/runtime";

export const server: CodeFirstServer = createServer({ name: "ping", version: "1" }, { revisions: [] });
server.tool("ping", { title: "ping", description: "logging/setLevel" }, () => "initialize");
server.tool("resources/subscribe", { inputSchema: { type: "object" } }, async () => ({
  content: [{ type: "text", text: "ping" }],
}));
server.prompt("initialize", { title: "initialize" }, () => "ping");
server.resource("x://ping", { name: "ping" }, () => "ping");
server.handle("⟦logging/setLevel|logging/setLevel⟧", () => ({}));
server.use((request, next) => {
  if (request.method === "⟦ping|ping⟧") return {};
  switch (request.method) {
    case "⟦initialize|initialize⟧":
      throw new McpError("internal-error", "ping", { rpcCode: ⟦URL_ELICITATION_REQUIRED.code|-32042⟧ });
    default:
      return next();
  }
});
export const icon = (given: Open<"Icon">): string => given.src;
`,
  "src/client.ts": `import { type Client, connect } from "@mcpgen/runtime";

export async function run(client: Client): Promise<unknown[]> {
  await client.ping();
  await client.request("⟦ping|ping⟧");
  const { ⟦CallToolResult.structuredContent|structuredContent⟧ } = await client.⟦tools/call|callTool⟧("ping", { method: "x" });
  const { items } = await client.listTools();
  return [structuredContent, items.map((tool) => tool["⟦Tool.execution|execution⟧"]), await client.⟦tools/call|callTool⟧("initialize")];
}
export const client = await connect("http://127.0.0.1/ping", { revisions: [] });
console.log("initialize", "resources/subscribe");
`,
};

test("uses in code on the runtime", async () => {
  const folder = codeFolder(plain(files), {
    installed: ["protocol", "runtime", "engine", "base"],
    lib: "ES2022",
  });
  const places = await found(folder, ["2025-11-25", "2026-07-28", "--uses", "src"]);
  expect(places.sort()).toEqual(marked(files).sort());
});
