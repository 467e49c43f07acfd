import { McpError } from "@mcpgen/runtime";
import { logRequests, requestLog } from "@mcpgen/observe";
import { afterEach, describe, expect, test, vi } from "vitest";
import { builtProgram } from "../../support/built-program.js";
import { failureOf } from "../../support/failure-of.js";
import { clientOf, routes, serverWith } from "../../support/served.js";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

afterEach(() => vi.unstubAllEnvs());

/** The lines without the values that differ from run to run. */
const steady = (lines: readonly string[]): string[] =>
  lines.map((line) =>
    line
      .replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /, "")
      .replace(/ \d+\.\d ms /, " N ms ")
      .replace(/ (id|for|requestId)=\d+/, " $1=N")
      .replace(/ session=[\w-]{6}…/, ""),
  );

describe.each(routes)("over %s at %s", (wire, revision) => {
  const isModern = revision === "2026-07-28";
  const title = "one line per request has method, name, id, revision, time and outcome (replay: %s)";

  test.each(isModern ? [false, true] : [false])(title, async (replay) => {
    const server = serverWith({ state: replay ? { parking: false } : {} });
    server.tool("add", {}, () => "done");
    server.tool("fails", {}, () => {
      throw new Error("secret of the database");
    });
    server.tool("refuses", {}, () => {
      throw new McpError("cancelled", "secret", { rpcCode: -7 });
    });
    server.resource("file:///a?token=secret", {}, () => "x");
    server.tool("asks", { replay }, async (_, { ask }) => String((await ask.roots("k")).length));
    const lines: string[] = [];
    logRequests(server, { write: (line) => lines.push(line) });
    const client = await clientOf(server, wire, revision, { roots: [] });
    await client.callTool("add", { password: "secret" });
    await client.callTool("fails");
    await failureOf(client.callTool("refuses"));
    await client.readResource("file:///a?token=secret");
    await client.callTool("asks");
    await failureOf(client.request("prompts/get", { name: "secret" }));
    const round = replay
      ? [
          `-> roots/list for=N ${revision} N ms input required`,
          `<- tools/call "asks" id=N ${revision} N ms input required`,
        ]
      : [`call-parked method="tools/call" name="asks" round=1 parked=1`];
    expect(steady(lines).filter((line) => !line.startsWith("session-"))).toEqual([
      `<- ${isModern ? "server/discover" : "initialize"} id=N ${revision} N ms ok`,
      `<- tools/call "add" id=N ${revision} N ms ok`,
      `handler-error method="tools/call" name="fails" requestId=N error=Error`,
      `<- tools/call "fails" id=N ${revision} N ms isError`,
      `<- tools/call "refuses" id=N ${revision} N ms failed cancelled -7`,
      `<- resources/read "file:///a?…" id=N ${revision} N ms ok`,
      ...(isModern ? round : []),
      `-> roots/list for=N ${revision} N ms ok`,
      `<- tools/call "asks" id=N ${revision} N ms ok`,
    ]);
    expect(lines.join("\n")).not.toMatch(/secret|password/);
  });
});

/** The lines of a server that is called once well and once badly. */
async function linesAt(options: Parameters<typeof requestLog>[0]): Promise<string[]> {
  const server = serverWith();
  server.tool("add", {}, () => "done");
  const lines: string[] = [];
  const end = logRequests(server, { ...options, write: (line) => lines.push(line) });
  const client = await clientOf(server, "memory", "2026-07-28");
  await client.callTool("add");
  await failureOf(client.callTool("none"));
  end();
  await client.callTool("add");
  return steady(lines);
}

const failed = '<- tools/call "none" id=N 2026-07-28 N ms failed invalid-params -32602';
const calls = [
  "<- server/discover id=N 2026-07-28 N ms ok",
  '<- tools/call "add" id=N 2026-07-28 N ms ok',
  failed,
];
const begins = [
  'connection-opened principal=""',
  "<- server/discover id=N 2026-07-28 begins",
  calls[0],
  '<- tools/call "add" id=N 2026-07-28 begins',
  calls[1],
  '<- tools/call "none" id=N 2026-07-28 begins',
  failed,
];

test.each([
  ["error", [failed]],
  ["info", calls],
  ["", calls],
  ["verbose", calls],
  ["debug", begins],
])("MCPGEN_LOG=%s chooses the lines, and the option takes precedence", async (level, expected) => {
  vi.stubEnv("MCPGEN_LOG", level);
  const seen = (lines: readonly string[]): string[] => lines.map((line) => line.replace(' principal=""', ""));
  expect(seen(await linesAt({}))).toEqual(seen(expected as string[]));
  expect(await linesAt({ level: "error" })).toEqual([failed]);
});

test("parameters and messages are written only on request, on one line", async () => {
  const server = serverWith();
  server.tool("add", {}, () => {
    throw new McpError("cancelled", "no\nway", { rpcCode: -7 });
  });
  const lines: string[] = [];
  logRequests(server, { params: true, level: "error", write: (line) => lines.push(line) });
  const client = await clientOf(server, "memory", "2026-07-28");
  await failureOf(client.callTool("add", { text: "\u202e\u001b[2J" }));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("failed cancelled -7 no\\u000away");
  expect(lines[0]).toContain('"arguments":{"text":');
  // eslint-disable-next-line no-control-regex
  expect(lines[0]).not.toMatch(/[\u0000-\u001f\u202e]/);
});

test("a client logs from its first request on, and failures of the writer are ignored", async () => {
  const server = serverWith();
  server.tool("add", {}, () => "done");
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
    throw new Error("disk full");
  };
  const client = await clientOf(server, "memory", "2025-11-25", { ...requestLog({ level: "debug", write }) });
  await client.callTool("add");
  expect(steady(lines)).toEqual([
    "connection-opening earlier=0",
    "-> initialize 2025-11-25 begins",
    "-> initialize 2025-11-25 N ms ok",
    'connection-opened revision="2025-11-25"',
    '-> tools/call "add" 2025-11-25 begins',
    '-> tools/call "add" 2025-11-25 N ms ok',
  ]);
});

describe("a program on stdio", () => {
  const program = builtProgram("test/runtime/stdio/programs/logged.ts");

  test("logs on standard error, and standard output only carries messages", async () => {
    const child = spawn(process.execPath, [program], { env: { ...process.env, MCPGEN_LOG: "info" } });
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add", _meta: meta } };
    child.stdin.end(`${JSON.stringify(call)}\n`);
    await once(child, "exit");
    const [output, errors] = await said;
    expect(
      output
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { id: number }).id),
    ).toEqual([1]);
    expect(steady(errors.trimEnd().split("\n"))).toEqual(['<- tools/call "add" id=N 2026-07-28 N ms ok']);
  });
});
