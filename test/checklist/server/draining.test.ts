// What was received is answered before the end: the end of the input on stdio, `close()` over HTTP.
import type { CodeFirstServer } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { adapters, serve } from "../../support/http-adapters.js";
import { Gate, inside } from "../../support/http-fixture.js";
import { Party, textOf as textIn } from "../../support/raw-http-client.js";
import { RawClient, raw, served, textOf } from "../../support/raw-stdio-client.js";

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/** A tool that waits for a gate, and one that asks. */
function waiting(server: CodeFirstServer): { began: Gate; gate: Gate; aborted: Gate } {
  const gates = { began: new Gate(), gate: new Gate(), aborted: new Gate() };
  server.tool("wait", {}, async (_, { signal }) => {
    signal.addEventListener("abort", () => gates.aborted.open());
    gates.began.open();
    await gates.gate.opened;
    return "waited";
  });
  server.tool("ask", {}, async (_, { ask }) => JSON.stringify(await ask.roots("r")));
  return gates;
}

describe("the end of the input", () => {
  test.each(revisions)("received requests are still answered (%s)", async (revision) => {
    let gates!: ReturnType<typeof waiting>;
    const { client } = await raw(revision, (server) => void (gates = waiting(server)), { roots: {} });
    const waits = client.startCall("wait");
    const asks = client.startCall("ask");
    await gates.began.opened;
    client.hangUp();
    // Nothing more can come, so that an ask fails at once.
    if (!client.isModern) expect((await client.answer(asks)).result!["isError"]).toBe(true);
    gates.gate.open();
    expect(textOf(await client.answer(waits))).toBe("waited");
  });

  test("a subscription is answered at once", async () => {
    const { client } = await raw("2026-07-28", (server) => void server.tool("t", {}, () => ""));
    const id = client.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await client.next("notifications/subscriptions/acknowledged");
    client.hangUp();
    expect((await client.answer(id)).result).toMatchObject({ resultType: "complete" });
  });

  test.each(revisions)("whole lines that arrive together with it are answered (%s)", async (revision) => {
    const { server } = served((it) => it.tool("now", {}, async () => "now"));
    const client = new RawClient(server, revision);
    const { isModern } = client;
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    const initialize = { jsonrpc: "2.0", id: "i", method: "initialize", params };
    const call = client.requestOf("tools/call", { name: "now", arguments: {} }, "c");
    client.send(
      ...(isModern ? [] : [initialize, { jsonrpc: "2.0", method: "notifications/initialized" }]),
      call,
    );
    client.hangUp();
    expect(textOf(await client.answer("c"))).toBe("now");
  });
});

describe.each(adapters)("close() over HTTP (%s)", (adapter) => {
  test.each(revisions.slice(1))(
    "running requests are answered, and new ones are refused (%s)",
    async (revision) => {
      const { server, gate, began } = inside();
      const target = await serve(adapter, server, { graceMs: 1000 });
      const party = await new Party(target.url, revision).open();
      const call = party.request("tools/call", { name: "gated", arguments: {} });
      await began.opened;
      const other = await new Party(target.url, revision).open();
      const closed = target.close();
      expect((await other.post(other.call("echo", { text: "x" }))).status).toBe(503);
      gate.open();
      expect(textIn(await call)).toBe("done");
      await closed;
    },
  );

  test("a call that does not end in time is aborted", async () => {
    const { server, clock, aborted, began } = inside();
    const target = await serve(adapter, server, { graceMs: 1000 });
    const party = await new Party(target.url, "2026-07-28").open();
    const call = party.post(party.call("gated"));
    await began.opened;
    const closed = target.close();
    await clock.advance(1000);
    await aborted.opened;
    expect((await call).status).toBe(503);
    await closed;
    expect(clock.waiting).toBe(0);
  });

  test("a large answer is sent completely", async () => {
    const { server, gate, began } = inside();
    const text = "x".repeat(8e6);
    server.tool("large", {}, async () => {
      began.open();
      await gate.opened;
      return text;
    });
    const target = await serve(adapter, server, { graceMs: 1000 });
    const party = await new Party(target.url, "2026-07-28").open();
    const call = party.request("tools/call", { name: "large", arguments: {} });
    await began.opened;
    const closed = target.close();
    gate.open();
    expect(textIn(await call) === text).toBe(true);
    await closed;
  });

  test("a request that waits for its client's answer gets it", async () => {
    const { server } = inside();
    const target = await serve(adapter, server, { graceMs: 1000 });
    const party = await new Party(target.url, "2025-11-25", {}, { elicitation: {} }).open();
    const call = await party.post(party.call("greet"));
    const asked = await call.until(({ events }) =>
      events.find(({ data }) => data?.includes("elicitation/create")),
    );
    const { id } = JSON.parse(asked.data!) as { id: number };
    const closed = target.close();
    const result = { action: "accept", content: { name: "Ada" } };
    expect((await party.post({ jsonrpc: "2.0", id, result })).status).toBe(202);
    expect(await call.whole()).toContain("Hello, Ada");
    await closed;
  });
});
