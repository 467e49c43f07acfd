import { expect } from "vitest";
import { serve } from "../../support/http-adapters.js";
import { inside } from "../../support/http-fixture.js";
import { clientRow, serverRow } from "./rows.js";
import { textOf } from "../../support/raw-http-client.js";
import {
  type Incoming,
  type Script,
  type ScriptedHttp,
  clientOf,
  scripted,
} from "../../support/scripted-http-server.js";
import { SseParty } from "../../support/raw-sse-client.js";
import { send } from "../../support/http-wire.js";

const sse = { sse: true, keepAliveMs: 0 } as const;

serverRow("SSE-01", "the stream says first where messages go", async (revision, adapter) => {
  for (const [query, messages, expected] of [
    ["", undefined, "/mcp"],
    ["?key=a%20b&sessionId=old", undefined, "/mcp?key=a+b"],
    ["", "/elsewhere/messages?x=1", "/elsewhere/messages?x=1"],
    ["", "relative", "/relative"],
  ] as const) {
    const options = { ...sse, sse: messages === undefined ? true : { messages } };
    const { url, port } = await serve(adapter, inside().server, options);
    const party = await new SseParty(url + query, revision).listen();
    expect(party.stream).toMatchObject({ status: 200, type: "text/event-stream" });
    const endpoint = new URL(await party.endpoint());
    expect(endpoint.searchParams.get("sessionId")).toMatch(/^[\w-]{22}$/);
    endpoint.searchParams.delete("sessionId");
    expect(endpoint.href).toBe(`http://127.0.0.1:${port}${expected}`);
  }
});

serverRow("SSE-02", "each message of the server is a separate event", async (revision, adapter) => {
  const { url } = await serve(adapter, inside().server, sse);
  const party = await new SseParty(url, revision).open();
  expect((await party.request("tools/list")).result?.["tools"]).toHaveLength(8);
  const called = await party.request("tools/call", { name: "echo", arguments: { text: "two\nlines" } });
  expect(textOf(called)).toBe("two\nlines");
  const steps = { name: "steps", arguments: { count: 3 }, _meta: { progressToken: 7 } };
  expect(textOf(await party.request("tools/call", steps))).toBe("stepped");
  const progress = party.messages.filter(({ method }) => method === "notifications/progress");
  expect(progress.map(({ params }) => params?.["progress"])).toEqual([1, 2, 3]);
  expect((await party.request("no/such")).error?.code).toBe(-32601);
  await party.request("tools/call", { name: "change", arguments: {} });
  await party.stream.until(() =>
    party.messages.find(({ method }) => method === "notifications/tools/list_changed"),
  );
});

serverRow("SSE-08", "several clients are kept apart", async (revision, adapter) => {
  const { url } = await serve(adapter, inside().server, sse);
  const parties = await Promise.all(
    ["ada", "eve", "kim"].map((name) => new SseParty(url, revision, { "x-name": name }).open()),
  );
  const names = await Promise.all(parties.map((party) => party.endpoint()));
  expect(new Set(names).size).toBe(3);
  await Promise.all(
    parties.map(async (party) => {
      const text = party.headers["x-name"]!;
      const args = { name: "echo", arguments: { text } };
      expect(textOf(await party.request("tools/call", args, 1))).toBe(text);
    }),
  );
  for (const party of parties) expect(party.messages.filter(({ id }) => id === 1)).toHaveLength(1);
  const json = { "content-type": "application/json" };
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });
  expect((await send(`${url}?sessionId=none`, "POST", json, ping)).status).toBe(404);
  parties[0]!.stream.cut();
  // The server sees it a little later.
  while ((await send(names[0]!, "POST", json, ping)).status !== 404);
  expect((await parties[1]!.request("ping")).result).toEqual({});
});

/** A server of 2024-11-05: it says where messages go, and answers them on the stream. */
function older(endpoint: string, refusal = 404): Script {
  let stream: Incoming | undefined;
  const posted = (reply: object) => (incoming: Incoming) => {
    if (incoming.path === "/mcp") return incoming.status(refusal, "Cannot POST /mcp");
    incoming.status(202, "Accepted");
    if (incoming.message?.id !== undefined) stream!.event(incoming.answer(reply as never));
  };
  return {
    GET: (incoming) => void (stream = incoming.events(`event: endpoint\ndata: ${endpoint}\n\n`)),
    "server/discover": (incoming) => incoming.status(refusal),
    initialize: posted({
      protocolVersion: "2024-11-05",
      capabilities: { tools: {} },
      serverInfo: { name: "older", version: "1" },
    }),
    "notifications/initialized": posted({}),
    ping: posted({}),
    "tools/call": posted({ content: [{ type: "text", text: "called" }] }),
  };
}

function paths(server: ScriptedHttp): string[] {
  return server.received.map(({ verb, path }) => `${verb} ${path}`);
}

clientRow("SSE-03", "all messages go where the stream says", async (revision) => {
  for (const refusal of [400, 404, 405])
    for (const endpoint of ["/messages/?session=a%2Fb&x=1", "messages/?session=a%2Fb&x=1", "absolute"]) {
      const server = await scripted(revision, {});
      const { origin } = new URL(server.url);
      const given = endpoint === "absolute" ? `${origin}/messages/?session=a%2Fb&x=1` : endpoint;
      server.script = older(given, refusal);
      const client = await clientOf(server.url);
      expect(client.revision).toBe(revision);
      expect((await client.callTool("x")).content).toEqual([{ type: "text", text: "called" }]);
      await client.ping();
      await client.close();
      const posts = Array<string>(4).fill("POST /messages/?session=a%2Fb&x=1");
      expect(paths(server)).toEqual(["POST /mcp", "POST /mcp", "GET /mcp", ...posts]);
      expect(server.received.every(({ headers }) => headers["mcp-session-id"] === undefined)).toBe(true);
    }
});

clientRow("SSE-06", "an older transport is tried unless a modern server refuses", async (revision) => {
  const error = (code: number) => ({ jsonrpc: "2.0", id: null, error: { code, message: "no" } });
  for (const [status, body, gets] of [
    [404, "", 1],
    [405, "<h1>Not allowed</h1>", 1],
    [400, "Bad request", 1],
    [400, JSON.stringify(error(-32_000)), 1],
    [404, JSON.stringify(error(-32_601)), 0],
    [400, JSON.stringify(error(-32_020)), 0],
    [400, JSON.stringify(error(-32_022)), 0],
    [500, "", 0],
    [403, "", 0],
  ] as const) {
    const refuse = (incoming: Incoming): void =>
      incoming.status(status, body, {
        "content-type": body.startsWith("{") ? "application/json" : "text/html",
      });
    const server = await scripted(revision, { "server/discover": refuse, initialize: refuse });
    await expect(clientOf(server.url)).rejects.toThrow();
    expect([status, body, server.of("GET").length]).toEqual([status, body, gets]);
  }
});

clientRow("SSE-07", "an endpoint of another origin is not followed", async (revision) => {
  const other = await scripted(revision);
  const { port } = new URL(other.url);
  for (const endpoint of [
    other.url,
    `http://127.0.0.2:${port}/`,
    `//127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}@evil.example/`,
    "file:///etc/passwd",
    "http://[",
  ]) {
    const server = await scripted(revision, older(endpoint));
    await expect(clientOf(server.url)).rejects.toMatchObject({ code: "invalid-result" });
    expect(paths(server).filter((path) => path.startsWith("POST"))).toEqual(["POST /mcp", "POST /mcp"]);
    // Nor is the stream kept.
    await server.of("GET")[0]!.closed;
  }
  expect(other.received).toEqual([]);
});
