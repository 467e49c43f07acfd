import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { expect } from "vitest";
import { clientRow } from "./rows.js";
import {
  type Incoming,
  type Script,
  clientOf,
  connected,
  scripted,
} from "../../support/scripted-http-server.js";

/** A GET stream that stays open. */
const listens: Script = { GET: (incoming) => void incoming.events(": here\n\n") };

const progress = (incoming: Incoming, value: number): object => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: incoming.message!.params!._meta!["progressToken"] as unknown, progress: value },
});

clientRow("SESS-04", "the session is named by all that follows", async (revision) => {
  const { server, client } = await connected(revision, listens);
  await server.until("GET");
  await client.callTool("x");
  await client.close();
  expect(server.of("initialize")[0]!.headers).not.toHaveProperty("mcp-session-id");
  const later = server.received.slice(1);
  expect(later.map(({ verb }) => verb).sort()).toEqual(["DELETE", "GET", "POST", "POST"]);
  for (const { headers } of later) expect(headers["mcp-session-id"]).toBe("s1");
});

clientRow("SESS-05", "a forgotten session is opened again, once", async (revision) => {
  let sessions = 0;
  const { server, client } = await connected(revision, {
    initialize: (incoming, { revision: protocolVersion }) =>
      incoming.reply(
        { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
        { "mcp-session-id": `s${++sessions}` },
      ),
    "tools/call": (incoming) =>
      incoming.headers["mcp-session-id"] === `s${sessions}` && server.of("tools/call").length > 2
        ? incoming.reply({ content: [] })
        : incoming.status(404, "gone"),
  });
  await Promise.all([client.callTool("a"), client.callTool("b")]);
  expect(server.of("initialize").map(({ headers }) => headers["mcp-session-id"])).toEqual([
    undefined,
    undefined,
  ]);
  expect(server.of("tools/call").map(({ headers }) => headers["mcp-session-id"])).toEqual([
    "s1",
    "s1",
    "s2",
    "s2",
  ]);
  // Other refusals do not make the client open a new session.
  server.script = { "tools/call": (incoming) => incoming.status(400, "no") };
  await expect(client.callTool("c")).rejects.toMatchObject({ data: { status: 400 } });
  expect(server.of("initialize")).toHaveLength(2);
});

clientRow("SESS-06", "closing ends the session, whatever the server says", async (revision) => {
  for (const status of [200, 204, 405, 404]) {
    const { server, client } = await connected(revision, { DELETE: (incoming) => incoming.status(status) });
    await client.close();
    expect(server.of("DELETE").map(({ headers }) => headers["mcp-session-id"])).toEqual(["s1"]);
  }
});

clientRow("SESS-07", "headers carry the negotiated version, not the offered one", async (revision) => {
  const server = await scripted(revision, listens);
  const client = await clientOf(server.url);
  expect(client.revision).toBe(revision);
  await server.until("GET");
  await client.callTool("x");
  await client.close();
  const later = server.received.slice(
    server.received.findIndex(({ message }) => message?.method === "initialize") + 1,
  );
  expect(later.map(({ headers }) => headers["mcp-protocol-version"])).toEqual(Array(4).fill(revision));
});

clientRow("RES-06", "a stream that was reset is resumed, several times", async (revision) => {
  let resets = 0;
  const { server, client } = await connected(revision, {
    "tools/call": (incoming) => {
      incoming.event(progress(incoming, 1), "e1").reset();
    },
    GET: (incoming) => {
      const last = incoming.headers["last-event-id"];
      if (last === undefined) return incoming.status(405);
      const call = server.of("tools/call")[0]!;
      // The client ignores an event that was cut in the middle.
      if (++resets < 3) incoming.events(`id: half\ndata: {"js`).event(progress(call, 99), "never").reset();
      else if (last === "e2")
        incoming.event(call.answer({ content: [{ type: "text", text: "whole" }] }), "e3").end();
      else incoming.event(progress(call, 2), "e2").reset();
    },
  });
  const { content } = await client.callTool("x");
  expect(content).toEqual([{ type: "text", text: "whole" }]);
  const ids = server.of("GET").flatMap(({ headers }) => headers["last-event-id"] ?? []);
  expect(ids.at(0)).toBe("e1");
  expect(ids.at(-1)).toBe("e2");
});

clientRow("RES-07", "the latest time to wait is obeyed", async (revision) => {
  const retries = [60, 180, 40];
  const { server, client } = await connected(revision, {
    "tools/call": (incoming) => incoming.events(`id: 0\nretry: ${retries[0]}\ndata: \n\n`).end(),
    GET: (incoming) => {
      const last = incoming.headers["last-event-id"];
      if (last === undefined) return incoming.status(405);
      const next = Number(last) + 1;
      if (next < 3) return incoming.events(`id: ${next}\nretry: ${retries[next]}\n\n`).end();
      incoming.event(server.of("tools/call")[0]!.answer({ content: [] })).end();
    },
  });
  await client.callTool("x");
  const gets = server.of("GET").filter(({ headers }) => headers["last-event-id"] !== undefined);
  const times = [server.of("tools/call")[0]!, ...gets].map(({ at }) => at);
  expect(gets.map(({ headers }) => headers["last-event-id"])).toEqual(["0", "1", "2"]);
  for (const [index, ms] of retries.entries())
    expect(times[index + 1]! - times[index]!).toBeGreaterThanOrEqual(ms - 2);
});

clientRow("RES-08", "without an id nothing is resumed, and the call fails", async (revision) => {
  const { server, client } = await connected(revision, {
    "tools/call": (incoming) => incoming.event(progress(incoming, 1)).end(),
  });
  await expect(client.callTool("x")).rejects.toMatchObject({ code: "connection-closed" });
  expect(server.of("GET").every(({ headers }) => headers["last-event-id"] === undefined)).toBe(true);
  await expect(client.ping()).resolves.toBeUndefined();
});

clientRow("RES-09", "nothing of sessions and resuming is left", async (revision) => {
  const { server, client } = await connected(revision, {
    "server/discover": (incoming, { result }) =>
      incoming.reply(result.call(server0, { supportedVersions: [revision], capabilities: { tools: {} } }), {
        "mcp-session-id": "sly",
      }),
    "tools/list": (incoming, each) => incoming.reply(each.result({ tools: [] }), { "mcp-session-id": "sly" }),
    "tools/call": (incoming) => incoming.event(progress(incoming, 1), "e1").reset(),
  });
  await client.listTools();
  await expect(client.callTool("x")).rejects.toMatchObject({ code: "connection-closed" });
  await client.listTools();
  await client.close();
  expect(server.received.map(({ verb }) => verb)).toEqual(Array(4).fill("POST"));
  for (const { headers } of server.received) {
    expect(headers).not.toHaveProperty("mcp-session-id");
    expect(headers).not.toHaveProperty("last-event-id");
  }
});

const server0 = { revision: "2026-07-28" } as never;

clientRow("BATCH-05", "batches of answers are taken", async (revision) => {
  const { client } = await connected(revision, {
    "tools/call": (incoming) => {
      const batch = [
        progress(incoming, 1),
        progress(incoming, 2),
        incoming.answer({ content: [{ type: "text", text: "b" }] }),
      ];
      if (incoming.message!.params!["name"] === "json") incoming.json(batch);
      else incoming.event(batch, "1").end();
    },
  });
  for (const name of ["json", "events"]) {
    const seen: number[] = [];
    const { content } = await client.callTool(
      name,
      {},
      { onProgress: ({ progress: value }) => void seen.push(value) },
    );
    expect([seen, content]).toEqual([[1, 2], [{ type: "text", text: "b" }]]);
  }
});

clientRow("BATCH-07", "arrays are never sent", async (revision) => {
  const { server, client } = await connected(revision);
  await Promise.all(Array.from({ length: 100 }, (_, index) => client.callTool(`t${index}`)));
  expect(server.of("tools/call")).toHaveLength(100);
  expect(server.received.some(({ text }) => text.startsWith("["))).toBe(false);
});

clientRow("LIFE-15", "no common version is an error that names those there are", async (revision) => {
  const server = await scripted(revision, {
    "server/discover": (incoming) =>
      incoming.json(
        incoming.answer({
          error: { code: -32022, message: "no", data: { supported: ["2027-01-01"], requested: revision } },
        }),
        400,
      ),
  });
  await expect(clientOf(server.url)).rejects.toMatchObject({
    code: "unsupported-version",
    message: expect.stringContaining("2027-01-01") as string,
  });
  expect(server.of("initialize")).toHaveLength(0);
  // If there is a common version, the client uses it.
  const shared = await scripted("2025-06-18", {
    "server/discover": (incoming) =>
      incoming.json(
        incoming.answer({
          error: { code: -32022, message: "no", data: { supported: ["2025-06-18"], requested: revision } },
        }),
        400,
      ),
  });
  expect((await clientOf(shared.url)).revision).toBe("2025-06-18");
});

clientRow(
  "LIFE-16",
  "a refusal that is not of the era leads to the handshake; one that is, does not",
  async () => {
    const html = { "content-type": "text/html" };
    const old: Script[string][] = [
      (incoming) => incoming.status(400),
      (incoming) => incoming.status(400, "Bad Request"),
      (incoming) =>
        incoming.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "no session" } }, 400),
      (incoming) => incoming.json({ jsonrpc: "2.0", error: { code: -32600, message: "no session" } }, 400),
      (incoming) => incoming.json({ error: "nope" }, 400),
      (incoming) => incoming.status(404, "<h1>Not here</h1>", html),
      (incoming) => incoming.status(405),
      (incoming) => incoming.status(406),
      (incoming) => incoming.status(415),
      (incoming) => incoming.json(incoming.answer({ error: { code: -32601, message: "what?" } })),
    ];
    for (const refuse of old) {
      const server = await scripted("2025-11-25", { "server/discover": refuse });
      const client = await clientOf(server.url);
      expect(client.revision).toBe("2025-11-25");
      expect(server.of("initialize")).toHaveLength(1);
    }
    for (const code of [-32020, -32021, -32022]) {
      const server = await scripted("2026-07-28", {
        "server/discover": (incoming) =>
          incoming.json(
            incoming.answer({ error: { code, message: "modern", data: { supported: [] } } }),
            400,
          ),
      });
      await expect(clientOf(server.url)).rejects.toThrow();
      expect(server.of("initialize")).toHaveLength(0);
    }
  },
);

clientRow("LIFE-17", "the era is found out once", async () => {
  let alive = 1;
  const { server, client } = await connected(
    "2025-11-25",
    {
      "tools/call": (incoming) =>
        incoming.headers["mcp-session-id"] === `s${alive}`
          ? incoming.reply({ content: [] })
          : incoming.status(404),
    },
    { revision: undefined } as never,
  );
  for (let call = 0; call < 10; call++) {
    if (call % 3 === 2) server.session = `s${++alive}`;
    await client.callTool("x");
  }
  expect(server.of("server/discover")).toHaveLength(1);
  expect(server.of("initialize")).toHaveLength(4);
});

clientRow("LIFE-20", "a client of this era alone makes no handshake", async (revision) => {
  const server = await scripted("2025-11-25");
  await expect(
    connect(server.url, { revisions: clientRevisions, revision, onEvent: () => true }),
  ).rejects.toMatchObject({ code: "unsupported-version" });
  expect(server.received.map(({ message }) => message?.method)).toEqual(["server/discover"]);
});

clientRow("UTIL-09", "a cancelled request is a closed stream", async (revision) => {
  for (const begin of [true, false]) {
    const { server, client } = await connected(revision, {
      "tools/call": (incoming) => void (begin && incoming.event(progress(incoming, 1))),
    });
    const abort = new AbortController();
    const call = client.callTool("x", {}, { signal: abort.signal });
    const incoming = await server.until("tools/call");
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    await incoming.closed;
    await client.listTools();
    expect(server.of("notifications/cancelled")).toHaveLength(0);
  }
});

clientRow("UTIL-12", "a request that times out is cancelled", async (revision) => {
  const clock = new VirtualClock();
  const { server, client } = await connected(revision, { "tools/call": () => undefined }, { clock });
  const answer = client.callTool("x", {}, { timeout: 100 });
  const failed = expect(answer).rejects.toMatchObject({ code: "timeout" });
  const call = await server.until("tools/call");
  await clock.advance(100);
  await failed;
  if (revision === "2026-07-28") return call.closed;
  const { message } = await server.until("notifications/cancelled");
  expect(message!.params!["requestId"]).toBe(call.message!.id);
});

clientRow("MRTR-07", "another round repeats the request and its headers", async (revision) => {
  const tool = {
    name: "route",
    inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
  };
  const elicitation = {
    method: "elicitation/create",
    params: { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } },
  };
  const { server, client } = await connected(
    revision,
    {
      "tools/list": (incoming, each) => incoming.reply(each.result({ tools: [tool] })),
      "tools/call": (incoming, each) =>
        incoming.message!.params!["requestState"] === undefined
          ? incoming.reply({
              resultType: "input_required",
              inputRequests: { a: elicitation },
              requestState: "s",
            })
          : incoming.reply(each.result({ content: [] })),
    },
    { elicit: () => ({ action: "accept", content: {} }) },
  );
  await client.listTools();
  await client.callTool("route", { region: "eu", other: [1] });
  const [first, second] = server.of("tools/call");
  const mirrored = ({ headers }: Incoming): unknown[] =>
    ["mcp-method", "mcp-name", "mcp-param-region", "mcp-protocol-version"].map((name) => headers[name]);
  expect(mirrored(first!)).toEqual(["tools/call", "route", "eu", revision]);
  expect(mirrored(second!)).toEqual(mirrored(first!));
  const { inputResponses, requestState, _meta, ...rest } = second!.message!.params!;
  expect(rest).toEqual({ name: "route", arguments: { region: "eu", other: [1] } });
  expect([Object.keys(inputResponses as object), requestState]).toEqual([["a"], "s"]);
});
