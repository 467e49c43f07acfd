import type { JsonObject } from "@mcpgen/engine";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { HostLimits } from "../../generator/dev/host-limits.js";

const rows = [
  { title: "Patient", quiet: { stdio: { worked: 75_000 }, http: {} }, result: { text: { whole: 500 } } },
  {
    title: "Hasty",
    quiet: { stdio: { limit: 90_000 }, http: { limit: 60_000 } },
    result: { text: { whole: 100, cut: 200 } },
  },
  { title: "Short", result: { text: { cut: 50 }, json: "passed" } },
  { title: "Parsing", result: { json: "replaced" } },
  { title: "Guessing", result: { json: "replaced" } },
  { title: "Unknown", result: {} },
];
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection, and the findings about its calls. */
function connection() {
  const limits = new HostLimits(rows);
  const found: string[] = [];
  limits.found = (tool, { code, severity, message }) => found.push(`${tool}: ${severity} ${code} ${message}`);
  const says = (from: "client" | "server", message: JsonObject | readonly JsonObject[]): void =>
    limits.heard(from, JSON.stringify(message));
  return {
    ...{ limits, found },
    client: (message: JsonObject) => says("client", { jsonrpc: "2.0", ...message }),
    server: (message: JsonObject) => says("server", { jsonrpc: "2.0", ...message }),
    says,
  };
}

const call = (id: number | string, name: string, token?: number | string): JsonObject => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name, arguments: {}, ...(token !== undefined && { _meta: { progressToken: token } }) },
});
const answer = (id: number | string): JsonObject => ({ id, result: { content: [] } });
const progress = (token: number | string): JsonObject => ({
  method: "notifications/progress",
  params: { progressToken: token, progress: 1 },
});
const quiet = (tool: string): string =>
  `${tool}: warning MG6804 the tool "${tool}" was quiet for 30 s: hosts give up, Hasty after 60 s`;

describe("a tool that is quiet for 30 s is reported", () => {
  test("while its call runs, and once", () => {
    const { client, server, found } = connection();
    client(call(1, "build"));
    vi.advanceTimersByTime(29_999);
    expect(found).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(found).toEqual([quiet("build")]);
    server(answer(1));
    client(call(2, "build"));
    client(call(3, "test"));
    vi.advanceTimersByTime(100_000);
    expect(found).toEqual([quiet("build"), quiet("test")]);
  });

  test("after its last progress, and not by progress of another call", () => {
    const { client, server, found } = connection();
    client(call(1, "build", "a"));
    client(call("1", "test", 2));
    for (let round = 0; round < 3; round++) {
      vi.advanceTimersByTime(20_000);
      // The token of the other call is a number.
      for (const token of ["a", "2"]) server(progress(token));
    }
    expect(found).toEqual([quiet("test")]);
    vi.advanceTimersByTime(30_000);
    expect(found).toEqual([quiet("test"), quiet("build")]);
  });

  test("in a batch, too", () => {
    const { says, found } = connection();
    says("client", [call(1, "build"), call(2, "test")]);
    says("server", [{ jsonrpc: "2.0", ...answer(1) }]);
    vi.advanceTimersByTime(30_000);
    expect(found).toEqual([quiet("test")]);
  });

  test("when the server only pings, logs, or answers others", () => {
    const { client, server, found } = connection();
    client(call(1, "build"));
    server({ id: 7, method: "ping" });
    server({ method: "notifications/message", params: { level: "info", data: "busy" } });
    server(answer("1"));
    vi.advanceTimersByTime(30_000);
    expect(found).toEqual([quiet("build")]);
  });
});

test.each<[string, (of: ReturnType<typeof connection>) => void]>([
  ["has answered", ({ server }) => server(answer(1))],
  ["has refused", ({ server }) => server({ id: 1, error: { code: -32603, message: "no" } })],
  ["was cancelled", ({ client }) => client({ method: "notifications/cancelled", params: { requestId: 1 } })],
  ["asks the user", ({ server }) => server({ id: 1, method: "elicitation/create", params: {} })],
  ["asks the model", ({ server }) => server({ id: 9, method: "sampling/createMessage", params: {} })],
  ["has lost its connection", ({ limits }) => limits.forget()],
])("a tool that %s is not quiet", (_, next) => {
  const of = connection();
  of.client(call(1, "build"));
  next(of);
  vi.advanceTimersByTime(100_000);
  expect(of.found).toEqual([]);
});

const text = (length: number): JsonObject => ({ type: "text", text: "x".repeat(length) });

test.each<[string, JsonObject, string | undefined]>([
  ["that each host passes on", { content: [] }, undefined],
  [
    "without a text",
    { content: [{ type: "image", data: "x".repeat(999), mimeType: "image/png" }] },
    undefined,
  ],
  ["that is no result", { content: "x".repeat(999) }, undefined],
  ["of one character", { content: [text(1)] }, "1 characters: hosts may cut it, Short more than 0"],
  [
    "as long as one host takes",
    { content: [text(100)] },
    "100 characters: hosts may cut it, Short more than 0",
  ],
  [
    "that is longer in its parts together",
    { content: [text(60), text(41)] },
    "101 characters: hosts may cut it, Hasty more than 100, Short more than 0",
  ],
  [
    "with longer structured content",
    { content: [text(1)], structuredContent: { a: "x".repeat(200) } },
    "208 characters: hosts may cut it, Hasty more than 100, Short more than 0",
  ],
  ["that failed", { content: [text(2)], isError: true }, "2 characters: hosts may cut it, Short more than 0"],
])("a result %s", (_, result, found) => {
  const of = connection();
  for (const id of [1, 2]) {
    of.client(call(id, "list"));
    of.server({ id, result });
  }
  const message = `list: warning MG6804 the tool "list" returned a text of ${found}`;
  expect(of.found).toEqual(found === undefined ? [] : [message]);
});

test.each<[string, JsonObject, boolean]>([
  ["3", {}, true],
  ["null", {}, true],
  ['["a"]', { isError: true }, true],
  ['["a"]', { structuredContent: { a: 1 } }, false],
  ['{"a":1}', {}, false],
  ["3 days", {}, false],
  ["", {}, false],
])("the text %s with %j is reported as JSON that is not an object: %j", (json, more, isFound) => {
  const of = connection();
  of.client(call(1, "list"));
  of.server({ id: 1, result: { content: [{ type: "text", text: json }, text(1)], ...more } });
  const found = of.found.filter((each) => each.includes("JSON"));
  const message =
    'list: warning MG6804 the tool "list" returned a text that is JSON, but not an object: an error for Parsing, Guessing';
  expect(found).toEqual(isFound ? [message] : []);
});

test("results of other requests are let pass, and a tool may be both quiet and long", () => {
  const of = connection();
  of.client({ id: 1, method: "resources/read", params: { uri: "a:b" } });
  of.server({ id: 1, result: { content: [text(999)] } });
  expect(of.found).toEqual([]);
  of.client(call(2, "list"));
  vi.advanceTimersByTime(30_000);
  of.server({ id: 2, result: { content: [text(101)] } });
  expect(of.found).toEqual([quiet("list"), expect.stringContaining("101 characters")]);
});

test("other requests, and messages that are wrong, are let pass", () => {
  const { limits, client, found } = connection();
  client({ id: 1, method: "resources/read", params: { uri: "a:b" } });
  for (const text of ["{", "null", "[null]", "[[]]", '"x"', '{"method":"tools/call","params":[1]}'])
    for (const from of ["client", "server"] as const) limits.heard(from, text);
  vi.advanceTimersByTime(29_000);
  expect(found).toEqual([]);
});
