// A malformed or repeated header is an error. It is never treated as absent, and the first of two is never used.
import { describe, expect, test } from "vitest";
import { inside } from "../../../support/http-fixture.js";
import { adapters, serve } from "../../../support/http-adapters.js";
import { RawConnection } from "../../../support/raw-connection.js";
import { Party, both } from "../../../support/raw-http-client.js";

type Lines = readonly (readonly [name: string, value: string])[];

const sessionful = "2025-11-25";
const modern = "2026-07-28";

/** Wrong values, each of which replaces the good header, and the resulting status. */
const table: readonly (readonly [
  revision: string,
  method: string,
  name: string,
  values: string[],
  status: number,
])[] = [
  [sessionful, "POST", "authorization", [], 401],
  [sessionful, "POST", "authorization", [""], 401],
  [sessionful, "POST", "authorization", ["Bearer one", "Bearer two"], 401],
  [sessionful, "POST", "authorization", ["Bearer one", "Bearer one"], 401],
  [sessionful, "POST", "authorization", ["Basic one"], 401],
  [sessionful, "POST", "authorization", ["Bearer"], 401],
  [sessionful, "POST", "content-type", [], 415],
  [sessionful, "POST", "content-type", [""], 415],
  [sessionful, "POST", "content-type", ["application/json", "text/plain"], 415],
  [
    sessionful,
    "POST",
    "content-type",
    ["application/json; charset=utf-8", "application/json; charset=utf-16"],
    415,
  ],
  [sessionful, "POST", "content-type", ["application/json; charset=utf-8; charset=utf-16"], 415],
  [sessionful, "POST", "accept", ["application/json text/event-stream"], 406],
  [sessionful, "POST", "accept", [",,"], 406],
  [sessionful, "GET", "accept", ["text/event-stream x"], 406],
  [sessionful, "POST", "mcp-session-id", [], 400],
  [sessionful, "POST", "mcp-session-id", [""], 404],
  [sessionful, "POST", "mcp-session-id", ["GOOD", "GOOD"], 404],
  [sessionful, "GET", "mcp-session-id", ["GOOD", "other"], 404],
  [sessionful, "DELETE", "mcp-session-id", ["GOOD", "other"], 404],
  [sessionful, "POST", "mcp-protocol-version", [""], 400],
  [sessionful, "POST", "mcp-protocol-version", ["2025-11-25", "2025-06-18"], 400],
  [sessionful, "POST", "mcp-protocol-version", ["1"], 400],
  [sessionful, "GET", "mcp-protocol-version", ["2025-11-25", "2025-11-25"], 400],
  [sessionful, "DELETE", "mcp-protocol-version", ["x"], 400],
  [sessionful, "GET", "last-event-id", [""], 400],
  [sessionful, "GET", "last-event-id", ["1", "2"], 400],
  [sessionful, "GET", "last-event-id", ["%00"], 400],
  [modern, "POST", "mcp-protocol-version", [], 400],
  [modern, "POST", "mcp-protocol-version", [""], 400],
  [modern, "POST", "mcp-protocol-version", [modern, modern], 400],
  [modern, "POST", "mcp-method", [""], 400],
  [modern, "POST", "mcp-method", ["tools/list", "tools/list"], 400],
  [modern, "POST", "host", ["localhost", "localhost"], 400],
  [modern, "POST", "host", [""], 403],
  [modern, "POST", "host", ["localhost:"], 403],
  [modern, "POST", "origin", [""], 403],
  [modern, "POST", "origin", ["null"], 403],
  [modern, "POST", "origin", ["http://localhost", "http://evil.example"], 403],
  [modern, "POST", "origin", ["http://evil.example, http://localhost:80"], 403],
  [modern, "POST", "authorization", ["Bearer one", "Bearer two"], 401],
];

describe.each(adapters)("over %s", (adapter) => {
  test.each(table)("%s, %s with %s %j is %i", async (revision, method, name, values, status) => {
    const { server } = inside();
    const { url, port } = await serve(adapter, server, {
      keepAliveMs: 0,
      authenticate: ({ header }) =>
        header("authorization") === "Bearer one" ? { principal: "one" } : { status: 401, text: "who?" },
    });
    const party = await new Party(url, revision, { authorization: "Bearer one" }).open();
    const message = party.message("tools/list");
    const good: Lines = [
      ["host", "localhost"],
      ...Object.entries(party.headersOf(message, { accept: method === "GET" ? "text/event-stream" : both })),
    ];
    const strange: Lines = [
      ...good.filter(([each]) => each !== name),
      ...values.map((value) => [name, value.replace("GOOD", party.session ?? "")] as const),
    ];
    const bad = await answered(port, method, strange, message);
    expect(bad).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    // node:http itself, or the bridge of this test, refuses invalid HTTP.
    if (status !== 401 && name !== "host") expect(bad).toMatch(/"error":\{"code":-32\d{3},/);
    // It took nothing away.
    expect(
      await answered(
        port,
        "POST",
        [...good.filter(([each]) => each !== "accept"), ["accept", both]],
        message,
      ),
    ).toMatch(/^HTTP\/1.1 200 /);
  });
});

/** The response to a request with exactly these headers. */
async function answered(port: number, method: string, lines: Lines, message: unknown): Promise<string> {
  const body = method === "POST" ? JSON.stringify(message) : "";
  const all: Lines = [...lines, ["content-length", String(Buffer.byteLength(body))], ["connection", "close"]];
  const text = all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const connection = new RawConnection(port, `${method} /mcp HTTP/1.1\r\n${text}\r\n${body}`);
  await connection.until((heard) => /\r\n\r\n/.test(heard));
  if (!/^HTTP\/1.1 200/.test(connection.heard)) await connection.closed;
  return connection.heard;
}
