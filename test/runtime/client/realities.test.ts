// Behaviour of real servers that breaks other clients.
import type { ClientEvent } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { serve } from "../../support/http-adapters.js";
import { Party } from "../../support/raw-http-client.js";
import { served } from "../../support/raw-stdio-client.js";
import { type Script as HttpScript, clientOf, scripted } from "../../support/scripted-http-server.js";
import { base, connected, reply, ScriptedPeer, supervise } from "../../support/scripted-stdio-server.js";
import { connect } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { until } from "../../support/until.mjs";

const revisions = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;
const inputSchema = { type: "object" };
const outputSchema = { type: "object", properties: { a: { type: "number" } }, required: ["a"] };

describe("schemas of tools", () => {
  const drafts = ["http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema"];

  test.each(drafts)("of %s can be read, and check results", async ($schema) => {
    const schema = {
      $schema,
      type: "object",
      properties: {
        a: { $ref: "#/definitions/A" },
        pair: { items: [{ type: "string" }], additionalItems: false },
      },
      definitions: { A: { type: "number", exclusiveMinimum: 0 } },
    };
    for (const revision of revisions) {
      let structuredContent: unknown;
      const { client } = await connected(revision, {
        "tools/list": (_, peer) =>
          reply(peer, { tools: [{ name: "t", inputSchema: schema, outputSchema: schema }] }),
        "tools/call": (_, peer) => reply(peer, { content: [], structuredContent }),
      });
      expect((await client.listTools()).items).toHaveLength(1);
      structuredContent = { a: 1, pair: ["x"] };
      expect((await client.callTool("t")).structuredContent).toEqual(structuredContent);
      for (structuredContent of [{ a: 0 }, { pair: ["x", "y"] }])
        await expect(client.callTool("t")).rejects.toMatchObject({ code: "invalid-result" });
    }
  });
});

describe("results of tools", () => {
  /** Results of a tool with an output schema, and the values that the application gets. */
  const results: Record<string, readonly [sent: object, read: object, warned: boolean]> = {
    "structured content without content": [
      { structuredContent: { a: 1 } },
      { content: [], structuredContent: { a: 1 } },
      true,
    ],
    "structured content with content that is null": [
      { structuredContent: { a: 1 }, content: null },
      { content: [], structuredContent: { a: 1 } },
      true,
    ],
    "an error with structured content of another form": [
      { content: [{ type: "text", text: "no" }], isError: true, structuredContent: { x: 1 } },
      { isError: true, structuredContent: { x: 1 } },
      false,
    ],
    "an error without structured content": [
      { content: [{ type: "text", text: "no" }], isError: true },
      { isError: true },
      false,
    ],
    // Of an older revision: without the members that 2026-07-28 requires.
    "a result of an older revision": [
      { content: [{ type: "text", text: "old" }], structuredContent: { a: 1 } },
      { content: [{ text: "old" }], structuredContent: { a: 1 } },
      false,
    ],
  };

  const each = Object.keys(results).flatMap((name) => revisions.map((revision) => [name, revision] as const));

  test.each(each)("%s, at %s", async (name, revision) => {
    const [sent, read, isWarned] = results[name]!;
    const events: ClientEvent[] = [];
    const { client } = await connected(
      revision,
      {
        "tools/list": () => ({ result: { tools: [{ name: "t", inputSchema, outputSchema }] } }),
        "tools/call": () => ({ result: sent as never }),
      },
      { onEvent: (event) => void (event.type === "protocol-warning" && events.push(event)) },
    );
    await client.listTools();
    expect(await client.callTool("t")).toMatchObject(read);
    expect(events.length).toBe(isWarned ? 1 : 0);
  });

  test("neither content nor structured content is an error", async () => {
    const { client } = await connected("2025-11-25", { "tools/call": () => ({ result: {} }) });
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "invalid-result" });
  });
});

describe("a probe that is refused leads to the handshake", () => {
  const answers: Record<string, object> = Object.fromEntries(
    [-32601, -32600, -32602, -32603, -32000, -32001, -32002, 0].map((code) => [
      `error ${code}`,
      { error: { code, message: "no" } },
    ]),
  );
  answers["a result of no meaning"] = { result: {} };
  answers["the result of a handshake"] = {
    result: { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "s", version: "1" } },
  };

  test.each(Object.keys(answers))("over pipes and HTTP: %s", async (kind) => {
    const peer = new ScriptedPeer("2025-06-18", { "server/discover": () => answers[kind] as never });
    const clock = new VirtualClock();
    const client = await connect(peer.channel, base(clock));
    supervise(peer, clock, client);
    expect(client.revision).toBe("2025-06-18");
    const probe: HttpScript[string] = (incoming) => incoming.json(incoming.answer(answers[kind] as never));
    const server = await scripted("2025-06-18", { "server/discover": probe });
    expect((await clientOf(server.url)).revision).toBe("2025-06-18");
  });

  test.each([400, 404, 405, 406, 415, 422])("over HTTP: status %i", async (status) => {
    const server = await scripted("2025-06-18", {
      "server/discover": (incoming) => incoming.status(status, "no"),
    });
    expect((await clientOf(server.url)).revision).toBe("2025-06-18");
  });

  test("a server on pipes that ignores it gets the handshake after five seconds", async () => {
    const peer = new ScriptedPeer("2025-06-18", { "server/discover": () => undefined });
    const clock = new VirtualClock();
    const connecting = connect(peer.channel, base(clock));
    await peer.until("server/discover");
    await until("the client waits", () => clock.waiting > 0);
    clock.advance(5000);
    const client = await connecting;
    supervise(peer, clock, client);
    expect(client.revision).toBe("2025-06-18");
  });
});

test("a cancellation by notification over HTTP at 2026-07-28 is accepted without other effects", async () => {
  const made = served((server) => server.tool("t", {}, () => "here"));
  const { url } = await serve("node", made.server);
  const party = await new Party(url, "2026-07-28").open();
  const params = { requestId: "r0", reason: "no longer wanted" };
  expect((await party.post({ jsonrpc: "2.0", method: "notifications/cancelled", params })).status).toBe(202);
  expect((await party.tool("t"))["content"]).toBeDefined();
});
