import { createServer } from "node:http";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { fixture } from "./suite/fixture.mjs";

export const lateName = "a server that starts late is waited for";

/** A port without a listener so far. */
export async function reserve() {
  const handler = createNodeHandler(fixture());
  const listening = (server, port) => new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  const holder = createServer();
  await listening(holder, 0);
  const { port } = holder.address();
  await new Promise((resolve) => holder.close(resolve));
  const server = createServer(handler);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    listen: () => listening(server, port),
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
