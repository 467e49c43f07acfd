import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clientRevisions } from "@mcpgen/protocol";
import { type Client, connect } from "@mcpgen/runtime";
import { stdioClientChannel, streamChannel } from "@mcpgen/runtime/stdio";
import { Replay, parseSession } from "@mcpgen/testing";
import { builtCli } from "../support/built-program.js";
import { members } from "../support/processes.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.mjs";

const cli = builtCli();

const weather = `
  - name: current_weather
    description: The weather in a city now.
    inputSchema: { type: object, properties: { city: { type: string } }, required: [city] }
    outputSchema: { type: object, properties: { temperature: { type: number } }, required: [temperature] }
`;

/** A new project of \`init server\`, whose handler also prints the id of its process. */
async function project(): Promise<string> {
  const folder = temporaryFolder();
  const init = spawn(process.execPath, [cli, "init", "server", "--yes"], { cwd: folder, stdio: "ignore" });
  expect(await once(init, "exit")).toEqual([0, null]);
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"), "dir");
  const main = join(folder, "src/main.ts");
  const pid = 'declare const process: { readonly pid: number };\nconsole.error("up " + process.pid);\n';
  writeFileSync(main, readFileSync(main, "utf8") + pid);
  return folder;
}

interface Running {
  readonly program: ChildProcess;
  readonly stderr: () => string;
  readonly printed: (text: string) => Promise<boolean>;
  /** The process groups of the servers that were started. */
  readonly groups: () => number[];
}

function running(folder: string, words: readonly string[] = []): Running {
  const program = spawn(process.execPath, [cli, "dev", "--verbose", ...words], { cwd: folder });
  let stderr = "";
  program.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const groups = (): number[] => [...stderr.matchAll(/up (\d+)/g)].map(([, pid]) => Number(pid));
  onTestFinished(() => {
    program.kill("SIGKILL");
    for (const group of groups()) if (members(group).length > 0) process.kill(-group, "SIGKILL");
  });
  return {
    program,
    stderr: () => stderr,
    printed: (text) => until(text, () => stderr.includes(text)),
    groups,
  };
}

/** Replaces a file as editors do: by a new one that takes its name. */
function save(file: string, change: (text: string) => string): void {
  writeFileSync(`${file}.new`, change(readFileSync(file, "utf8")));
  renameSync(`${file}.new`, file);
}

async function clientOf({ program }: Running, revision: string): Promise<Client> {
  const channel = streamChannel(program.stdout!, program.stdin!);
  return connect(channel, { revisions: clientRevisions, revision, timeouts: { connect: 500_000 } });
}

test.each(["2025-11-25", "2026-07-28"])(
  "contract edited, stub inserted, server restarted, call answered: in one session of a client (%s)",
  async (revision) => {
    const folder = await project();
    const [contract, handlers] = [join(folder, "mcp.contract.yaml"), join(folder, "src/handlers.ts")];
    const loop = running(folder, ["--stdio"]);
    const client = await clientOf(loop, revision);
    const greeting = await client.callTool("greet", { name: "Ada" });
    expect(greeting.structuredContent).toEqual({ greeting: "Hello, Ada." });

    save(contract, (text) => text.trimEnd() + weather);
    await loop.printed("current_weather inserted into src/handlers.ts");
    await loop.printed("server restarted");
    expect((await client.listTools()).items.map(({ name }) => name)).toEqual(["greet", "current_weather"]);

    const restarts = (): number => loop.stderr().split("server restarted").length - 1;
    const lines = (): number => loop.stderr().split(/ \(\d+\.\d\d s\)\n/).length - 1;
    const next = async (change: (text: string) => string): Promise<void> => {
      const before = lines();
      save(handlers, change);
      await until("the next line", () => lines() > before);
    };

    // Types that do not fit: the place is printed, and the server runs the new code.
    const before = restarts();
    await next((text) => text.replace('throw new Error("current_weather is not written yet")', "return 5"));
    expect(loop.stderr()).toMatch(/src\/handlers\.ts:\d+:\d+: error MG6801: .+ \(TS2322\)/);
    expect(restarts()).toBe(before + 1);
    expect((await client.callTool("greet", { name: "Bo" })).isError).not.toBe(true);

    // Syntax that is wrong: the server of the last change keeps running.
    await next((text) => text.replace("return 5", "return 5 +"));
    expect(loop.stderr()).toContain("the running server was kept; 1 error");
    expect(restarts()).toBe(before + 1);
    expect((await client.callTool("greet", { name: "Cy" })).isError).not.toBe(true);

    await next((text) => text.replace("return 5 +", "return { structuredContent: { temperature: 9 } }"));
    expect(restarts()).toBe(before + 2);
    const { structuredContent } = await client.callTool("current_weather", { city: "Bergen" });
    expect(structuredContent).toEqual({ temperature: 9 });

    // A contract that cannot be read is reported with its place.
    save(contract, (text) => `${text}  - nome: x\n`);
    await loop.printed("mcp.contract.yaml:");
    await until("kept", () => loop.stderr().split("the running server was kept").length > 2);
    expect((await client.listTools()).items).toHaveLength(2);

    loop.program.stdin!.end();
    expect(await once(loop.program, "exit")).toEqual([0, null]);
    await until("no server is left", () => loop.groups().flatMap(members).length === 0);
  },
);

test("handlers that run again are judged when the server has started", async () => {
  const folder = await project();
  save(join(folder, "mcp.contract.yaml"), (text) => text.replace("- name: greet", "$&\n    replay: true"));
  save(join(folder, "src/handlers.ts"), (text) =>
    `const load = async (name: string) => name;\n${text}`
      .replace("{ name, excited }", "$&, { ask }")
      .replace("return {", 'if (excited) { await load(name); await ask.roots("r"); }\n$&'),
  );
  const loop = running(folder);
  await loop.printed('warning MG6607: tool "greet": load(name) happens again when the handler is run again');
  loop.program.kill("SIGINT");
  expect(await once(loop.program, "exit")).toEqual([130, null]);
});

test("Ctrl-C ends the server, then the loop with 130; without a client the server runs, too", async () => {
  const folder = await project();
  const loop = running(folder);
  await loop.printed("server started");
  await until("the server runs", () => loop.groups().flatMap(members).length > 0);
  loop.program.kill("SIGINT");
  expect(await once(loop.program, "exit")).toEqual([130, null]);
  await until("no server is left", () => loop.groups().flatMap(members).length === 0);
});

test("the session with the last server is recorded; validate accepts it, and the test kit replays it", async () => {
  const folder = await project();
  const loop = running(folder, ["--stdio", "--record", "session.jsonl"]);
  const client = await clientOf(loop, "2025-11-25");
  await client.callTool("greet", { name: "Ada" });
  save(join(folder, "mcp.contract.yaml"), (text) => text.replace("Greets a person", "Greets people"));
  await loop.printed("server restarted");
  await client.callTool("greet", { name: "Bo" });
  loop.program.stdin!.end();
  expect(await once(loop.program, "exit")).toEqual([0, null]);

  const words = ["validate", "session.jsonl", "--revision", "2025-11-25"];
  const validate = spawn(process.execPath, [cli, ...words], { cwd: folder, stdio: "ignore" });
  expect(await once(validate, "exit")).toEqual([0, null]);

  const session = parseSession(readFileSync(join(folder, "session.jsonl"), "utf8"));
  expect(session.map(({ text }) => (JSON.parse(text) as { method?: string }).method)).toEqual(
    expect.arrayContaining(["initialize", "notifications/initialized", "tools/call"]),
  );
  const server = stdioClientChannel([process.execPath, "dist/main.js"], { cwd: folder });
  onTestFinished(() => server.close());
  const replay = new Replay(session, { play: "client" });
  const none = { turn: () => {}, tooLong: () => {}, closed: () => {} };
  server.open({ ...none, message: (text) => replay.send(text) });
  replay.open({ ...none, message: (text) => server.send(text) });
  await replay.done;

  const again = running(folder, ["--stdio", "--record", "session.jsonl"]);
  expect(await once(again.program, "close")).toEqual([2, null]);
  expect(again.stderr()).toContain("MG2005");
});

test("what hosts do to tools and results is reported, once", async () => {
  const folder = await project();
  const contract = join(folder, "mcp.contract.yaml");
  const tool = weather.replace(/ +description: .*\n/, "").replaceAll(/city(?=[:\]])/g, "$top");
  writeFileSync(contract, readFileSync(contract, "utf8").trimEnd() + tool);
  const loop = running(folder, ["--stdio"]);
  await loop.printed("started: ");
  const counted = (text: string): number => loop.stderr().split(text).length - 1;
  const dropped = "(argument-name-characters: claude, Claude Code leaves the tool out)";
  expect([counted(dropped), counted("MG6602")]).toEqual([1, 1]);
  const client = await clientOf(loop, "2025-11-25");
  const name = "x".repeat(100_000);
  for (let call = 0; call < 2; call++)
    expect((await client.callTool("greet", { name })).isError).not.toBe(true);
  await loop.printed("call of greet: 1 warning");
  expect(loop.stderr()).toMatch(
    /warning MG6804: the tool "greet" returned a text of 100\d{3} characters: hosts may cut it, .*Codex more than \d+/,
  );
  // The next cycle does not repeat the warnings of the one before, nor that of the call.
  save(join(folder, "src/handlers.ts"), (text) => `${text}\n`);
  await loop.printed("src/handlers.ts: ");
  expect([counted("MG6602"), counted("MG6804")]).toEqual([1, 1]);
});

test("a server that ends is reported with its last line, and starts again after a change", async () => {
  const folder = await project();
  const main = join(folder, "src/main.ts");
  const before = readFileSync(main, "utf8");
  writeFileSync(main, `${before}throw new Error("no key");\n`);
  const loop = running(folder, ["--stdio"]);
  await loop.printed("error MG6802");
  await loop.printed("Error: no key");
  save(main, () => before);
  await loop.printed("src/main.ts: ");
  const client = await clientOf(loop, "2025-11-25");
  expect((await client.listTools()).items).toHaveLength(1);
});

test.each([
  [["--server", "node a.js", "--http", "http://127.0.0.1:1"], "MG2005"],
  [["--stdio", "--http", "http://127.0.0.1:1"], "MG2005"],
  [["--stdio", "--json"], "MG2005"],
  [["--record", "a.jsonl"], "MG2005"],
  [["--http", "node a.js"], "MG2004"],
  [["--server", "https://a.example"], "MG2004"],
  [[], "MG2003"],
])("%j is refused with %s", async (words, code) => {
  const { program, stderr } = running(temporaryFolder(), words);
  expect(await once(program, "close")).toEqual([2, null]);
  expect(stderr()).toContain(code);
});
