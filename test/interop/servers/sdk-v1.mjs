import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import * as fixture from "../fixture.mjs";

const { note, picture, text } = fixture;
const server = new McpServer(
  { name: "fixture", version: "1.0.0" },
  {
    instructions: "A fixture.",
    capabilities: {
      logging: {},
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
    },
  },
);

let release;
let aborted = 0;

function tool(name, inputSchema, handler, rest = {}) {
  server.registerTool(name, { description: name, inputSchema, ...rest }, handler);
}

tool("echo", { message: z.string() }, ({ message }) => text(message));
tool(
  "add",
  { a: z.number(), b: z.number() },
  ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  { outputSchema: { sum: z.number() } },
);
tool("fail", {}, () => {
  throw new Error("it went wrong");
});
tool("log", {}, async () => {
  await server.sendLoggingMessage({ level: "debug", data: "too low" });
  await server.sendLoggingMessage({ level: "warning", logger: "fixture", data: { said: "careful" } });
  return text("logged");
});
tool("count", { to: z.number() }, async ({ to }, { _meta, sendNotification }) => {
  const { progressToken } = _meta;
  for (let progress = 1; progress <= to; progress++)
    await sendNotification({
      method: "notifications/progress",
      params: { progressToken, progress, total: to, message: `step ${progress}` },
    });
  // Its clients forget reports that arrive together with the answer, so that waits until it is released.
  await new Promise((resolve) => {
    release = resolve;
  });
  return text(`counted to ${to}`);
});
tool("release", {}, () => {
  release();
  return text("released");
});

tool("wait", {}, async (_input, { signal }) => {
  await new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      aborted++;
      resolve();
    });
  });
  return text("aborted");
});
tool("aborted", {}, () => text(String(aborted)));
tool("name", {}, async () => {
  const { action, content } = await server.server.elicitInput({ mode: "form", ...fixture.nameForm });
  return text(action === "accept" ? `hello ${content.name}` : action);
});
tool("visit", {}, async () => {
  const { action } = await server.server.elicitInput({ mode: "url", ...fixture.page });
  return text(action);
});
tool("sample", {}, async () => {
  const { content } = await server.server.createMessage(fixture.sampling);
  return text(content.text);
});
tool("roots", {}, async () => {
  const { roots } = await server.server.listRoots();
  return text(roots.map(({ uri }) => uri).join());
});
tool("touch", {}, async () => {
  await server.server.sendResourceUpdated({ uri: note.uri });
  return text("touched");
});
tool("grow", {}, () => {
  tool("grown", {}, () => text("grown"));
  return text("grew");
});

for (const { uri, name, mimeType, ...content } of [note, picture])
  server.registerResource(name, uri, { mimeType }, () => ({ contents: [{ uri, mimeType, ...content }] }));
server.registerResource(
  "item",
  new ResourceTemplate(fixture.itemTemplate, { list: undefined, complete: { id: fixture.startingWith } }),
  { mimeType: "text/plain" },
  (uri, { id }) => ({ contents: [{ uri: uri.href, text: fixture.itemText(id) }] }),
);
server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
server.registerPrompt(
  "greet",
  { argsSchema: { name: completable(z.string(), fixture.startingWith) } },
  ({ name }) => fixture.greeting(name),
);
await server.connect(new StdioServerTransport());
