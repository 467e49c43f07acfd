import { safeIcons } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { heard } from "../../support/heard.mjs";
import {
  type Members,
  type ScriptedPeer,
  type Wired,
  connected,
  failure,
  reply,
} from "../../support/scripted-stdio-server.js";
import { revisionsOf, row } from "./rows.js";

/** Ways to answer that are none of the success. */
const failing = {
  "tools/call": ({ params }: Wired, peer: ScriptedPeer) =>
    Number(params?.["arguments"].n) % 3 === 0 ? failure(-32603) : reply(peer, { content: [] }),
};

function ids(peer: ScriptedPeer): unknown[] {
  return peer.received.flatMap(({ id, method }) => (method !== undefined && id !== undefined ? [id] : []));
}

/** Has the client fill in a form, name its roots and do what it cannot. */
async function askEverything(peer: ScriptedPeer): Promise<Wired[]> {
  const requestedSchema = { type: "object", properties: {} };
  return Promise.all([
    peer.ask("ping"),
    peer.ask("roots/list"),
    peer.ask("no/such"),
    peer.ask("sampling/createMessage", { maxTokens: "many" }),
    peer.ask("elicitation/create", { message: "Who?", requestedSchema }),
  ]);
}

const capable = {
  roots: [{ uri: "file:///a" }],
  elicit: () => {
    throw new Error("no screen");
  },
};

row(
  "BASE-02",
  "ids are strings or integers; a request without a right one is not answered",
  async (revision) => {
    const { client, peer } = await connected(revision, {}, capable);
    await Promise.all([client.callTool("a"), client.listTools(), client.ping()]);
    for (const id of ids(peer)) expect(typeof id === "string" || Number.isInteger(id)).toBe(true);
    const mark = peer.received.length;
    for (const id of [null, 1.5, {}, true]) peer.send({ jsonrpc: "2.0", id, method: "ping" });
    await peer.nothingSince(mark, client);
  },
);

row("BASE-03", "no id is used twice, whatever became of the requests", async (revision) => {
  const { client, peer } = await connected(revision, failing);
  for (let burst = 0; burst < 4; burst++)
    await Promise.allSettled(Array.from({ length: 50 }, (_, n) => client.callTool("work", { n })));
  expect(ids(peer)).toHaveLength(201);
  expect(new Set(ids(peer)).size).toBe(201);
});

row("BASE-04", "pending requests have different ids", async (revision) => {
  const { client, peer } = await connected(revision, { "tools/call": () => undefined });
  const calls = Array.from({ length: 50 }, () => client.callTool("slow"));
  await peer.until("tools/call", 50);
  const open = peer.of("tools/call");
  expect(new Set(open.map(({ id }) => id)).size).toBe(50);
  for (const { id } of open) peer.send({ jsonrpc: "2.0", id, ...reply(peer, { content: [] }) });
  await Promise.all(calls);
});

row("BASE-06", "answers have either a result or an error", async (revision) => {
  const { peer } = await connected(revision, {}, capable);
  for (const answer of await askEverything(peer))
    expect("result" in answer, JSON.stringify(answer)).toBe(!("error" in answer));
});

row("BASE-07", "error codes are integers, and errors have a message", async (revision) => {
  const { client, peer } = await connected(revision, {}, capable);
  if (revision >= "2026") {
    // There are no requests of the server, so there is no error of the client.
    const mark = peer.received.length;
    peer.send({ jsonrpc: "2.0", id: 1, method: "no/such" });
    return peer.nothingSince(mark, client);
  }
  const errors = (await askEverything(peer)).flatMap(({ error }) => error ?? []);
  expect(errors.length).toBeGreaterThanOrEqual(3);
  for (const { code, message } of errors) {
    expect(Number.isInteger(code)).toBe(true);
    expect(typeof message).toBe("string");
  }
});

row("BASE-08", "no notification is answered, known or not, well formed or not", async (revision) => {
  const { client, peer } = await connected(revision);
  const mark = peer.received.length;
  for (const method of ["notifications/no/such", "notifications/message", "notifications/progress"])
    for (const params of [undefined, null, 5, [], "text", {}, { level: 1, progressToken: {} }])
      peer.notify(method, params);
  for (const params of [undefined, null, 5, {}, { requestId: null }]) {
    peer.notify("notifications/cancelled", params);
    peer.notify("notifications/resources/updated", params);
  }
  await peer.nothingSince(mark, client);
});

row("BASE-09", "notifications have no id", async (revision) => {
  const { client, peer } = await connected(revision, { "tools/call": () => undefined }, capable);
  const stop = new AbortController();
  const call = client.callTool("slow", {}, { signal: stop.signal });
  await peer.until("tools/call");
  stop.abort();
  await expect(call).rejects.toMatchObject({ code: "cancelled" });
  await client.rootsChanged();
  await peer.until("notifications/cancelled");
  const sent = peer.received.filter(({ method }) => method?.startsWith("notifications/"));
  expect(sent.length).toBeGreaterThanOrEqual(revision < "2026" ? 3 : 1);
  for (const message of sent) expect(message).not.toHaveProperty("id");
});

row("BASE-14", "text survives, split wherever it may be", async (revision) => {
  const text = "𝒳 e\u0301 \u2028 \u2029 \u0000 👩‍👩‍👧 \ud83d\ude00";
  const { client, peer } = await connected(revision, { "tools/call": () => undefined });
  const call = client.callTool("echo", { text });
  const { id, params } = await peer.until("tools/call");
  expect(params!["arguments"]).toEqual({ text });
  const answer = { jsonrpc: "2.0", id, ...reply(peer, { content: [{ type: "text", text }] }) };
  for (const byte of Buffer.from(`${JSON.stringify(answer)}\n`)) peer.write(Uint8Array.of(byte));
  expect((await call).content).toEqual([{ type: "text", text }]);
});

/** Requests that a server of this revision must not make, and unknown ones. */
async function rogue(revision: string): Promise<{ peer: ScriptedPeer; mark: number }> {
  const { client, peer } = await connected(revision, {}, capable);
  const mark = peer.received.length;
  for (const method of ["ping", "roots/list", "elicitation/create", "sampling/createMessage", "no/such"])
    peer.send({ jsonrpc: "2.0", id: method, method, params: {} });
  await peer.nothingSince(mark, client);
  return { peer, mark };
}

row("BASE-15", "no code is sent at all, since nothing is answered", async (revision) => {
  const { peer } = await rogue(revision);
  expect(peer.received.filter((message) => "error" in message)).toEqual([]);
});

row("BASE-16", "no code of the old range is sent", async (revision) => {
  const { peer } = await rogue(revision);
  expect(peer.received.filter((message) => "error" in message)).toEqual([]);
});

row("BASE-23", "every request says who the client is", async (revision) => {
  const info = { name: "the-client", version: "7" };
  const { client, peer, clock } = await connected(
    revision,
    {
      "tools/call": ({ params }, self) =>
        params!["requestState"] === "s"
          ? reply(self, { content: [] })
          : { result: { resultType: "input_required", requestState: "s" } },
      "subscriptions/listen": ({ id }, self) => {
        const _meta = { "io.modelcontextprotocol/subscriptionId": id };
        self.notify("notifications/subscriptions/acknowledged", { notifications: {}, _meta });
        return undefined;
      },
    },
    { info },
  );
  await client.callTool("in two rounds");
  await client.listTools();
  await client.ping();
  const subscription = await client.subscribe({ tools: true });
  await subscription.close();
  await clock.advance(0);
  const requests = peer.received.filter(({ id }) => id !== undefined);
  expect(requests.map(({ method }) => method)).toEqual([
    "server/discover",
    "tools/call",
    "tools/call",
    "tools/list",
    "server/discover",
    "subscriptions/listen",
  ]);
  for (const { params } of requests)
    expect(params!._meta!["io.modelcontextprotocol/clientInfo"]).toEqual(info);
});

row("BASE-24", "unknown members are kept, in both directions", async (revision) => {
  const _meta = { "com.example/x": { a: 1 } };
  const extra = { later: ["addition"] };
  const heard: Members[] = [];
  const { client, peer } = await connected(revision, {
    "tools/call": (_, self) =>
      reply(self, { content: [{ type: "text", text: "", _meta, ...extra }], _meta, ...extra }),
    "tools/list": (_, self) =>
      reply(self, { tools: [{ name: "a", inputSchema: { type: "object" }, ...extra }], _meta }),
  });
  client.on("notifications/message", (params) => heard.push(params));
  const result = await client.request<Members>("tools/call", { name: "a", arguments: {}, _meta, ...extra });
  expect(result).toMatchObject({ content: [{ type: "text", text: "", _meta, ...extra }], _meta, ...extra });
  expect((await client.listTools()).items[0]).toMatchObject(extra);
  const [sent] = peer.of("tools/call");
  expect(sent!.params).toMatchObject({ ...extra, _meta });
  peer.notify("notifications/message", { level: "info", data: "x", _meta, ...extra });
  await client.callTool("after");
  expect(heard).toEqual([expect.objectContaining({ _meta, ...extra })]);
});

row("BASE-28", "icons at unsafe addresses are not among those to show", async (revision) => {
  const good = [
    { src: "https://example.com/i.png", mimeType: "image/png", sizes: ["48x48"] },
    { src: "data:image/png;base64,AA==" },
  ];
  const unsafe = [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "JavaScript:alert(1)",
    "file:///etc/passwd",
    "ftp://example.com/i.png",
    "ws://example.com/",
    "http://example.com/i.png",
    "vscode://open",
    "//example.com/i.png",
    "i.png",
    "",
  ].map((src) => ({ src }));
  const icons = [...unsafe.slice(0, 6), ...good, ...unsafe.slice(6)];
  const { client } = await connected(revision, {
    "tools/list": (_, peer) =>
      reply(peer, { tools: [{ name: "t", inputSchema: { type: "object" }, icons }] }),
  });
  const [tool] = (await client.listTools()).items;
  expect(tool!.icons).toHaveLength(icons.length);
  expect(safeIcons(tool!.icons)).toEqual(good);
  expect(safeIcons(undefined)).toEqual([]);
});

test.each(revisionsOf("BASE-08"))("a listener that throws costs no message (%s)", async (revision) => {
  const errors: unknown[] = [];
  const { client, peer } = await connected(
    revision,
    { "tools/call": () => undefined },
    { onEvent: heard({ handlerError: (error) => errors.push(error) }) },
  );
  const fail = (): never => {
    throw new Error("no screen");
  };
  const got: Members[] = [];
  client.on("notifications/message", fail);
  client.on("*", (params) => got.push(params));
  const call = client.callTool("t", {}, { onProgress: fail });
  const { id, params } = await peer.until("tools/call");
  const { progressToken } = params!._meta!;
  const message = { level: "info", data: 1 };
  peer.send(
    { jsonrpc: "2.0", method: "notifications/message", params: message },
    { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1 } },
    { jsonrpc: "2.0", id, ...reply(peer, { content: [] }) },
  );
  expect((await call).content).toEqual([]);
  expect(got).toEqual([message]);
  expect(errors).toHaveLength(2);
});
