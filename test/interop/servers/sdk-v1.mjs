import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  ListResourceTemplatesRequestSchema,
  McpError,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import * as fixture from "../fixture.mjs";
import { onHead } from "./on-head.mjs";

const { note, picture, text } = fixture;
// sdk-v1.mjs [sessions|stateless]: over HTTP; each request for itself, and its answer as JSON, in the latter.
// sdk-v1.mjs stdio FOLDER: on stdio, with processes that share what their tools wait for.
const [mode, folder] = process.argv.slice(2);
const gate = new fixture.Gate(folder);
const waiting = new fixture.Waiting(folder);
const visited = new fixture.Gate(folder, "visited");
/** The servers of all sessions, whose clients hear of changes. */
const served = [];
let grown = false;

/** @param listening resolves when the client's GET stream is open: over HTTP, earlier notifications are lost */
function makeServer(listening) {
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
  const tool = (name, inputSchema, handler, rest = {}) =>
    server.registerTool(name, { description: name, inputSchema, ...rest }, handler);
  plainTools(tool);
  tellingTools(server, tool, listening);
  askingTools(server, tool);
  resources(server, listening);
  rest(server, tool);
  server.registerPrompt(
    "greet",
    { argsSchema: { name: completable(z.string(), fixture.startingWith) } },
    ({ name }) => fixture.greeting(name),
  );
  server.registerPrompt("rich", { title: "Rich" }, () => fixture.rich);
  if (grown) grow(server);
  return server;
}

function plainTools(tool) {
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
  tool("release", {}, () => {
    gate.open();
    return text("released");
  });

  tool("wait", {}, async (_input, { signal }) => {
    await waiting.until(signal);
    return text("aborted");
  });
  tool("begun", {}, async () => {
    await waiting.begun();
    return text("begun");
  });
  tool("aborted", {}, async () => text(await waiting.aborted()));
}

/** Tools that send notifications before or besides their answer. */
function tellingTools(server, tool, listening) {
  tool("log", {}, async (_input, { sessionId }) => {
    await listening;
    const log = (message) => server.sendLoggingMessage(message, sessionId);
    await log({ level: "debug", data: "too low" });
    await log({ level: "warning", logger: "fixture", data: { said: "careful" } });
    return text("logged");
  });
  tool("count", { to: z.number() }, async ({ to }, { _meta, sendNotification }) => {
    const { progressToken } = _meta;
    for (let progress = 1; progress <= to; progress++)
      await sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress, total: to, message: `step ${progress}` },
      });
    // The SDK's clients drop progress that arrives together with the answer, so the answer waits until it is released.
    await gate.passed();
    return text(`counted to ${to}`);
  });
  tool("touch", {}, async () => {
    await everywhere((one) => one.server.sendResourceUpdated({ uri: note.uri }));
    return text("touched");
  });
  tool("grow", {}, async () => {
    grown = true;
    await everywhere(grow);
    return text("grew");
  });
}

/** Changes the servers of all clients that listen; those that have subscribed will. */
async function everywhere(change) {
  for (const { server, listening, isSubscribed } of served) {
    if (!server.isConnected()) continue;
    if (isSubscribed) await listening;
    await change(server);
  }
}

function grow(server) {
  server.registerTool("grown", { description: "grown", inputSchema: {} }, () => text("grown"));
  server.registerPrompt("grown", {}, () => fixture.greeting("all"));
  server.registerResource("grown", "test://grown", {}, () => ({ contents: [] }));
}

function askingTools(server, tool) {
  tool("name", {}, async (_input, { requestId }) => {
    const form = { mode: "form", ...fixture.nameForm };
    const { action, content } = await server.server.elicitInput(form, { relatedRequestId: requestId });
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
}

/** Offers that pages, vendors and errors need. */
function rest(server, tool) {
  for (const [name, result] of Object.entries(fixture.results)) tool(name, {}, () => result, fixture.listing);
  tool("meta", {}, (_input, { _meta }) => {
    const own = Object.entries(_meta).filter(([name]) => name.startsWith("example.com/"));
    return text(JSON.stringify(Object.fromEntries(own)));
  });
  tool("caller", {}, () =>
    text(JSON.stringify([server.server.getClientVersion(), server.server.getClientCapabilities()])),
  );
  tool("news", {}, async (_input, { sendNotification }) => {
    await sendNotification({ method: "vendor/news", params: { n: 7 } });
    return text("sent");
  });
  tool("twice", {}, async () => {
    const first = await server.server.elicitInput({ mode: "form", ...fixture.nameForm });
    const second = await server.server.elicitInput({ mode: "form", ...fixture.nameForm });
    return text(JSON.stringify([first, second]));
  });
  tool("pages", {}, () => {
    if (visited.isOpen) return text("visited");
    visited.open();
    throw new UrlElicitationRequiredError([{ mode: "url", ...fixture.page }]);
  });
  const vendor = (method, handler) =>
    server.server.setRequestHandler(
      z.object({ method: z.literal(method), params: z.looseObject({}).optional() }),
      handler,
    );
  vendor("vendor/echo", ({ params: { of } }) => ({ of }));
  vendor("vendor/fail", () => {
    const { code, message, data } = fixture.refusal;
    throw new McpError(code, message, data);
  });
  server.server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) =>
    params?.cursor === fixture.secondPage
      ? { resourceTemplates: [fixture.secondTemplate] }
      : {
          resourceTemplates: [{ uriTemplate: fixture.itemTemplate, name: "item", mimeType: "text/plain" }],
          nextCursor: fixture.secondPage,
        },
  );
}

function resources(server, listening) {
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
  const one = { server, listening, isSubscribed: false };
  served.push(one);
  server.server.setRequestHandler(SubscribeRequestSchema, () => {
    one.isSubscribed = true;
    return {};
  });
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
}

const sessions = new Map();

async function withSession(request, response) {
  let session = sessions.get(request.headers["mcp-session-id"]);
  if (!session) {
    const listening = fixture.deferred();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, session),
    });
    session = { transport, listening };
    await makeServer(listening.promise).connect(transport);
  }
  if (request.method === "GET") onHead(response, session.listening.resolve);
  await session.transport.handleRequest(request, response);
}

async function alone(request, response) {
  if (request.method !== "POST") return response.writeHead(405).end();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await makeServer(fixture.deferred().promise).connect(transport);
  await transport.handleRequest(request, response);
}

const handler = { sessions: withSession, stateless: alone }[mode];
if (handler) createServer(handler).listen(0, "127.0.0.1");
else await makeServer().connect(new StdioServerTransport());
