// A server and a client that speak over a WebSocket: the client calls a tool, hears its progress, and is asked.
//   main.js               both, over a free port of this machine
//   main.js serve [PORT]  the server alone
//   main.js call URL      the client alone
import { connect, createServer } from "@mcpgen/runtime/all";
import { openWebSocket } from "./client.js";
import { type WebSocketService, serveWebSocket } from "./server.js";

const server = createServer({ name: "shop", version: "1.0.0" });

server.tool(
  "order",
  {
    description: "Orders articles.",
    inputSchema: {
      type: "object",
      properties: { article: { type: "string" }, count: { type: "integer", minimum: 1, maximum: 9 } },
      required: ["article", "count"],
    },
  },
  async ({ article, count }, { ask, progress }) => {
    const answer = await ask.elicit("address", {
      message: `Where shall ${count} × ${article} go?`,
      requestedSchema: { type: "object", properties: { street: { type: "string" } }, required: ["street"] },
    });
    if (answer.action !== "accept") return "Nothing was ordered.";
    for (let packed = 1; packed <= count; packed++) progress(packed, count, `${packed} packed`);
    return `On its way to ${answer.content.street}.`;
  },
);

const [role, where] = process.argv.slice(2);
if (role === "serve") await serve(Number(where ?? 3000));
else if (role === "call") await call(where ?? "ws://127.0.0.1:3000/mcp");
else {
  const service = await serve(0);
  await call(service.url);
  await service.close();
}

async function serve(port: number): Promise<WebSocketService> {
  const service = await serveWebSocket(server, { port });
  console.error(`listening on ${service.url}`);
  process.once("SIGTERM", () => void service.close());
  return service;
}

async function call(url: string): Promise<void> {
  const client = await connect(() => openWebSocket(url), {
    elicit: ({ message }) => {
      console.log(`asked: ${message}`);
      return { action: "accept", content: { street: "Main Street 1" } };
    },
  });
  const order = { article: "lamp", count: 2 };
  const { content } = await client.callTool("order", order, {
    onProgress: ({ progress, total, message }) => console.log(`${progress} of ${total}: ${message}`),
  });
  for (const part of content) if (part.type === "text") console.log(part.text);
  await client.close();
}
