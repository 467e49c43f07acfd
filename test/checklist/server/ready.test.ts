import type { CodeFirstServer } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { serve } from "../../support/http-adapters.js";
import { Party, messagesOf } from "../../support/raw-http-client.js";
import { RawClient, served, textOf } from "../../support/raw-stdio-client.js";

const legacy = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/** A tool with all the effects after which a server sends messages without a request. */
function busy(server: CodeFirstServer): void {
  server.resource("x://one", {}, () => "");
  server.tool("busy", {}, async (_, { ask, log, progress }) => {
    log("info", "at work");
    progress(1);
    server.tool("another", {}, () => "").remove();
    server.prompt("one", {}, () => "").remove();
    server.resourceUpdated("x://one");
    server.resourceUpdated("x://one");
    const { content } = await ask.sample("k", { messages: [], maxTokens: 1 });
    return JSON.stringify(content);
  });
}

const said = { role: "assistant", model: "m", content: { type: "text", text: "hello" } };
const options = { capabilities: { logging: {} } };
const initialize = {
  capabilities: { sampling: {} },
  clientInfo: { name: "raw", version: "1" },
};

test.each(legacy)(
  "before the client is ready, only logs and progress are sent; other messages follow afterwards, once (%s)",
  async (revision) => {
    const { server } = served(busy, options);
    const client = new RawClient(server, revision, { sampling: {} });
    client.answers = { "sampling/createMessage": () => ({ result: said }) };
    await client.request("initialize", { protocolVersion: revision, ...initialize });
    await client.request("resources/subscribe", { uri: "x://one" });
    const mark = client.received.length;
    const id = client.startCall("busy", {}, { progressToken: "p" });
    const before = await client.settled(mark);
    expect(before.map(({ method }) => method)).toEqual(["notifications/message", "notifications/progress"]);
    client.notify("notifications/initialized");
    expect(textOf(await client.answer(id))).toBe('{"type":"text","text":"hello"}');
    const after = client.received.slice(mark + before.length).map(({ method }) => method);
    expect(after.sort()).toEqual([
      "notifications/resources/updated",
      "notifications/tools/list_changed",
      "sampling/createMessage",
      undefined,
    ]);
    // Once a session is open it stays so.
    client.notify("notifications/initialized");
    expect(await client.settled(client.received.length)).toEqual([]);
  },
);

test("an ask that waits for the client to be ready times out, and is never sent", async () => {
  const { server, clock } = served(
    (it) => it.tool("ask", {}, async (_, { ask }) => JSON.stringify(await ask.roots("r", { timeout: 1000 }))),
    options,
  );
  const client = new RawClient(server, "2025-11-25", { roots: {} });
  await client.request("initialize", {
    protocolVersion: "2025-11-25",
    ...initialize,
    capabilities: { roots: {} },
  });
  const id = client.startCall("ask");
  await client.settled();
  await clock.advance(1000);
  expect((await client.answer(id)).result).toMatchObject({ isError: true });
  client.notify("notifications/initialized");
  await client.settled();
  expect(client.received.filter(({ method }) => method !== undefined)).toEqual([]);
});

test.each(legacy.slice(1))(
  "over HTTP, only logs and progress are sent before the client is ready (%s)",
  async (revision) => {
    const { server } = served(busy, options);
    const { url } = await serve("node", server);
    const party = new Party(url, revision, {}, { sampling: {} });
    const opened = await party.initialize();
    party.session = opened.headers["mcp-session-id"] as string;
    const stream = await party.get();
    const call = await party.post(party.call("busy", {}, { _meta: { progressToken: "p" } }, "c"));
    const methods = (): unknown[] =>
      [stream, call].flatMap((answer) => messagesOf(answer)).flatMap(({ method }) => method ?? []);
    await call.until(() => methods().includes("notifications/progress"));
    await party.request("ping");
    expect(methods()).toEqual(["notifications/message", "notifications/progress"]);
    await party.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    await call.until(() => methods().includes("sampling/createMessage"));
    const asked = messagesOf(call).find(({ method }) => method === "sampling/createMessage")!;
    await party.post({ jsonrpc: "2.0", id: asked.id, result: said });
    await call.whole();
    expect(methods()).toContain("notifications/tools/list_changed");
  },
);
