import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createHostTest, hostServer } from "../../generator/host/create-host-test.js";
import { testHost } from "../../generator/host/host-test.js";
import { offeredTool } from "../../generator/host/offered-tools.js";
import type { HostName } from "../../generator/lint/host-rows.js";
import { hostPrograms } from "../../generator/host/program.js";
import { commands } from "../../generator/command/commands.js";
import { builtProgram } from "../support/built-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { listen } from "../support/listen.js";
import { runs } from "../support/processes.js";
import { hostWith, inputSchema, invalidTools, listed, sending, served } from "../support/small-host.js";
import { until } from "../support/until.mjs";

const echo = builtProgram("examples/echo/main.ts");

test("the command line offers each host", () => {
  const { options } = commands.find(({ name }) => name === "host test")!;
  expect(options!["host"]!.choices).toEqual(Object.keys(hostPrograms));
});

test("shows which tools and results reach the model, and what the host did besides", async () => {
  const run = await testHost({
    program: hostWith(),
    file: process.execPath,
    server: await served(),
    listed,
    script: [
      { tool: "weather", arguments: { city: "Rome" } },
      { tool: "no.letters" },
      { tool: "weather", arguments: { city: "Atlantis" } },
    ],
  });
  expect(run.exitCode, run.output).toBe(0);
  const [weather, dropped] = run.tools;
  expect(weather!.offered!.name).toBe("mcp__tested__weather");
  expect(weather!.changes.map(({ rule }) => rule)).toEqual(["object-opened"]);
  expect(dropped).toMatchObject({ name: "no.letters", changes: [] });
  expect(dropped!.offered).toBeUndefined();
  expect(dropped!.rules.map(({ rule }) => rule)).toEqual(["argument-name-characters"]);
  expect(run.tokens).toEqual({ listed: cost(listed), offered: cost([{ ...listed[0]!, ...offeredWeather }]) });
  expect(weather!.tokens.listed + dropped!.tokens.listed).toBe(run.tokens.listed);
  const [rome, lost, atlantis] = run.calls;
  const { firstByte = 0, answer = 0, quiet, limit, worked } = rome!.server!;
  expect(firstByte).toBeGreaterThan(0);
  expect(answer).toBeGreaterThanOrEqual(firstByte);
  expect(quiet).toBeLessThanOrEqual(answer);
  expect(answer).toBeLessThan(rome!.milliseconds!);
  expect([worked, limit]).toEqual([70_000, undefined]);
  expect(rome!.result).toContain("sunny in Rome");
  expect(rome!.milliseconds).toBeGreaterThan(0);
  expect(lost).toEqual({ tool: "no.letters" });
  expect(atlantis!.result).toContain("no such city");
  expect(run.others).toBe(0);
  expect(run.outside).toEqual(["example.com:443"]);
  // Nothing of this process but where programs are, and nothing stays.
  const [, variables] = /^variables: (.*)$/m.exec(run.output)!;
  const own =
    /^(?:CI|HOME|LANG|OWN|PATH|TERM|TMPDIR|XDG_(?:CONFIG_HOME|RUNTIME_DIR)|(?:HTTPS?|ALL|NO)_PROXY)$/i;
  expect(variables!.split(" ").filter((name) => !own.test(name))).toEqual([]);
  const [, pid] = /^left behind: (\d+)$/m.exec(run.output)!;
  await until("the end of the process that was left behind", () => !runs(Number(pid)));
  expect(existsSync(/^home: (.*)$/m.exec(run.output)![1]!)).toBe(false);
});

test.each(["stdio", "http"])(
  "a tool that the server does not list to the host over %s is not dropped",
  async (by) => {
    const command = { command: process.execPath, args: [echo], env: {} };
    const server = by === "http" ? await served() : command;
    const own = by === "http" ? listed : [{ name: "echo", inputSchema: { type: "object" } }];
    const elsewhere = { name: "elsewhere", inputSchema };
    const request = { program: hostWith(), file: process.execPath, server, script: [] };
    const { tools } = await testHost({ ...request, listed: [...own, elsewhere] });
    expect(tools.filter(({ isListed }) => !isListed).map(({ name }) => name)).toEqual(["elsewhere"]);
  },
);

test.each(invalidTools)("a tool with %s is the server's, offered or not", async (_, odd) => {
  const server = { command: process.execPath, args: sending([listed[0]!, odd]), env: {} };
  for (const modes of [[], ["careless"]]) {
    const request = { program: hostWith(...modes), file: process.execPath, server, script: [] };
    const { tools, others, tokens } = await testHost({ ...request, listed: listed.slice(0, 1) });
    expect(others).toBe(0);
    expect(tools.map(({ name, isListed }) => [name, isListed])).toEqual([
      ["weather", true],
      ["odd", true],
    ]);
    expect(tools[1]!.offered?.name).toBe(modes.length > 0 ? "mcp__tested__odd" : undefined);
    expect(tokens.listed).toBe(cost([listed[0]!, odd]));
  }
});

test("rules judge the members of schemas that are null, as the host gets them", async () => {
  const odd = { ...listed[0]!, inputSchema: { type: "object", properties: { city: null }, required: null } };
  const server = { command: process.execPath, args: sending([odd]), env: {} };
  const program = { ...hostWith(), rules: { "null-required": "drops", "invalid-schema": "drops" } } as const;
  const read = [{ ...odd, inputSchema: { type: "object", properties: {} } }];
  const { tools } = await testHost({ program, file: process.execPath, server, listed: read, script: [] });
  expect(tools.map(({ rules }) => rules.map(({ rule }) => rule).toSorted())).toEqual([
    ["invalid-schema", "null-required"],
  ]);
});

test.each([undefined, "2025-06-18", "2025-11-25"])(
  "with a server of 2025-06-18, a host of %s has the rules of its row for it",
  async (stdio) => {
    const odd = { ...listed[0]!, inputSchema: { type: "object", properties: {}, required: null } };
    const server = { command: process.execPath, args: sending([odd]), env: {} };
    const rules = { "null-required": "drops" };
    const row = { rules, olderRules: { "null-required": "nothing" }, ...(stdio && { revision: { stdio } }) };
    const program = { ...hostWith(), ...row };
    const { tools } = await testHost({
      program,
      file: process.execPath,
      server,
      listed: [odd as never],
      script: [],
    });
    const isOlder = stdio === "2025-11-25";
    expect(tools[0]!.rules.map(({ does }) => does)).toEqual(isOlder ? [] : ["drops"]);
  },
);

test("a tool whose name the host shortens is known by its description, if no other has it", () => {
  const tool = { name: "a".repeat(64), description: "Long." };
  const cut = { name: `mcp__tested__${"a".repeat(50)}`, description: "Long.", schema: {} };
  expect(offeredTool(tool, [{ ...cut, name: "other", description: "Other." }, cut], "tested")).toBe(cut);
  expect(offeredTool(tool, [cut, { ...cut, name: "mcp__tested__other" }], "tested")).toBeUndefined();
  expect(offeredTool({ name: tool.name }, [{ ...cut, description: undefined }], "tested")).toBeUndefined();
});

test("tools whose names a host makes unique are known by their schemas, if they share a description", () => {
  const twin = (name: string, argument: string) => ({
    name,
    description: "Gets a user.",
    inputSchema: { type: "object", properties: { [argument]: {} } },
  });
  const [one, other] = [twin("get-user", "a"), twin("get_user", "b")];
  const offered = [other, one].map(({ description, inputSchema: schema }, index) => {
    return { name: `mcp__testedget_user_${index}f`, description, schema };
  });
  expect(offeredTool(one, offered, "tested")).toBe(offered[1]);
  expect(offeredTool(other, offered, "tested")).toBe(offered[0]);
  // The host may rewrite the schemas.
  const rewritten = offered.map((tool) => ({ ...tool, schema: {} }));
  for (const tool of [one, other]) expect(rewritten).toContain(offeredTool(tool, rewritten, "tested"));
  expect(offeredTool({ ...one, name: "erase" }, offered, "tested")).toBeUndefined();
});

test.each(["its time is over", "it is aborted"])("a host ends with what it started if %s", async (how) => {
  const ending = new AbortController();
  const left: string[] = [];
  const node = createServer(({ url }) => {
    left.push(url!.split("?")[1]!);
    if (how === "it is aborted") ending.abort();
  });
  const port = await listen(node);
  const url = `http://127.0.0.1:${port}/`;
  const run = testHost({
    program: hostWith("hang"),
    file: process.execPath,
    server: { url, headers: {} },
    listed,
    script: [{ tool: "weather" }],
    ...(how === "it is aborted" ? { signal: ending.signal } : { timeout: 5_000 }),
  });
  if (how === "it is aborted") await expect(run).rejects.toThrow("aborted");
  else expect((await run).exitCode).toBeUndefined();
  // It is not run again.
  expect(left).toHaveLength(1);
  await until("the end of the process that was left behind", () => !runs(Number(left[0])));
});

test("a folder with a long path has its server over standard streams, and nothing stays", async () => {
  const temporary = join(temporaryFolder(), "t".repeat(100));
  mkdirSync(temporary);
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const run = await testHost({
    program: hostWith(),
    file: process.execPath,
    server: { command: process.execPath, args: [echo], env: {} },
    listed: [{ name: "echo", inputSchema: { type: "object" } }],
    script: [{ tool: "echo", arguments: { message: "heard" } }],
  });
  expect(run.calls[0]!.result, run.output).toContain("heard");
  expect(readdirSync(temporary)).toEqual([]);
});

test("a start that fails leaves nothing", async () => {
  const temporary = temporaryFolder();
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const request = { program: hostWith(), file: process.execPath, listed, script: [] };
  const listening = (): number =>
    process.getActiveResourcesInfo().filter((each) => each === "TCPServerWrap").length;
  const before = listening();
  await expect(testHost({ ...request, server: { url: "none", headers: {} } })).rejects.toThrow("Invalid URL");
  await until("no server listens", () => listening() <= before);
  expect(readdirSync(temporary)).toEqual([]);
});

test("a host that is not known is refused with those that are", async () => {
  const options = { host: "nope" as HostName, server: "http://127.0.0.1:1/", script: [] };
  await expect(createHostTest(options)).rejects.toMatchObject({
    code: "MG2004",
    message: expect.stringContaining(Object.keys(hostPrograms).join(", ")) as string,
  });
});

test("headers of a host are the same as those of mcpgen: later ones replace earlier ones", async () => {
  const reach = { directory: ".", headers: { Authorization: "Bearer later" } };
  const later = { url: "http://127.0.0.1:1/", headers: { Authorization: "Bearer later" } };
  expect(await hostServer("http://me:secret@127.0.0.1:1/", reach)).toEqual(later);
  expect(await hostServer("http://me:secret@127.0.0.1:1/", { directory: "." })).toMatchObject({
    url: "http://127.0.0.1:1/",
    headers: { Authorization: `Basic ${Buffer.from("me:secret").toString("base64")}` },
  });
  const address = { kind: "http", url: later.url, headers: { authorization: "Bearer earlier" } } as const;
  expect(await hostServer({ name: "s", address } as never, reach)).toEqual(later);
});

test("a test ends with its signal while a server does not answer", async () => {
  const ending = new AbortController();
  const asked = vi.fn(() => ending.abort(new Error("enough")));
  const port = await listen(createServer(asked));
  const directory = installed("#!/bin/sh\n");
  const options = { host: "codex", directory, server: `http://127.0.0.1:${port}/`, script: [] } as const;
  await expect(createHostTest({ ...options, signal: ending.signal })).rejects.toThrow("enough");
  expect(asked).toHaveBeenCalled();
  // Nothing is asked for a test that is over.
  asked.mockClear();
  await expect(createHostTest({ ...options, signal: ending.signal })).rejects.toThrow("enough");
  expect(asked).not.toHaveBeenCalled();
});

test("a host that cannot be started is an error with a code", async () => {
  const { url } = (await served()) as { readonly url: string };
  const directory = installed("#!/nonexistent/sh\n");
  const run = createHostTest({ host: "codex", directory, server: url, script: [] });
  await expect(run).rejects.toMatchObject({ code: "MG6333", message: "codex cannot be started: ENOENT" });
});

test("nothing starts if it is aborted already", async () => {
  const signal = AbortSignal.abort();
  const request = { program: hostWith(), file: "/none", server: { url: "http://127.0.0.1:1/", headers: {} } };
  await expect(testHost({ ...request, listed, script: [], signal })).rejects.toThrow("aborted");
});

/** A folder in which a program is installed as Codex. */
function installed(program: string): string {
  const folder = temporaryFolder({ "node_modules/.bin/codex": program });
  chmodSync(join(folder, "node_modules/.bin/codex"), 0o755);
  return folder;
}

/** Tokens by the estimate of `lint`: a quarter of the bytes of each entry. */
function cost(tools: readonly object[]): number {
  return tools.reduce((sum, tool) => sum + Math.ceil(Buffer.byteLength(JSON.stringify(tool)) / 4), 0);
}

const { additionalProperties: _, ...open } = inputSchema;
const offeredWeather = { name: "mcp__tested__weather", inputSchema: open };
