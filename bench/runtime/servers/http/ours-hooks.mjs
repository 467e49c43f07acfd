// mcpgen with the hooks that `--hooks=` names: none, middleware, events or log.
import { createServer } from "@mcpgen/runtime/all";
import { serveHttp } from "@mcpgen/runtime/http";
import { requestLog } from "@mcpgen/observe";
import { echo } from "../tools.mjs";
import { stateless, streams } from "./mode.mjs";

const server = createServer({ name: "bench", version: "1.0.0" });
server.tool(echo.name, echo, ({ message }) => message);
if (process.argv.includes("--hooks=middleware")) server.use((_, next) => next());
if (process.argv.includes("--hooks=events")) server.onEvent(() => {});
if (process.argv.includes("--hooks=log")) {
  const log = requestLog({ level: "info", write: () => {} });
  for (const each of log.use) server.use(each);
}
const { port } = await serveHttp(server, {
  port: 0,
  sessions: !stateless,
  responses: streams ? "sse" : "json",
});
console.log(port);
