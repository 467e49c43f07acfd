// A server that is killed while calls are in flight, or its replacement. The process that started it sends the orders.
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";

interface Order {
  readonly port: number;
  /** Whether its tools come to an end. */
  readonly answers: boolean;
}

process.once("disconnect", () => process.exit());
process.once("message", ({ port, answers }: Order) => void serve(port, answers));
process.send!({ ready: true });

async function serve(port: number, answers: boolean): Promise<void> {
  const server = createServer({ name: "mortal", version: "1.0.0" }, { revisions: serverRevisions });
  const work = (): Promise<string> | string => {
    process.send!({ began: true });
    return answers ? "answered" : new Promise<string>(() => {});
  };
  server.tool("look", { annotations: { readOnlyHint: true } }, work);
  server.tool("set", { annotations: { idempotentHint: true } }, (_, { progress }) => {
    progress(1, 2);
    return work();
  });
  server.tool("add", {}, work);
  const http = await serveHttp(server, { port });
  http.node.on("request", (request) =>
    request.on("data", (chunk: Buffer) => {
      if (chunk.includes('"initialize"')) process.send!({ handshake: true });
    }),
  );
  process.send!({ port: http.port });
}
