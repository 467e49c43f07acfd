// A server of ours inside applications of Express, Fastify and Hono.
import assert from "node:assert/strict";
import { request } from "node:http";
import { describe, test } from "node:test";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { connect, createServer } from "@mcpgen/runtime";
import { textOf } from "./behaviours.mjs";
import { legacy, modern } from "./peers.mjs";
import { frameworks } from "./mounts/frameworks.mjs";
import { hang as timeout } from "../support/until.mjs";

const eras = [legacy.at(-1), modern];

for (const [name, { fronts, greedy, serve }] of Object.entries(frameworks))
  describe(name, () => {
    const can = (what, run, options, how) =>
      test(what, { timeout }, async (t) => {
        const server = counting();
        const app = await serve(server, options, how);
        t.after(() => app.close());
        await run({ t, ...app, server });
      });

    for (const revision of eras) {
      for (const front of fronts)
        can(`tools at ${revision}, bodies read before by ${front}`, tools(revision), {}, { front });
      can(`progress at ${revision}`, progress(revision));
      can(`calls at once at ${revision}`, manyCalls(revision));
    }
    can(`subscriptions at ${modern}, and their end when the application closes`, subscriptions(modern));
    can(`subscriptions at ${eras[0]}, and their end when the application closes`, subscriptions(eras[0]));
    can(`a stream that broke is taken up again at ${eras[0]}`, brokenStream);
    can(`a dropped connection cancels at ${modern}`, dropped(modern));
    can(`a dropped connection cancels at ${eras[0]}, without sessions`, dropped(eras[0]), {
      sessions: false,
    });
    can("other hosts and origins are refused", strangers);
    can("other routes of the application", otherRoutes);
    can(
      "a request whose body another middleware consumed is refused with the reason",
      kept,
      {},
      { front: greedy },
    );
  });

function counting() {
  const server = createServer(
    { name: "mounted", version: "1.0.0" },
    { revisions: serverRevisions, onEvent: () => true },
  );
  server.tool("echo", {}, ({ message }) => message);
  server.tool("count", {}, async ({ to }, context) => {
    for (let number = 1; number <= to; number++) context.progress(number, to);
    return `counted to ${to}`;
  });
  let added = 0;
  server.tool("add", {}, () => {
    server.tool(`added-${++added}`, {}, () => "added");
    return "added";
  });
  return server;
}

async function client(t, url, revision) {
  const revisions = clientRevisions.filter(({ id }) => id === revision);
  const found = await connect(url, { revisions });
  t.after(() => found.close());
  assert.equal(found.revision, revision);
  return found;
}

function tools(revision) {
  return async ({ t, url }) => {
    const mcp = await client(t, url, revision);
    assert.equal((await mcp.listTools()).items.length, 3);
    for (const message of ["ünïcödé \u2028 𝄞", "0123456789äöü€𝄞".repeat(20_000)])
      assert.equal(textOf(await mcp.callTool("echo", { message })), message);
  };
}

function progress(revision) {
  return async ({ t, url }) => {
    const mcp = await client(t, url, revision);
    const seen = [];
    const onProgress = (report) => seen.push(`${report.progress}/${report.total}`);
    assert.equal(textOf(await mcp.callTool("count", { to: 3 }, { onProgress })), "counted to 3");
    assert.deepEqual(seen, ["1/3", "2/3", "3/3"]);
  };
}

function manyCalls(revision) {
  return async ({ t, url }) => {
    const mcp = await client(t, url, revision);
    const messages = Array.from({ length: 50 }, (_, index) => `message ${index}`);
    const results = await Promise.all(messages.map((message) => mcp.callTool("echo", { message })));
    assert.deepEqual(results.map(textOf), messages);
  };
}

function subscriptions(revision) {
  return async ({ t, url, close }) => {
    const mcp = await client(t, url, revision);
    const changes = (await mcp.subscribe({ tools: true }))[Symbol.asyncIterator]();
    await mcp.callTool("add");
    assert.equal((await changes.next()).value.method, "notifications/tools/list_changed");
    // If a stream stayed open, the application would wait for it.
    await close();
  };
}

async function brokenStream({ t, url, server, cut }) {
  const mcp = await client(t, url, eras[0]);
  const changes = (await mcp.subscribe({ tools: true }))[Symbol.asyncIterator]();
  await mcp.callTool("add");
  await changes.next();
  cut();
  // A notification sent while no stream is open waits for the client to connect again.
  server.tool("added by others", {}, () => "added");
  assert.equal((await changes.next()).value.method, "notifications/tools/list_changed");
}

function dropped(revision) {
  return async ({ url, server }) => {
    const started = deferred();
    const aborted = deferred();
    server.tool("wait", {}, async (_input, { signal }) => {
      signal.addEventListener("abort", aborted.resolve);
      started.resolve();
      await aborted.promise;
      return "aborted";
    });
    const meta = revision === modern && {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": modern,
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    };
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "wait", arguments: {}, ...meta },
    };
    const sent = post(url, message, {
      "mcp-protocol-version": revision,
      "mcp-method": "tools/call",
      "mcp-name": "wait",
    });
    sent.on("error", () => undefined);
    await Promise.race([started.promise, answerOf(sent).then(({ text }) => assert.fail(text))]);
    sent.destroy();
    await aborted.promise;
  };
}

async function strangers({ url }) {
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const good = new URL(url).host;
  for (const [headers, status, reason] of [
    [{ host: "evil.example" }, 403, /allowedHosts/],
    [{ origin: "https://evil.example" }, 403, /allowedOrigins/],
    [{ host: good, origin: "http://localhost:5173" }, 400, /Mcp-Session-Id/],
  ]) {
    const answer = await answerOf(post(url, ping, headers));
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.text, reason);
  }
}

async function otherRoutes({ url }) {
  const root = new URL("/", url);
  assert.equal(await (await fetch(root)).text(), "the application");
  for (const path of ["/mcp", "/api", "/api/mcp/more"])
    assert.equal((await fetch(new URL(path, root), { method: "POST" })).status, 404, path);
  const listening = await fetch(url);
  assert.deepEqual([listening.status, listening.headers.get("allow")], [405, "POST, DELETE"]);
}

async function kept({ url }) {
  const answer = await answerOf(post(url, { jsonrpc: "2.0", id: 1, method: "ping" }, {}));
  assert.equal(answer.status, 500);
  assert.match(answer.text, /the body was read before it came here; /);
}

function post(url, message, headers) {
  const accept = "application/json, text/event-stream";
  const given = { "content-type": "application/json", accept, ...headers };
  const sent = request(url, { method: "POST", headers: given });
  sent.end(JSON.stringify(message));
  return sent;
}

async function answerOf(sent) {
  const response = await new Promise((resolve, reject) => sent.on("response", resolve).on("error", reject));
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode, text };
}

function deferred() {
  let resolve;
  const promise = new Promise((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
