import { trace } from "@opentelemetry/api";
import { serverRevisions } from "@mcpgen/protocol";
import { type CodeFirstServer, McpError, createServer } from "@mcpgen/runtime";

const form = {
  message: "Who?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
} as const;

/**
 * A server with a tool for each way to end.
 *
 * @param reached gets the places that a handler reaches
 * @param replay whether the handler that asks runs again for an answer (2026-07-28)
 */
export function shop(reached: (place: string) => void = () => {}, replay = false): CodeFirstServer {
  const server = createServer(
    { name: "shop", version: "1.0.0" },
    {
      revisions: serverRevisions,
      onEvent: () => true,
      capabilities: { logging: {} },
      ...(replay && { state: { parking: false } }),
    },
  );
  server.tool("order", { inputSchema: { type: "object" } }, () => "ordered");
  server.tool("fail", {}, () => {
    throw new Error("out of stock");
  });
  server.tool("refuse", {}, () => {
    throw new McpError("limit-exceeded", "too many", { rpcCode: -32600 });
  });
  server.tool("overload", {}, () => {
    throw new McpError("limit-exceeded", "too many", { rpcCode: -32050 });
  });
  server.tool("notify", {}, (_, { progress }) => {
    progress(1, 1);
    return "notified";
  });
  server.tool("wait", {}, (_, { signal }) => {
    reached("wait");
    return new Promise<string>((_resolve, reject) =>
      signal.addEventListener("abort", () => {
        reached("cancelled");
        reject(new Error("aborted"));
      }),
    );
  });
  server.tool("ask", { replay }, async (_, { ask }) => (await ask.elicit("who", form)).action);
  server.tool("nest", {}, () => String(trace.getActiveSpan()?.spanContext().spanId));
  server.prompt("hello", {}, () => "hello");
  server.resource("note://one?key=secret", { name: "one" }, () => "one");
  return server;
}
