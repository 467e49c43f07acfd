// mcpgen with its fetch adapter, which it uses on other platforms. On Node it runs behind the same conversion
// from `node:http` as the other implementations.
import { getRequestListener } from "@hono/node-server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime/server";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { add, echo } from "../tools.mjs";
import { listen, stateless, streams } from "./mode.mjs";

const server = createServer({ name: "bench", version: "1.0.0" }, { revisions: serverRevisions });
server.tool(echo.name, echo, ({ message }) => message);
server.tool(add.name, add, ({ a, b }) => String(a + b));
const handler = createHttpHandler(server, { sessions: !stateless, responses: streams ? "sse" : "json" });
listen(getRequestListener(handler.fetch));
