import { expect } from "vitest";
import { http } from "../../support/http-fixture.js";
import { messagesOf, textOf, type Party } from "../../support/raw-http-client.js";
import { serverRow } from "./rows.js";

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
  // No header allows the page to read the response, either.
  const headers = Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"));
  expect(headers).toEqual([]);
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
    for (const [version, code] of [
      ["1900-01-01", -32022],
      ["2099-01-01", -32022],
      ["garbage", -32600],
      ["2025-06-18x", -32600],
    ] as const) {
      const answer = await party.post(party.message("tools/list"), { "mcp-protocol-version": version });
      await answer.whole();
      expect([answer.status, messagesOf(answer)[0]!.error!.code]).toEqual([400, code]);
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
    [2 ** 53, "9007199254740993", 400],
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
  // Null is refused because it is a wrong argument, not because of its header.
  const answer = await party.post(party.call("route", { region: null } as never));
  await answer.whole();
  expect(messagesOf(answer)[0]!.error?.code).not.toBe(mismatch);
  // A header that the tool does not declare is accepted.
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
