import { ValibotJsonSchemaAdapter } from "@tmcp/adapter-valibot";
import { HttpTransport } from "@tmcp/transport-http";
import { StdioTransport } from "@tmcp/transport-stdio";
import { McpServer } from "tmcp";
import * as v from "valibot";
import * as fixture from "../fixture.mjs";
import { serveFetch } from "./serve-fetch.mjs";

const { note, picture, text } = fixture;
const server = new McpServer(
  { name: "fixture", version: "1.0.0" },
  {
    instructions: "A fixture.",
    adapter: new ValibotJsonSchemaAdapter(),
    capabilities: {
      logging: {},
      completions: {},
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
    },
  },
);

/** Resolves when the client's GET stream or subscription is open: over HTTP, earlier notifications are lost. */
const listening = fixture.deferred();

function tool(name, entries, handler, rest = {}) {
  const schema = entries && v.object(entries);
  server.tool({ name, description: name, ...(schema ? { schema } : {}), ...rest }, handler);
}

tool("echo", { message: v.string() }, ({ message }) => text(message));
tool(
  "add",
  { a: v.number(), b: v.number() },
  ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  { outputSchema: v.object({ sum: v.number() }) },
);
tool("fail", undefined, () => ({ ...text("it went wrong"), isError: true }));
tool("log", undefined, () => {
  server.log("debug", "too low");
  server.log("warning", { said: "careful" }, "fixture");
  return text("logged");
});
tool("count", { to: v.number() }, ({ to }) => {
  for (let progress = 1; progress <= to; progress++) server.progress(progress, to, `step ${progress}`);
  return text(`counted to ${to}`);
});
// It takes one request after the other, so nothing could release `count` while that waited.
tool("release", undefined, () => text("released"));
tool("name", undefined, nameOf, { replayable: true });
async function nameOf() {
  const form = v.object({ name: v.string(), age: v.optional(v.pipe(v.number(), v.integer())) });
  const { action, content } = await server.elicitation(fixture.nameForm.message, form, { key: "name" });
  return text(action === "accept" ? `hello ${content.name}` : action);
}
tool("sample", undefined, sampled, { replayable: true });
async function sampled() {
  const { content } = await server.message(fixture.sampling, { key: "sample" });
  return text(content.text);
}
tool("roots", undefined, async () => {
  await server.refreshRoots();
  return text(server.roots.map(({ uri }) => uri).join());
});
tool("touch", undefined, async () => {
  await listening.promise;
  server.changed("resource", note.uri);
  return text("touched");
});
tool("grow", undefined, async () => {
  await listening.promise;
  tool("grown", undefined, () => text("grown"));
  server.changed("tools");
  return text("grew");
});

for (const { uri, name, mimeType, ...content } of [note, picture])
  server.resource({ name, description: name, uri, mimeType }, () => ({
    contents: [{ uri, mimeType, ...content }],
  }));
const complete = (value) => ({ completion: { values: fixture.startingWith(value), hasMore: false } });
server.template(
  { name: "item", description: "item", uri: fixture.itemTemplate, complete: { id: complete } },
  (uri, { id }) => ({ contents: [{ uri, text: fixture.itemText(id) }] }),
);
server.prompt(
  {
    name: "greet",
    description: "greet",
    schema: v.object({ name: v.string() }),
    complete: { name: complete },
  },
  ({ name }) => fixture.greeting(name),
);

// tmcp.mjs [http]
if (process.argv[2] === "http") {
  const transport = new HttpTransport(server, { path: "/mcp", allowedOrigins: [] });
  serveFetch(async (request) => {
    const response = await transport.respond(request);
    // Modern clients get an acknowledgement of their subscription.
    if ((request.method === "GET" && response?.ok) || request.headers.has("mcp-method")) listening.resolve();
    return response ?? new Response(null, { status: 404 });
  });
} else {
  listening.resolve();
  new StdioTransport(server).listen();
}
