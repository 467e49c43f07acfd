import { McpServer, ResourceTemplate, completable, inputRequired } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import * as fixture from "../fixture.mjs";

const { note, picture, text } = fixture;
let release;
let aborted = 0;

serveStdio(() => {
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
  const tool = (name, shape, handler, rest = {}) =>
    server.registerTool(name, { description: name, inputSchema: z.object(shape), ...rest }, handler);
  plainTools(server, tool);
  askingTools(tool);
  resources(server);
  server.registerPrompt(
    "greet",
    { argsSchema: z.object({ name: completable(z.string(), fixture.startingWith) }) },
    ({ name }) => fixture.greeting(name),
  );
  return server;
});

function plainTools(server, tool) {
  tool("echo", { message: z.string() }, ({ message }) => text(message));
  tool(
    "add",
    { a: z.number(), b: z.number() },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
    { outputSchema: z.object({ sum: z.number() }) },
  );
  tool("fail", {}, () => {
    throw new Error("it went wrong");
  });
  tool("log", {}, async (_input, { mcpReq }) => {
    await mcpReq.log("debug", "too low");
    await mcpReq.log("warning", { said: "careful" }, "fixture");
    return text("logged");
  });
  tool("count", { to: z.number() }, async ({ to }, { mcpReq }) => {
    const { progressToken } = mcpReq._meta;
    for (let progress = 1; progress <= to; progress++)
      await mcpReq.notify({
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
  tool("wait", {}, async (_input, { mcpReq }) => {
    await new Promise((resolve) => {
      mcpReq.signal.addEventListener("abort", () => {
        aborted++;
        resolve();
      });
    });
    return text("aborted");
  });
  tool("aborted", {}, () => text(String(aborted)));
  tool("touch", {}, async () => {
    await server.server.sendResourceUpdated({ uri: note.uri });
    return text("touched");
  });
  tool("grow", {}, () => {
    tool("grown", {}, () => text("grown"));
    return text("grew");
  });
}

/** The SDK does on legacy connections what these ask for in the words of the modern revision. */
function askingTools(tool) {
  const asking = (name, request, answer) =>
    tool(name, {}, (_input, { mcpReq }) => {
      const response = mcpReq.inputResponses?.[name];
      return response ? text(answer(response)) : inputRequired({ inputRequests: { [name]: request } });
    });
  asking("name", inputRequired.elicit(fixture.nameForm), ({ action, content }) =>
    action === "accept" ? `hello ${content.name}` : action,
  );
  const { elicitationId: _, ...page } = fixture.page;
  asking("visit", inputRequired.elicitUrl(page), ({ action }) => action);
  asking("sample", inputRequired.createMessage(fixture.sampling), ({ content }) => content.text);
  asking("roots", inputRequired.listRoots(), ({ roots }) => roots.map(({ uri }) => uri).join());
}

function resources(server) {
  for (const { uri, name, mimeType, ...content } of [note, picture])
    server.registerResource(name, uri, { mimeType }, () => ({ contents: [{ uri, mimeType, ...content }] }));
  server.registerResource(
    "item",
    new ResourceTemplate(fixture.itemTemplate, { list: undefined, complete: { id: fixture.startingWith } }),
    { mimeType: "text/plain" },
    (uri, { id }) => ({ contents: [{ uri: uri.href, text: fixture.itemText(id) }] }),
  );
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
}
