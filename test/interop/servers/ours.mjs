import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { createHttpHandler, serveHttp } from "@mcpgen/runtime/http";
import { serveStdio } from "@mcpgen/runtime/stdio";
import * as fixture from "../fixture.mjs";
import { serveFetch } from "./serve-fetch.mjs";

const { note, picture, text } = fixture;
const server = createServer(
  { name: "fixture", version: "1.0.0" },
  {
    revisions: serverRevisions,
    instructions: "A fixture.",
    capabilities: { logging: {} },
  },
);
const string = { type: "string" };
const number = { type: "number" };

function tool(name, properties, handler, rest = {}) {
  const inputSchema = { type: "object", properties, required: Object.keys(properties) };
  server.tool(name, { description: name, inputSchema, ...rest }, handler);
}

tool("echo", { message: string }, ({ message }) => message);
tool(
  "add",
  { a: number, b: number },
  ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  {
    outputSchema: { type: "object", properties: { sum: number }, required: ["sum"] },
  },
);
tool("fail", {}, () => {
  throw new Error("it went wrong");
});
tool("log", {}, (_input, { log }) => {
  log("debug", "too low");
  log("warning", { said: "careful" }, "fixture");
  return "logged";
});

const gate = new fixture.Gate();
const waiting = new fixture.Waiting();
tool("count", { to: number }, async ({ to }, context) => {
  for (let progress = 1; progress <= to; progress++) context.progress(progress, to, `step ${progress}`);
  await gate.passed();
  return `counted to ${to}`;
});
tool("report", {}, (_input, { progress, log }) => {
  log("info", "almost there");
  progress(1, 1);
  return "reported";
});
tool("release", {}, () => {
  gate.open();
  return "released";
});
tool("wait", {}, async (_input, { signal }) => {
  await waiting.until(signal);
  return "aborted";
});
tool("begun", {}, async () => {
  await waiting.begun();
  return "begun";
});
tool("aborted", {}, () => waiting.aborted());
tool("name", {}, async (_input, { ask }) => {
  const answer = await ask.elicit("name", fixture.nameForm);
  return answer.action === "accept" ? `hello ${answer.content.name}` : answer.action;
});
tool("visit", {}, async (_input, { ask }) => (await ask.url("visit", fixture.page)).action);
tool("sample", {}, async (_input, { ask }) => (await ask.sample("sample", fixture.sampling)).content.text);
tool("roots", {}, async (_input, { ask }) => (await ask.roots("roots")).map(({ uri }) => uri).join());
tool("touch", {}, () => {
  server.resourceUpdated(note.uri);
  return "touched";
});
tool("grow", {}, () => {
  tool("grown", {}, () => "grown");
  return "grew";
});

for (const { uri, name, mimeType, ...content } of [note, picture])
  server.resource(uri, { name, mimeType }, () => ({ contents: [{ uri, mimeType, ...content }] }));
server.resourceTemplate(
  fixture.itemTemplate,
  { name: "item", mimeType: "text/plain", complete: { id: fixture.startingWith } },
  ({ id }) => fixture.itemText(id),
);
server.prompt(
  "greet",
  { arguments: [{ name: "name", required: true }], complete: { name: fixture.startingWith } },
  ({ name }) => fixture.greeting(name),
);

// ours.mjs [node|fetch [stateless]]: over HTTP by that adapter, without sessions if wanted.
const [adapter, stateless] = process.argv.slice(2);
const options = { sessions: stateless !== "stateless" };
if (adapter === "node") await serveHttp(server, { ...options, port: 0 });
else if (adapter === "fetch") serveFetch(createHttpHandler(server, options).fetch);
else serveStdio(server);
