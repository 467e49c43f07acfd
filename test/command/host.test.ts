import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serveHttp } from "@mcpgen/runtime/http";
import { expect, onTestFinished, test, vi } from "vitest";
import { diffContracts } from "../../generator/diff/contract/diff-contracts.js";
import { hostPrograms } from "../../generator/host/program.js";
import { type HostReport, hostReading } from "../../generator/host/reading.js";
import { atTerminal, down, enter } from "./at-terminal.js";
import { builtProgram } from "../support/built-program.js";
import { isThorough } from "../support/cases.mjs";
import { mcpgen } from "../support/in-process.js";
import { serverWith } from "../support/served.js";
import { invalidTools, sending } from "../support/small-host.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const file = builtProgram("test/host/programs/host.ts");

const echo = builtProgram("examples/echo/main.ts");

const small = `#!/bin/sh\nexec '${process.execPath}' '${file}'`;

/** A project in which a small host, or another program, is installed as Codex. */
function project(program = small): string {
  const folder = temporaryFolder({ "node_modules/.bin/codex": program });
  chmodSync(join(folder, "node_modules/.bin/codex"), 0o755);
  return folder;
}

const tokens = { listed: 0, offered: 0 };

/** The first entry of a report. */
function readingOf(more: Partial<HostReport["test"]>) {
  const empty = { transport: "http", tools: [], calls: [], faults: [], others: 1, tokens } as const;
  const test = { ...empty, outside: [], exitCode: 0, ...more };
  const listed = [{ name: "read", inputSchema: {} }];
  const report = { program: hostPrograms.codex, source: "s", listed, test };
  return hostReading([report], []).sections[0]!.entries[0]!;
}

const evil = "<img src=x> [a](javascript:0) \u001b[31m::error::";

/** A server whose tools read, write and leave. @returns its URL, and the names of the tools that were called */
async function served() {
  const called: string[] = [];
  const server = serverWith();
  const inputSchema = { type: "object" as const };
  const tool = (name: string, more: object): void =>
    void server.tool(name, { description: evil, inputSchema, ...more }, () => {
      called.push(name);
      return `waited 3 seconds ${evil}`;
    });
  tool("read", { annotations: { readOnlyHint: true } });
  tool("write", {});
  tool("erase", { annotations: { destructiveHint: true } });
  const { url, close } = await serveHttp(server, { port: 0 });
  onTestFinished(close);
  return { url, called };
}

const words = (url: string, ...more: string[]) => ["host", "test", url, "--host", "codex", ...more];

test("calls only tools that read, and says which it left out", async () => {
  const { url, called } = await served();
  const { code, stdout } = await mcpgen(project(), words(url));
  expect(code, stdout).toBe(0);
  expect(called).toEqual(["read"]);
  expect(stdout).toContain("not called: write, erase");
});

test("asks at a terminal before it calls others", async () => {
  const { url, called } = await served();
  const { code, unasked } = await atTerminal(project(), words(url), [
    ["Which are called", `${down} ${enter}`],
  ]);
  expect(code).toBe(0);
  expect(unasked).toEqual([]);
  expect(called).toEqual(["read", "erase"]);
});

test("a script is judged before a host runs", async () => {
  const { url, called } = await served();
  const folder = project();
  for (const script of ["{}", '[{"tool":"raed"}]', '[{"tool":"read","arguments":1}]', '[{"toll":"read"}]']) {
    writeFileSync(join(folder, "calls.json"), script);
    const { code, stderr } = await mcpgen(folder, words(url, "--script", "calls.json"));
    expect(code).toBe(3);
    expect(stderr).toContain("MG6332");
  }
  expect(called).toEqual([]);
});

test("without times, each run gives the same report", async () => {
  const { url } = await served();
  const folder = project();
  const options = ["--no-times", "--json", ...(isThorough ? ["--faults", "--slow", "0.05"] : [])];
  const reports = new Set<string>();
  for (let run = 0; run < (isThorough ? 20 : 2); run++)
    reports.add((await mcpgen(folder, words(url, ...options))).stdout);
  expect([...reports]).toHaveLength(1);
  expect([...reports][0]).toContain("Wall time: … seconds");
  expect([...reports][0]).toContain("waited 3 seconds");
});

test.each([
  [
    "#!/bin/sh\necho it needs Node 22 >&2\nexit 3\n",
    (url: string) => `asked no model with ${url}: exit code 3`,
    "it needs Node 22",
  ],
  ["#!/nonexistent/sh\n", () => "cannot be started: ENOENT", "Mend its installation"],
])("a host that fails is not the server's fault: %j", async (program, expected, more) => {
  const { url } = await served();
  for (const options of [[], ["--no-times"]]) {
    const { code, stdout, stderr } = await mcpgen(project(program), words(url, ...options));
    const errors = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("MG"));
    expect(code, stderr).toBe(1);
    expect(errors).toEqual([expect.stringContaining(`MG6333: codex ${expected(url)}`)]);
    expect(`${stdout}${stderr}`).toContain(more);
  }
});

test.each([[], ["--no-times"]])(
  "a tool that is quiet for too long is a finding with options %j",
  async (...more) => {
    const { url } = await served();
    const limits = { ...hostPrograms.codex, quiet: { http: { limit: 0 } } };
    onTestFinished(stubbed(hostPrograms, "codex", limits));
    const { stdout, stderr } = await mcpgen(project(), words(url, ...more));
    const found = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("MG6334"));
    expect(found).toEqual([expect.stringContaining('"read" is quiet for longer than 0 ms')]);
  },
);

test.each([[], ["--no-times"]])(
  "a command that starts more slowly than the host waits is a finding with options %j",
  async (...more) => {
    const found: string[] = [];
    for (const limit of [0, 600_000]) {
      const restored = stubbed(hostPrograms, "codex", { ...hostPrograms.codex, startup: { limit } });
      const { stdout, stderr } = await mcpgen(project(), words(`stdio:node "${echo}"`, ...more)).finally(
        restored,
      );
      found.push(...`${stdout}${stderr}`.split("\n").filter((line) => line.includes("MG6334")));
    }
    expect(found).toEqual([expect.stringContaining("the server starts in more than 0 ms")]);
  },
);

/** Puts a value in place of another one. @returns what puts the other one back */
function stubbed<T extends object, Key extends keyof T>(object: T, key: Key, value: T[Key]): () => void {
  const before = object[key];
  object[key] = value;
  return () => void (object[key] = before);
}

test.each(["stdio", "http"])(
  "over %s, a result that the host makes an error is a finding; the server's own error is not",
  async (by) => {
    const server = serverWith();
    const inputSchema = { type: "object" as const, properties: { message: { type: "string" } } };
    server.tool("echo", { inputSchema }, ({ message }) => String(message));
    const { url, close } = await serveHttp(server, { port: 0 });
    onTestFinished(close);
    const source = by === "http" ? url : `stdio:${process.execPath} ${echo}`;
    const folder = project(`${small} gemini\n`);
    const errorsWith = async (message: unknown): Promise<string[]> => {
      writeFileSync(join(folder, "calls.json"), JSON.stringify([{ tool: "echo", arguments: { message } }]));
      const { code, stdout, stderr } = await mcpgen(folder, words(source, "--script", "calls.json"));
      const found = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("MG6333"));
      expect(code, stderr).toBe(found.length === 0 ? 0 : 1);
      return found;
    };
    const error = 'the model gets an error for the result of the call of "echo"';
    expect(await errorsWith("[1]")).toEqual([expect.stringContaining(error)]);
    expect(await errorsWith("1")).toEqual([]);
    // Against the schema: the server refuses it.
    expect(await errorsWith(1)).toEqual([]);
  },
);

test("tools that mcpgen cannot read are errors, and the server's", async () => {
  const odd = invalidTools.map(([, tool], index) => ({ ...tool, name: `odd${index}` }));
  const folder = project(`${small} careless\n`);
  const fine = { name: "fine", inputSchema: { type: "object" } };
  writeFileSync(join(folder, "server.cjs"), sending([fine, ...odd])[1]!);
  const { code, stdout, stderr } = await mcpgen(folder, words(`stdio:${process.execPath} server.cjs`));
  expect(code, stderr).toBe(1);
  const errors = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("error MG"));
  expect(errors).toEqual(odd.map(({ name }) => expect.stringContaining(`"${name}" is left out`) as string));
  expect(stdout).toContain(`${odd.length + 1} of ${odd.length + 1} tools and 0 of the host`);
});

/** Prints its argument in two pieces, at its start and at its end, and no line end. */
const printing = `
import { createInterface } from "node:readline";
const secret = process.argv[2] ?? "";
process.stderr.write("begins " + secret.slice(0, 9));
const tools = [{ name: "read", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }];
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
  "tools/list": { tools },
  "tools/call": { content: [] },
};
const lines = createInterface({ input: process.stdin });
lines.on("close", () => process.stderr.write(secret.slice(9)));
lines.on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "tools/call" && secret === "") console.error("a call came");
  const result = results[method];
  const answer = result ? { result } : { error: { code: -32601, message: "unknown" } };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});`;

test("--verbose shows what a server prints on standard error while a host uses it", async () => {
  const folder = project();
  writeFileSync(join(folder, "printing.mjs"), printing);
  const source = `stdio:${process.execPath} ${join(folder, "printing.mjs")}`;
  expect((await mcpgen(folder, words(source, "--verbose"))).stderr).toContain("a call came");
  expect((await mcpgen(folder, words(source))).stderr).not.toContain("a call came");
});

test("the standard error of servers that run at once is not mixed: their secrets are recognised", async () => {
  const folder = project();
  writeFileSync(join(folder, "printing.mjs"), printing);
  const options = ["--faults", "--slow", "1", "--verbose", "--env", "SECRET=hunter2secretvalue"];
  const { code, stderr } = await mcpgen(
    folder,
    words("stdio:node printing.mjs hunter2secretvalue", ...options),
  );
  expect(code, stderr).toBe(0);
  const lines = stderr.split("\n").filter((line) => /begins|value/.test(line));
  // The capture, the host, and a host for each fault; a server that is ended early prints only the first piece.
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(line).toMatch(/^begins (?:…|hunter2se)$/);
  expect(lines).toContain("begins …");
});

const [session, stream] = ["session", "stream"].map(
  (what) => `met nothing: host and server share no ${what}`,
);
const modesWith = [
  ["", [session, stream], []],
  ["listen", [session, "the changed list: offered"], []],
  ["listen deaf", [session, "the changed list: not offered"], ["the model does not get a changed list"]],
] as const;

test.each(isThorough ? modesWith : modesWith.slice(-1))(
  "faults of a host in modes %j",
  async (modes, shown, warned) => {
    const { url } = await served();
    const folder = project(`${small} ${modes}\n`);
    const { code, stdout, stderr } = await mcpgen(folder, words(url, "--faults", "--slow", "0.05"));
    expect(code, stderr).toBe(0);
    for (const text of shown) expect(stdout).toContain(text);
    const warnings = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("MG6334"));
    expect(warnings).toEqual(warned.map((text) => expect.stringContaining(text) as string));
  },
);

test.each([
  [{ worked: 70_000 }, "is known to wait 70000 ms"],
  [{ worked: 70_000, limit: 90_000 }, "gives up after 90000 ms"],
  [{}, undefined],
])("a call with the limits %j", (limits, expected) => {
  const call = { tool: "read", result: "", server: { quiet: 20, ...limits } };
  const { facts } = readingOf({ calls: [call] });
  const shown = facts!.filter(({ name }) => name === "quiet").map(({ value }) => value.join(""));
  expect(shown).toEqual(expected === undefined ? [] : [`20 ms; the host ${expected}`]);
});

test("a description that a host makes empty is shown as one", () => {
  const before = { name: "read", inputSchema: {} };
  const [old, after] = [before, { ...before, description: "" }].map((tool) => ({
    name: "s",
    version: "1",
    tools: [tool],
  }));
  const changes = diffContracts(old!, after!);
  expect(changes).toHaveLength(1);
  const tool = {
    name: "read",
    offered: { name: "read", description: "", schema: {} },
    isListed: true,
    changes,
    tokens,
    rules: [],
  };
  const { facts } = readingOf({ tools: [tool] });
  expect(facts!.at(-1)!.value).toContainEqual({ code: '(absent) → ""' });
});

test("all sources are judged before a host runs, and reports name them", async () => {
  const [one, other] = [await served(), await served()];
  const folder = project();
  const both = words(one.url, other.url, one.url, "--host", "codex");
  const { stdout } = await mcpgen(folder, both);
  for (const { url, called } of [one, other]) {
    expect(called).toEqual(["read"]);
    expect(stdout).toContain(`codex, ${url}: calls`);
    expect(stdout).toContain(`not called of ${url}: write, erase`);
  }
  const { code, stderr } = await mcpgen(folder, words(one.url, "http://127.0.0.1:1/mcp"));
  expect(code, stderr).toBe(4);
  expect(one.called).toEqual(["read"]);
});

test.each(["text", "json", "markdown", "html"])("values of --header stay out of %s", async (format) => {
  const { url } = await served();
  const folder = project();
  writeFileSync(join(folder, "calls.json"), '[{"tool":"read","arguments":{"echoed":"ordinary&<123"}}]');
  const given = ["--script", "calls.json", "--header", "Tenant: ordinary&<123"];
  const { stdout } = await mcpgen(folder, words(url, ...given, "--format", format));
  expect(stdout).toContain("echoed");
  expect(stdout).not.toContain("ordinary");
});

test.each(["markdown", "html"])("texts of servers stay texts in %s", async (format) => {
  const { url } = await served();
  const { code, stdout } = await mcpgen(project(), words(url, "--format", format));
  expect(code).toBe(0);
  expect(stdout).toContain("waited 3 seconds");
  expect(stdout).not.toContain(format === "html" ? "<img" : "\n::error");
  expect(stdout).not.toContain("\u001b");
});

/** Each file below a folder, with its content and its time. */
function listing(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => {
    const at = join(folder, path);
    const stat = statSync(at);
    return `${path} ${stat.mtimeMs} ${stat.isFile() ? readFileSync(at, "base64") : ""}`;
  });
}

test("a run leaves nothing: not in the project, the home and the folder for temporary files", async () => {
  const { url } = await served();
  const [folder, home, temporary] = [project(), temporaryFolder({ ".keep": "" }), temporaryFolder()];
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_CONFIG_HOME", home);
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const before = [folder, home, temporary].map((each) => listing(each));
  const { code } = await mcpgen(folder, words(url));
  expect(code).toBe(0);
  expect([folder, home, temporary].map((each) => listing(each))).toEqual(before);
});
