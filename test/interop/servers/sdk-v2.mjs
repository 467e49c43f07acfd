import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  McpServer,
  ProtocolError,
  ResourceTemplate,
  completable,
  createMcpHandler,
  inputRequired,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import * as fixture from "../fixture.mjs";
import { onHead } from "./on-head.mjs";

const { note, picture, text } = fixture;
// sdk-v2.mjs [handler|sessions]: over HTTP, by its handler of each request for itself, or with sessions.
// sdk-v2.mjs stdio FOLDER: on stdio, with processes that share what their tools wait for.
const [mode, folder] = process.argv.slice(2);
const gate = new fixture.Gate(folder);
const waiting = new fixture.Waiting(folder);
/** Resolves when the client's GET stream or subscription is open: over HTTP, earlier notifications are lost. */
const listening = fixture.deferred();
let grown = false;

/** @param notifier notifies the clients of all connections; without it, each server notifies its own */
function makeServer(notifier) {
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
  changingTools(server, tool, notifier);
  askingTools(tool);
  resources(server);
  rest(server, tool);
  server.registerPrompt(
    "greet",
    { argsSchema: z.object({ name: completable(z.string(), fixture.startingWith) }) },
    ({ name }) => fixture.greeting(name),
  );
  server.registerPrompt("rich", { title: "Rich" }, () => fixture.rich);
  if (grown) grow(server);
  return server;
}

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
    // The SDK's clients drop progress that arrives together with the answer, so the answer waits until it is released.
    await gate.passed();
    return text(`counted to ${to}`);
  });
  tool("release", {}, () => {
    gate.open();
    return text("released");
  });
  tool("wait", {}, async (_input, { mcpReq }) => {
    await waiting.until(mcpReq.signal);
    return text("aborted");
  });
  tool("begun", {}, async () => {
    await waiting.begun();
    return text("begun");
  });
  tool("aborted", {}, async () => text(await waiting.aborted()));
}

function changingTools(server, tool, notifier) {
  tool("touch", {}, async () => {
    await listening.promise;
    if (notifier) notifier().resourceUpdated(note.uri);
    else await server.server.sendResourceUpdated({ uri: note.uri });
    return text("touched");
  });
  tool("grow", {}, async () => {
    await listening.promise;
    grown = true;
    if (notifier) {
      notifier().toolsChanged();
      notifier().promptsChanged();
      notifier().resourcesChanged();
    } else grow(server);
    return text("grew");
  });
}

function grow(server) {
  server.registerTool("grown", { description: "grown", inputSchema: z.object({}) }, () => text("grown"));
  server.registerPrompt("grown", {}, () => fixture.greeting("all"));
  server.registerResource("grown", "test://grown", {}, () => ({ contents: [] }));
}

/** These tools use the form of the modern revision. On legacy connections, the SDK converts it. */
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

/** Offers that pages, vendors and errors need. */
function rest(server, tool) {
  for (const [name, result] of Object.entries(fixture.results)) tool(name, {}, () => result, fixture.listing);
  tool("meta", {}, (_input, { mcpReq }) => {
    const own = Object.entries(mcpReq._meta ?? {}).filter(([name]) => name.startsWith("example.com/"));
    return text(JSON.stringify(Object.fromEntries(own)));
  });
  tool("caller", {}, (_input, { mcpReq: { envelope } }) => {
    const info = envelope?.[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion();
    const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities();
    return text(JSON.stringify([info, capabilities]));
  });
  tool("news", {}, async (_input, { mcpReq }) => {
    await mcpReq.notify({ method: "vendor/news", params: { n: 7 } });
    return text("sent");
  });
  const ask = (key) => inputRequired({ inputRequests: { [key]: inputRequired.elicit(fixture.nameForm) } });
  tool("twice", {}, (_input, { mcpReq }) => {
    const { first, second } = mcpReq.inputResponses ?? {};
    if (first) return inputRequired({ ...ask("second"), requestState: JSON.stringify(first) });
    if (second) return text(JSON.stringify([JSON.parse(mcpReq.requestState()), second]));
    return ask("first");
  });
  const params = z.looseObject({});
  server.server.setRequestHandler("vendor/echo", { params }, ({ of }) => ({ of }));
  server.server.setRequestHandler("vendor/fail", { params }, () => {
    const { code, message, data } = fixture.refusal;
    throw new ProtocolError(code, message, data);
  });
  server.server.setRequestHandler("resources/templates/list", ({ params: { cursor } = {} }) =>
    cursor === fixture.secondPage
      ? { resourceTemplates: [fixture.secondTemplate] }
      : {
          resourceTemplates: [{ uriTemplate: fixture.itemTemplate, name: "item", mimeType: "text/plain" }],
          nextCursor: fixture.secondPage,
        },
  );
}

function resources(server) {
  for (const resource of [note, picture]) {
    const { uri, name, mimeType } = resource;
    server.registerResource(name, uri, { mimeType }, () => ({ contents: [fixture.contentsOf(resource)] }));
  }
  server.registerResource(
    "item",
    new ResourceTemplate(fixture.itemTemplate, { list: undefined, complete: { id: fixture.startingWith } }),
    { mimeType: "text/plain" },
    (uri, { id }) => ({ contents: [{ uri: uri.href, text: fixture.itemText(id) }] }),
  );
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
}

const sessions = new Map();

async function withSession(request, response) {
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (!transport) {
    transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await makeServer().connect(transport);
  }
  if (request.method === "GET") onHead(response, listening.resolve);
  await transport.handleRequest(request, response);
}

if (mode === "sessions") createServer(withSession).listen(0, "127.0.0.1");
else {
  // A modern client gets an acknowledgement of its subscription.
  listening.resolve();
  if (mode === "handler") {
    const handler = createMcpHandler(() => makeServer(() => handler.notify));
    createServer(toNodeHandler(handler)).listen(0, "127.0.0.1");
  } else serveStdio(() => makeServer());
}
