// mcpgen with two extensions, over stdio or HTTP. `--plain`: without them; `--around`: one of them also
// registers a function around `tools/call`.
import "@mcpgen/runtime/stdio-guard";
import { writeSync } from "node:fs";
import { skills } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/server";
import { tasks } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime/server";
import { serveHttp } from "@mcpgen/runtime/http";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { add, echo } from "./tools.mjs";

const given = new Set(process.argv);
const nothing = () => {
  throw new Error("There is none.");
};
const around = given.has("--around") ? { "tools/call": (request, next) => next() } : {};
const extensions = [
  skills.implement({ "skills/list": () => ({ skills: [] }), "skills/get": nothing }),
  tasks.implement({ "tasks/get": nothing, "tasks/update": nothing, "tasks/cancel": nothing }, { around }),
];
const server = createServer(
  { name: "bench", version: "1.0.0" },
  { revisions: serverRevisions, ...(given.has("--plain") ? {} : { extensions }) },
);
// Skills require the resources capability.
server.resource("bench:none", { name: "none" }, () => "nothing");
server.tool(echo.name, echo, ({ message }) => message);
server.tool(add.name, add, ({ a, b }) => String(a + b));

if (given.has("--http")) {
  const responses = given.has("--responses=sse") ? "sse" : "json";
  const { port } = await serveHttp(server, { port: 0, sessions: !given.has("--stateless"), responses });
  // Standard output is reserved for messages by the guard, so the port is written to the file descriptor
  // directly.
  writeSync(1, `${port}\n`);
} else serveStdio(server);
