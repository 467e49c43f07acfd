import { existsSync, readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { helperHeaders } from "../../../generator/command/servers/named-servers.js";
import { scripted } from "../../support/scripted-http-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { mcpgen } from "../../support/in-process.js";
import { runs } from "../../support/processes.js";
import { until } from "../../support/until.mjs";
import { trustOf } from "../../support/trust.js";

const node = `"${process.execPath}"`;

interface Project {
  readonly folder: string;
  /** The headers of all requests that the server got. */
  readonly headers: () => readonly IncomingHttpHeaders[];
}

/** A project whose `.mcp.json` has a server over HTTP with a helper, the source of which is given. */
async function project(source: string, file = ".mcp.json", entry: object = {}): Promise<Project> {
  const server = await scripted("2025-06-18", {});
  const named = { s: { type: "http", url: server.url, headersHelper: `${node} "helper.mjs"`, ...entry } };
  const folder = temporaryFolder({
    "helper.mjs": `import { writeFileSync } from "node:fs";\nwriteFileSync("ran", "");\n${source}`,
    [file]: JSON.stringify({ [file === ".mcp.json" ? "mcpServers" : "servers"]: named }),
  });
  return { folder, headers: () => server.received.map(({ headers }) => headers) };
}

const prints = (value: string): string => `console.log(JSON.stringify(${value}));`;

test("the headers that a command prints are sent in place of the file's headers; --header replaces both", async () => {
  const { folder, headers } = await project(
    prints(`{ "X-Made": "made", Authorization: "Bearer " + process.env.SECRET,
      "X-Where": [process.env.CLAUDE_CODE_MCP_SERVER_NAME, process.env.CLAUDE_CODE_MCP_SERVER_URL.slice(-4)].join(" "),
      "X-Own": String(process.env.MCPGEN_SCOPES) }`),
    ".mcp.json",
    { headers: { "x-made": "plain", "X-Plain": "plain" } },
  );
  const env = { SECRET: "a-long-secret", MCPGEN_SCOPES: "read", ...(await trustOf(folder)) };
  const ran = await mcpgen(folder, ["list", "s"], { env });
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  const expected = {
    ...{ "x-made": "made", authorization: "Bearer a-long-secret", "x-plain": "plain" },
    ...{ "x-where": "s /mcp", "x-own": "undefined" },
  };
  expect(headers().length).toBeGreaterThan(1);
  for (const each of headers()) expect(each).toMatchObject(expected);
  const given = await mcpgen(folder, ["list", "s", "--header", "X-MADE: given"], { env });
  expect([given.code, headers().at(-1)]).toEqual([0, expect.objectContaining({ "x-made": "given" })]);
});

test("a command of the project runs only with trust, and its change needs trust again", async () => {
  const { folder, headers } = await project(prints(`{ "X-Made": "made" }`));
  const ran = await mcpgen(folder, ["list", "s"]);
  expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining("MG2105")]);
  expect(ran.stderr).toMatch(/start +".*" "helper\.mjs" +\(\.mcp\.json \/mcpServers\/s\/headersHelper\)/);
  expect(ran.stderr).toMatch(/run +helper\.mjs/);
  expect([existsSync(join(folder, "ran")), headers()]).toEqual([false, []]);
});

test.each([".vscode/mcp.json"])("%s: a host that ignores the command is named", async (file) => {
  const { folder, headers } = await project(prints("{}"), file);
  const ran = await mcpgen(folder, ["list", "s"], { env: await trustOf(folder) });
  expect([ran.code, ran.stderr]).toEqual([
    2,
    expect.stringMatching(
      /\/servers\/s\/headersHelper: error MG2202: headersHelper is not supported by VS Code/,
    ),
  ]);
  expect(headers()).toEqual([]);
});

test.each<[string, string, RegExp]>([
  ["an exit code", 'console.error("no ticket"); process.exit(3);', /it ended with 3\n[^]*no ticket/],
  [
    "a signal",
    'process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000);',
    /it (?:was ended by SIGTERM|ended with 143)/,
  ],
  ["text", 'console.log("Bearer x");', /something else than JSON/],
  ["nothing", "", /something else than JSON/],
  ["a list", prints("[]"), /it printed an array/],
  ["a number", prints("{ A: 1 }"), /its "A" is a number/],
  ["null", prints("{ A: null }"), /its "A" is null/],
  ["a name with a space", prints('{ "A B": "x" }'), /its "A B" is not a header/],
  ["a value with a line end", prints(String.raw`{ A: "x\ny" }`), /its "A" is not a header/],
  ["two megabytes", 'console.log("x".repeat(2e6));', /more than 1048576 bytes/],
])("%s is refused", async (_, source, why) => {
  const { folder, headers } = await project(source);
  const ran = await mcpgen(folder, ["list", "s"], { env: await trustOf(folder) });
  expect([ran.code, ran.stderr]).toEqual([
    2,
    expect.stringContaining("error MG2204: headersHelper gave no headers: "),
  ]);
  expect(ran.stderr).toMatch(why);
  expect(headers()).toEqual([]);
});

test.each([null, 1, "", ["x"]])("headersHelper: %j is refused at its place", async (headersHelper) => {
  const { folder } = await project("", ".mcp.json", { headersHelper });
  const ran = await mcpgen(folder, ["list", "s"], { env: await trustOf(folder) });
  expect(ran.stderr).toMatch(/\/mcpServers\/s\/headersHelper: error MG2202: expected a command, got /);
});

afterEach(() => {
  vi.restoreAllMocks();
});

test("a command that does not end is ended after 10 seconds, with the processes that it has started", async () => {
  const limits: number[] = [];
  const limit = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    limits.push(ms);
    return limit.signal;
  });
  const folder = temporaryFolder({
    "helper.mjs": `import { spawn } from "node:child_process";
import { writeFileSync, renameSync } from "node:fs";
const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
console.error("waiting for a ticket");
writeFileSync("pids.new", JSON.stringify([process.pid, child.pid]));
renameSync("pids.new", "pids");
setInterval(() => {}, 1000);`,
  });
  const printed = helperHeaders({
    ...{ command: `${node} helper.mjs`, server: "s", url: "http://127.0.0.1/" },
    ...{ cwd: folder, env: process.env, place: { file: ".mcp.json" } },
  });
  const refused = expect(printed).rejects.toMatchObject({
    code: "MG2204",
    message: expect.stringContaining("it has not ended within 10 seconds") as string,
  });
  const file = join(folder, "pids");
  await until("the command has started its child", () => existsSync(file));
  limit.abort();
  await refused;
  expect(limits).toEqual([10_000]);
  const pids = JSON.parse(readFileSync(file, "utf8")) as number[];
  await until("both have ended", () => !pids.some(runs));
});

test("headers may come from a process that outlives the shell; one that keeps nothing open stays", async () => {
  const folder = temporaryFolder({
    "late.mjs": prints('{ "X-Made": "late" }'),
    "agent.mjs": "setInterval(() => {}, 1000);",
  });
  const agent = `${node} agent.mjs >agent.log 2>&1 </dev/null & echo $! >pid`;
  const pid = (): number => Number(readFileSync(join(folder, "pid"), "utf8"));
  onTestFinished(() => void process.kill(pid(), "SIGKILL"));
  const headers = await helperHeaders({
    ...{ command: `${agent}; (sleep 0.2; exec ${node} late.mjs) &`, server: "s", url: "http://127.0.0.1/" },
    ...{ cwd: folder, env: process.env, place: { file: ".mcp.json" } },
  });
  expect(headers).toEqual({ "X-Made": "late" });
  expect(runs(pid())).toBe(true);
});

test("white space and a byte order mark around the headers do not count", async () => {
  const { folder, headers } = await project(
    String.raw`process.stdout.write('\uFEFF\r\n {"X-Made":"made"} \n')`,
  );
  const ran = await mcpgen(folder, ["list", "s"], { env: await trustOf(folder) });
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  for (const each of headers())
    expect(Object.entries(each)).toEqual(expect.arrayContaining([["x-made", "made"]]));
});

test("the time limit has no effect after a command has ended", async () => {
  const limit = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(limit.signal);
  const folder = temporaryFolder({ "helper.mjs": prints('{ "X-Made": "made" }') });
  const headers = await helperHeaders({
    ...{ command: `${node} helper.mjs`, server: "s", url: "http://127.0.0.1/" },
    ...{ cwd: folder, env: process.env, place: { file: ".mcp.json" } },
  });
  limit.abort();
  expect(headers).toEqual({ "X-Made": "made" });
});
