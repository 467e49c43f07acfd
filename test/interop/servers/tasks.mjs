// A server of ours whose tools run as tasks: on stdio, or over HTTP (tasks.mjs node|fetch), where `Bearer NAME` names the
// client.
import "@mcpgen/runtime/stdio-guard";
import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol";
import { McpError, createServer } from "@mcpgen/runtime";
import { createHttpHandler, serveHttp } from "@mcpgen/runtime/http";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { tasks } from "@mcpgen/tasks";
import { Gate, Waiting, nameForm, sampling } from "../fixture.mjs";
import { serveFetch } from "./serve-fetch.mjs";

const [adapter] = process.argv.slice(2);
const pollMs = Number(process.env.POLL_MS ?? 50);
const server = createServer(
  { name: "tasks", version: "1.0.0" },
  {
    revisions: serverRevisions,
    extensions: [tasks(tasksExtension, { pollMs, list: adapter !== undefined })],
  },
);

const optional = { task: { support: "optional" } };
const required = { task: { support: "required" } };
const textSchema = {
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};

server.tool("plain", textSchema, ({ text }) => `plain ${text}`);

const gates = new Map();
const gateOf = (text) => gates.get(text) ?? gates.set(text, new Gate()).get(text);
server.tool("work", { ...textSchema, ...optional }, async ({ text }, { progress, task }) => {
  task?.detach();
  progress(1, 2, "half");
  await gateOf(text).passed();
  progress(2, 2, "whole");
  return `worked on ${text}`;
});
server.tool("release", textSchema, ({ text }) => {
  gateOf(text).open();
  return "released";
});

const sumSchema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
server.tool("strict", { ...required, outputSchema: sumSchema }, (_, { task }) => {
  task?.detach();
  return { content: [{ type: "text", text: "5" }], structuredContent: { sum: 5 } };
});

server.tool("name", optional, async (_, { ask, task }) => {
  task?.detach();
  const answer = await ask.elicit("name", nameForm);
  return answer.action === "accept" ? `hello ${answer.content.name}` : answer.action;
});
server.tool("sample", optional, async (_, { ask, task }) => {
  task?.detach();
  return (await ask.sample("sample", sampling)).content.text;
});

server.tool("fail", optional, (_, { task }) => {
  task?.detach();
  return { content: [{ type: "text", text: "it went wrong" }], isError: true };
});
server.tool("broken", optional, (_, { task }) => {
  task?.detach();
  throw new McpError("internal-error", "it broke", { rpcCode: -32050, data: { part: 3 } });
});

const waiting = new Waiting();
server.tool("wait", optional, async (_, { signal, task }) => {
  task?.detach();
  await waiting.until(signal);
  return "aborted";
});
server.tool("aborted", {}, () => waiting.aborted());

/** Each client is who it says it is. */
const authenticate = ({ header }) => {
  const name = /^Bearer (\w+)$/.exec(header("authorization") ?? "")?.[1] ?? "anyone";
  return { auth: name, principal: name };
};
if (adapter === "node") await serveHttp(server, { authenticate, port: 0 });
else if (adapter === "fetch") serveFetch(createHttpHandler(server, { authenticate }).fetch);
else serveStdio(server);
