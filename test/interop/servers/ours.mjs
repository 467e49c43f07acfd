import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { serveStdio } from "@mcpgen/runtime/stdio";
import * as fixture from "../fixture.mjs";

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

let release;
let aborted = 0;
tool("count", { to: number }, async ({ to }, context) => {
  for (let progress = 1; progress <= to; progress++) context.progress(progress, to, `step ${progress}`);
  await new Promise((resolve) => {
    release = resolve;
  });
  return `counted to ${to}`;
});
tool("release", {}, () => {
  release();
  return "released";
});
tool("wait", {}, async (_input, { signal }) => {
  await new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      aborted++;
      resolve();
    });
  });
  return "aborted";
});
tool("aborted", {}, () => String(aborted));
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
serveStdio(server);
