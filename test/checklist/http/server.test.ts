import { expect } from "vitest";
import { http, inside } from "./fixture.js";
import { serverRevisions } from "@mcpgen/protocol";
import { Party, both, messagesOf, textOf } from "./party.js";
import { serve } from "./adapters.js";
import { serverRow } from "./rows.js";
import { send } from "./wire.js";

const anyText = expect.any(String) as string;
const mismatch = -32020;

serverRow("HTTP-02", "a page of another origin is refused with 403", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const answer = await party.post(party.message("tools/list"), { origin: "https://evil.example" });
  expect(answer.status).toBe(403);
  expect(JSON.parse(await answer.whole())).toEqual({
    jsonrpc: "2.0",
    error: { code: -32600, message: anyText },
  });
});

serverRow("HTTP-05", "notifications and responses get 202 and nothing else", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  for (const message of [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 77, result: {} },
    { jsonrpc: "2.0", id: 78, error: { code: -1, message: "no" } },
  ]) {
    const answer = await party.post(message);
    expect([answer.status, await answer.whole()]).toEqual([202, ""]);
  }
});

serverRow(
  "HTTP-06",
  "a notification gets 202 and no body, a malformed one an error",
  async (revision, adapter) => {
    const { party } = await http(adapter, revision);
    const good = await party.post({ jsonrpc: "2.0", method: "notifications/example.com/thing", params: {} });
    expect([good.status, await good.whole()]).toEqual([202, ""]);
    for (const bad of [
      { jsonrpc: "1.0", method: "notifications/example.com/thing" },
      { jsonrpc: "2.0", method: 5 },
      { jsonrpc: "2.0", method: "notifications/example.com/thing", params: [1] },
      { jsonrpc: "2.0", method: "notifications/example.com/thing", params: "all" },
    ])
      expect((await party.post(bad, { "mcp-protocol-version": revision })).status).toBe(400);
  },
);

serverRow("HTTP-07", "requests are answered as JSON or as events", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const requests = [
    party.message("tools/list"),
    party.message("resources/list"),
    party.message("prompts/get", { name: "hello" }),
    party.message("no/such"),
    party.message("tools/call", { name: 5 }),
    party.call("steps", { count: 2 }, { _meta: { progressToken: 1 } }),
  ];
  for (const request of requests) {
    const answer = await party.post(request);
    expect(answer.type).toMatch(/^(application\/json|text\/event-stream)$/);
    await answer.whole();
    expect(messagesOf(answer).at(-1)!.id).toBe(request.id);
  }
});

serverRow("HTTP-09", "GET is a stream, or 405", async (revision, adapter) => {
  const { party, target } = await http(adapter, revision);
  const stream = await party.get();
  expect([stream.status, stream.type]).toEqual([200, "text/event-stream"]);
  const alone = await send(target.url, "GET", { accept: "text/event-stream" });
  expect(alone.status).toBe(405);
  const wrong = await party.get({ accept: "application/json" });
  expect(wrong.status).toBe(406);
});

serverRow(
  "HTTP-10",
  "a server of this era alone answers GET and DELETE with 405",
  async (revision, adapter) => {
    const { server } = inside({ revisions: serverRevisions, speaks: [revision] });
    const { url } = await serve(adapter, server);
    for (const method of ["GET", "DELETE", "PUT", "PATCH", "HEAD"]) {
      const answer = await send(url, method, { accept: "text/event-stream", "mcp-session-id": "x" });
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, "POST"]);
    }
  },
);

serverRow("HTTP-11", "a session id is ignored, and none is given", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const answer = await party.post(party.call("echo", { text: "hi" }), { "mcp-session-id": "made-up" });
  expect(answer.status).toBe(200);
  expect(answer.headers).not.toHaveProperty("mcp-session-id");
  await answer.whole();
  expect(textOf(messagesOf(answer)[0]!)).toBe("hi");
});

serverRow("HTTP-12", "Last-Event-ID is ignored", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const answer = await party.post(party.call("steps", { count: 1 }, { _meta: { progressToken: 1 } }), {
    "last-event-id": "0-1",
  });
  await answer.whole();
  expect(messagesOf(answer).map(({ method, id }) => method ?? id)).toEqual([
    "notifications/progress",
    anyText,
  ]);
  expect(answer.events.every(({ id }) => id === undefined)).toBe(true);
});

serverRow(
  "HTTP-13",
  "an unknown protocol version is refused with 400, and the session lives on",
  async (revision, adapter) => {
    const { party } = await http(adapter, revision);
    for (const version of ["1900-01-01", "garbage", "2025-06-18x"]) {
      const answer = await party.post(party.message("tools/list"), { "mcp-protocol-version": version });
      expect(answer.status).toBe(400);
    }
    expect((await party.get({ "mcp-protocol-version": "1900-01-01" })).status).toBe(400);
    expect((await party.delete({ "mcp-protocol-version": "1900-01-01" })).status).toBe(400);
    expect((await party.request("tools/list")).result).toBeDefined();
  },
);

serverRow("HTTP-14", "a session needs no version header", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const listed = await party.request("tools/list", {}, { "mcp-protocol-version": "" });
  expect(listed.result!["tools"]).not.toHaveLength(0);
});

serverRow("HTTP-17", "names are decoded before they are compared", async (revision, adapter) => {
  const { party, server } = await http(adapter, revision);
  const sentinel = "=?base64?eA==?=";
  server.tool(sentinel, {}, () => "named like a header");
  const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;
  const uri = "note://zwei/für";
  const read = party.message("resources/read", { uri });
  const call = party.call(sentinel);
  const cases = [
    [read, encoded(uri), 200],
    [read, encoded("note://zwei/fur"), 400],
    [read, `${encoded(uri)} `, 200],
    [read, "=?base64?bm90!?=", 400],
    [read, "=?base64?/w==?=", 400],
    [read, "=?BASE64?bm90ZTovL29uZQ==?=", 400],
    [call, encoded(sentinel), 200],
    [call, sentinel, 400],
    [call, "x", 400],
    [party.message("resources/read", { uri: "note://one" }), encoded("note://one"), 200],
  ] as const;
  for (const [message, name, status] of cases) {
    const answer = await party.post(message, { "mcp-name": name });
    await answer.whole();
    expect([name, answer.status, messagesOf(answer)[0]?.error?.code]).toEqual([
      name,
      status,
      status === 200 ? undefined : mismatch,
    ]);
  }
});

/** Statuses of a call of `route` by its arguments and headers. */
async function routed(party: Party, args: object, headers: Record<string, string>): Promise<number> {
  const answer = await party.post(party.call("route", args as never), headers);
  await answer.whole();
  if (answer.status !== 200) expect(messagesOf(answer)[0]!.error!.code).toBe(mismatch);
  return answer.status;
}

serverRow("HTTP-18", "integers are compared as numbers", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const table: [unknown, string, number][] = [
    [42, "42", 200],
    [42, "42.0", 200],
    [42, "4.2e1", 200],
    [-7, "-7", 200],
    [0, "0", 200],
    [42, "43", 400],
    [42, "0x2a", 400],
    [42, "4 2", 400],
    [42, "", 400],
    [0, "", 400],
    [42, "forty-two", 400],
    [42, "=?base64?NDI=?=", 200],
  ];
  for (const [limit, header, status] of table)
    expect([
      header,
      await routed(
        party,
        { limit },
        header === "" ? { "mcp-param-limit": " " } : { "mcp-param-limit": header },
      ),
    ]).toEqual([header, status]);
  expect(await routed(party, { limit: 42 }, {})).toBe(400);
});

serverRow("HTTP-19", "no header belongs to a parameter that is absent or null", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  expect(await routed(party, {}, {})).toBe(200);
  expect(await routed(party, {}, { "mcp-param-region": "eu" })).toBe(400);
  expect(await routed(party, { region: "eu" }, {})).toBe(400);
  expect(await routed(party, { region: "eu" }, { "Mcp-Param-REGION": "eu" })).toBe(200);
  expect(await routed(party, { region: "eu" }, { "mcp-param-region": "EU" })).toBe(400);
  expect(await routed(party, { flag: true }, { "mcp-param-flag": "true" })).toBe(200);
  expect(await routed(party, { flag: true }, { "mcp-param-flag": "True" })).toBe(400);
  // Null is refused for what it is, not for its header.
  const answer = await party.post(party.call("route", { region: null } as never));
  await answer.whole();
  expect(messagesOf(answer)[0]!.error?.code).not.toBe(mismatch);
  // A header that no tool declares passes.
  expect(await routed(party, {}, { "mcp-param-other": "x" })).toBe(200);
});

serverRow("HTTP-20", "nested parameters are found by their path", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const deep = { a: { b: { c: "x" } } };
  expect(await routed(party, deep, { "mcp-param-deep": "x" })).toBe(200);
  expect(await routed(party, deep, { "mcp-param-deep": "y" })).toBe(400);
  expect(await routed(party, deep, {})).toBe(400);
  expect(await routed(party, { a: { c: "x" } }, {})).toBe(200);
  expect(await routed(party, { a: { c: "x" } }, { "mcp-param-deep": "x" })).toBe(400);
});

serverRow("HTTP-21", "responses and arrays are refused", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  for (const body of [
    { jsonrpc: "2.0", id: 1, result: {} },
    { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } },
    [party.message("tools/list")],
    [],
    "text",
    null,
    7,
  ]) {
    const answer = await party.post(body, { "mcp-protocol-version": revision });
    expect([answer.status, (JSON.parse(await answer.whole()) as never)["error"]["code"]]).toEqual([
      400, -32600,
    ]);
  }
  const broken = await party.postText('{"jsonrpc":"2.0",', party.headersOf({}));
  expect([broken.status, (JSON.parse(await broken.whole()) as never)["error"]["code"]]).toEqual([
    400, -32700,
  ]);
});

serverRow("HTTP-22", "work ends when the client closes the stream", async (revision, adapter) => {
  const { party, gate, aborted } = await http(adapter, revision);
  const answer = await party.post(party.call("gated", { steps: 1 }, { _meta: { progressToken: 1 } }));
  await answer.until(({ events }) => events.length === 1);
  answer.cut();
  await aborted.opened;
  gate.open();
  await party.request("tools/list");
  expect(answer.events).toHaveLength(1);
  // The same where nothing was sent yet.
  const silent = await http(adapter, revision);
  const waiting = silent.party.post(silent.party.call("gated")).catch(() => undefined);
  await silent.began.opened;
  await silent.target.close();
  await silent.aborted.opened;
  await waiting;
});

serverRow("HTTP-24", "proxies are told not to hold events back", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const stepped = await party.post(party.call("steps", { count: 1 }, { _meta: { progressToken: 1 } }));
  const listening = await party.post(party.message("subscriptions/listen", { notifications: {} }));
  const eventsOnly = await party.post(party.message("tools/list"), { accept: "text/event-stream" });
  for (const answer of [stepped, listening, eventsOnly])
    expect([answer.type, answer.headers["x-accel-buffering"]]).toEqual(["text/event-stream", "no"]);
});

serverRow("HTTP-26", "the stream of a POST ends after its answer, not before", async (revision, adapter) => {
  const { party, gate } = await http(adapter, revision);
  const answer = await party.post(party.call("gated", { steps: 1 }, { _meta: { progressToken: 1 } }));
  await answer.until((each) => messagesOf(each).length === 1);
  gate.open();
  await answer.whole();
  expect(answer.complete).toBe(true);
  expect(textOf(messagesOf(answer).at(-1)!)).toBe("done");
});

serverRow("HTTP-27", "a GET stream carries no answers", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const stream = await party.get();
  for (const count of [0, 1, 2]) await party.tool("steps", { count });
  await party.tool("change");
  await stream.until((each) => messagesOf(each).length > 0);
  expect(messagesOf(stream).map(({ method }) => method)).toEqual(["notifications/tools/list_changed"]);
});

serverRow("HTTP-28", "one message goes to one stream", async (revision, adapter) => {
  const { party, gate } = await http(adapter, revision);
  const gets = [await party.get(), await party.get()];
  const posts = await Promise.all(
    [1, 2].map((progressToken) =>
      party.post(party.call("gated", { steps: 1 }, { _meta: { progressToken } })),
    ),
  );
  await party.tool("change");
  gate.open();
  for (const post of posts) await post.whole();
  await party.tool("change");
  const seen = (): string[] => gets.flatMap(messagesOf).map(({ method }) => method!);
  await gets[1]!.until(() => seen().length >= 2);
  expect(seen()).toEqual(Array(2).fill("notifications/tools/list_changed"));
  for (const [index, post] of posts.entries())
    expect(messagesOf(post).map(({ params }) => params?.["progressToken"] as unknown)).toEqual([
      index + 1,
      index + 1,
      undefined,
    ]);
});

serverRow("HTTP-29", "an unknown method is 404 and -32601", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  for (const method of [
    "tasks/get",
    "resources/subscribe",
    "x",
    "ping",
    "initialize",
    "sampling/createMessage",
    "toString",
  ]) {
    const answer = await party.post(party.message(method));
    await answer.whole();
    expect([method, answer.status, messagesOf(answer)[0]!.error!.code]).toEqual([method, 404, -32601]);
  }
});

serverRow("HTTP-32", "a stream tells of its own request alone", async (revision, adapter) => {
  const { party, gate } = await http(adapter, revision);
  const posts = await Promise.all(
    ["a", "b"].map((progressToken) =>
      party.post(party.call("gated", { steps: 2 }, { _meta: { progressToken } })),
    ),
  );
  for (const post of posts) await post.until(({ events }) => events.length === 2);
  await party.tool("change");
  gate.open();
  for (const [index, post] of posts.entries()) {
    await post.whole();
    const tokens = messagesOf(post).map(({ params }) => params?.["progressToken"] as unknown);
    expect(tokens).toEqual([...Array<string>(4).fill("ab"[index]!), undefined]);
  }
});

serverRow("LIFE-12", "discovery works without anything before it", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const { result } = await party.request("server/discover");
  expect(result!["supportedVersions"]).toContain(revision);
});

serverRow("LIFE-13", "a discovery says how long it may be kept", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const { result } = await party.request("server/discover");
  expect(result).toMatchObject({ ttlMs: expect.any(Number) as number, cacheScope: anyText });
});

serverRow("LIFE-14", "-32022 names every version, for old ones too", async (revision, adapter) => {
  const { server } = inside({ speaks: [revision] });
  const { url } = await serve(adapter, server);
  const party = new Party(url, revision);
  for (const version of ["2025-11-25", "2099-01-01"]) {
    const message = party.message("tools/list", {
      _meta: { "io.modelcontextprotocol/protocolVersion": version },
    });
    const answer = await party.post(message, { "mcp-protocol-version": version });
    await answer.whole();
    expect(answer.status).toBe(400);
    expect(messagesOf(answer)[0]!.error).toMatchObject({
      code: -32022,
      data: { supported: [revision], requested: version },
    });
  }
});

serverRow("LIFE-23", "initialize is a method of the old era alone", async (revision, adapter) => {
  const { party, target } = await http(adapter, revision);
  const modern = await party.post(party.message("initialize"));
  expect(modern.status).toBe(404);
  const old = new Party(target.url, "2025-11-25");
  expect((await old.initialize()).status).toBe(200);
});

serverRow("LIFE-01", "a version that is served is answered with itself", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const answer = await party.initialize();
  expect(messagesOf(answer)[0]!.result!["protocolVersion"]).toBe(revision);
});

serverRow(
  "LIFE-02",
  "a version that is not served is answered with the newest",
  async (revision, adapter) => {
    const { server } = inside({ speaks: [revision] });
    const { url } = await serve(adapter, server);
    const party = new Party(url, revision);
    for (const version of ["1999-01-01", "2099-01-01", ""]) {
      const answer = await party.initialize(version);
      expect(messagesOf(answer)[0]!.result!["protocolVersion"]).toBe(revision);
    }
  },
);

serverRow(
  "UTIL-02",
  "a ping is answered before initialized, and while tools run",
  async (revision, adapter) => {
    const { party, target, began, gate } = await http(adapter, revision);
    const early = new Party(target.url, revision);
    const answer = await early.initialize();
    early.session = answer.headers["mcp-session-id"] as string;
    expect((await early.request("ping")).result).toEqual({});
    const running = party.post(party.call("gated"));
    await began.opened;
    expect((await party.request("ping")).result).toEqual({});
    gate.open();
    expect((await running).status).toBe(200);
  },
);

serverRow("UTIL-04", "a cancelled request ends, and gets no answer", async (revision, adapter) => {
  for (const steps of [0, 1]) {
    const { party, began, aborted, gate } = await http(adapter, revision);
    const call = party.call("gated", { steps }, { _meta: { progressToken: 1 } });
    const answering = party.post(call);
    await began.opened;
    await party.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: call.id } });
    await aborted.opened;
    gate.open();
    const answer = await answering;
    await answer.whole();
    expect(answer.complete).toBe(true);
    expect(messagesOf(answer)).toHaveLength(steps);
    // The id is free again.
    expect((await party.post(party.message("ping", {}, call.id))).status).toBe(200);
  }
});

serverRow("UTIL-06", "cancellations of nothing are taken and forgotten", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  for (const params of [{ requestId: "none" }, { requestId: 5.5 }, { requestId: null }, {}, undefined])
    expect(
      (
        await party.post(
          { jsonrpc: "2.0", method: "notifications/cancelled", params },
          { "mcp-protocol-version": revision < "2025-06-18" ? "" : revision },
        )
      ).status,
    ).toBe(202);
  expect((await party.request("tools/list")).result).toBeDefined();
});

serverRow("BATCH-02", "initialize is not part of a batch", async (revision, adapter) => {
  const { party, target } = await http(adapter, revision);
  const initialize = party.message("initialize", {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  });
  const answer = await party.post([initialize, party.message("ping")]);
  await answer.whole();
  expect(messagesOf(answer).find(({ id }) => id === initialize.id)!.error!.code).toBe(-32600);
  const first = new Party(target.url, revision);
  expect((await first.post([initialize])).status).toBe(400);
});

serverRow(
  "BATCH-03",
  "a batch of notifications gets 202; one of requests, all the answers",
  async (revision, adapter) => {
    for (const sessions of [true, false]) {
      const { party } = await http(adapter, revision, { sessions });
      const silent = [
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 99, result: {} },
      ];
      const nothing = await party.post(silent);
      expect([nothing.status, await nothing.whole()]).toEqual([202, ""]);
      const requests = [party.message("ping"), party.call("echo", { text: "a" }), party.message("no/such")];
      for (const accept of [both, "application/json", "text/event-stream"]) {
        const answer = await party.post([...silent, ...requests], { accept });
        await answer.whole();
        const ids = messagesOf(answer).map(({ id }) => String(id));
        expect(ids.sort()).toEqual(requests.map(({ id }) => id).sort());
      }
    }
  },
);

serverRow("BATCH-06", "an array is refused", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const answer = await party.post([party.message("tools/list")], { "mcp-protocol-version": revision });
  expect(answer.status).toBe(400);
  expect((JSON.parse(await answer.whole()) as never)["error"]["code"]).toBe(-32600);
  expect((await party.request("tools/list")).result).toBeDefined();
});

serverRow("BATCH-08", "an empty batch is refused", async (revision, adapter) => {
  const { party } = await http(adapter, revision);
  const answer = await party.post([]);
  expect(answer.status).toBe(400);
  expect((JSON.parse(await answer.whole()) as never)["error"]["code"]).toBe(-32600);
});
