import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtCli } from "../../support/built-program.js";
import { mcpgen } from "../../support/in-process.js";
import { inPseudoTerminal, terminalTest } from "../../support/pseudo-terminal.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { trustOf } from "../../support/trust.js";
import { atTerminal } from "../at-terminal.js";

const contract = "name: n\nversion: '1'\n";

/** A project whose configuration is code, which leaves a mark when it runs. */
function project(): string {
  return temporaryFolder({
    "package.json": '{"type":"module"}',
    "c.yaml": contract,
    "mcpgen.config.js": [
      'import { writeFileSync } from "node:fs";',
      'import { out } from "./out.js";',
      'writeFileSync(new URL("./ran", import.meta.url), "");',
      'export default { contracts: [{ file: "c.yaml", out, role: "client" }] };',
    ].join("\n"),
    "out.js": 'export const out = "gen";\n',
  });
}

const hasRun = (folder: string): boolean => readdirSync(folder).includes("ran");

test("without a terminal nothing runs; the refusal lists the commands that would run, and the next step", async () => {
  const folder = project();
  const env = { XDG_STATE_HOME: temporaryFolder() };
  const ran = await mcpgen(folder, ["generate", "--json"], { env });
  const { MCPGEN_TRUST: hash } = await trustOf(folder);
  const { error } = JSON.parse(ran.stdout) as { error: { trust: { hash: string } } };
  expect(ran.code).toBe(2);
  expect(error).toMatchObject({ code: "MG2105", place: { file: "mcpgen.config.js" }, trust: { hash } });
  const shown = await mcpgen(folder, ["generate"], { env });
  expect(shown.stderr).toMatch(/MG2105: the folder is not trusted: it would run mcpgen\.config\.js/);
  expect(shown.stderr).toContain(`--trust ${hash}`);
  expect(shown.stderr).toMatch(/`mcpgen trust`.*--no-config/su);
  expect(shown.stderr).toMatch(/run {2}out\.js {2,}\(mcpgen\.config\.js\)/);
  expect(hasRun(folder)).toBe(false);
});

test("the refusal names the command that would start first, then the project's files, then those of packages", async () => {
  const folder = temporaryFolder({
    "c.yaml": contract,
    "server.mjs": 'import "library";\n',
    "node_modules/library/package.json": '{"main":"index.js"}',
    "node_modules/library/index.js": "",
    "mcpgen.config.json": JSON.stringify({
      contracts: [{ file: "c.yaml", server: "stdio:node server.mjs" }],
    }),
  });
  const { code, stdout } = await mcpgen(folder, ["check"], { env: { XDG_STATE_HOME: temporaryFolder() } });
  const lines = stdout.split("\n").filter((line) => /^ {4}(?:start|run) /.test(line));
  expect(code).toBe(2);
  expect(lines.map((line) => line.trim().split(/ {2,}/).slice(0, 2))).toEqual([
    ["start", "stdio:node server.mjs"],
    ["run", "server.mjs"],
    ["run", "node_modules/library/index.js"],
  ]);
});

test("at a terminal the answer is asked for once, until the content changes", async () => {
  const folder = project();
  const env = { XDG_STATE_HOME: temporaryFolder() };
  const declined = await atTerminal(folder, ["generate"], [["Trust it", "n"]], env);
  expect([declined.code, declined.unasked, hasRun(folder)]).toEqual([2, [], false]);
  expect(declined.stderr).toMatch(/The configuration in \. would:\n\s*run +mcpgen\.config\.js/);

  const agreed = await atTerminal(folder, ["generate"], [["Trust it", "y"]], env);
  expect([agreed.code, agreed.unasked, hasRun(folder)]).toEqual([0, [], true]);
  expect(await mcpgen(folder, ["check"], { env })).toMatchObject({ code: 0, stderr: "" });

  writeFileSync(join(folder, "out.js"), 'export const out = "gen"; // changed\n');
  const again = await atTerminal(folder, ["check"], [["Trust it", "n"]], env);
  expect([again.code, again.unasked]).toEqual([2, []]);
});

test("in CI there is no question: the hash decides, and there is no value that trusts every content", async () => {
  const folder = project();
  const hash = (await trustOf(folder)).MCPGEN_TRUST;
  const inCi = (words: readonly string[], env: Record<string, string> = {}) =>
    atTerminal(folder, words, [], { CI: "true", XDG_STATE_HOME: join(folder, "state"), ...env });
  expect(await inCi(["generate"])).toMatchObject({ code: 2, shown: "" });
  for (const word of ["all", "*", "true", "", hash.slice(1), `${hash}0`, hash.toUpperCase()]) {
    const ran = await inCi(["generate"], { MCPGEN_TRUST: word });
    expect([word, ran.code, hasRun(folder)]).toEqual([word, 2, false]);
  }
  const wrong = "0".repeat(64);
  const refused = await inCi(["generate", "--trust", wrong]);
  expect(refused.stderr).toMatch(new RegExp(`MG2106: expected the content ${wrong}, got ${hash}`));
  expect(hasRun(folder)).toBe(false);
  expect(await inCi(["generate"], { MCPGEN_TRUST: `${wrong},${hash}` })).toMatchObject({ code: 0 });
  expect(await inCi(["check", "--trust", hash])).toMatchObject({ code: 0 });
  // A command that does not need configuration also refuses content with another hash.
  const lint = await inCi(["docs", "c.yaml", "--trust", wrong]);
  expect([lint.code, lint.stderr]).toEqual([2, expect.stringContaining("MG2106")]);
});

test("mcpgen trust records, lists and removes; only the user can access its store", async () => {
  const folder = project();
  const state = temporaryFolder();
  const env = { XDG_STATE_HOME: state };
  const hash = (await trustOf(folder)).MCPGEN_TRUST;
  expect((await mcpgen(folder, ["trust"], { env })).stderr).toContain("MG2105");
  expect((await mcpgen(folder, ["trust", "--trust", "1".repeat(64)], { env })).stderr).toContain("MG2106");
  expect(await mcpgen(folder, ["trust", "--trust", hash], { env })).toMatchObject({ code: 0 });
  const [file] = readdirSync(join(state, "mcpgen/trust"));
  expect(statSync(join(state, "mcpgen/trust", file!)).mode & 0o777).toBe(0o600);
  expect((await mcpgen(folder, ["trust", "--list"], { env })).stdout).toMatch(
    `${folder}\n  ${hash}\n1 folder trusted`,
  );
  expect(await mcpgen(folder, ["generate"], { env })).toMatchObject({ code: 0 });
  expect((await mcpgen(folder, ["trust", "--remove"], { env })).stdout).toContain("no longer trusted");
  expect((await mcpgen(folder, ["generate"], { env })).stderr).toContain("MG2105");
  writeFileSync(join(state, "mcpgen/trust", file!), "{}");
  expect((await mcpgen(folder, ["generate"], { env })).stderr).toContain(
    "the record of trust cannot be read",
  );
});

test("two of --print, --list and --remove exclude each other; JSON that runs nothing needs nothing", async () => {
  const folder = temporaryFolder({ "mcpgen.config.json": '{"out":"x"}' });
  expect((await mcpgen(folder, ["trust", "--print", "--list"])).stderr).toContain("MG2005");
  expect((await mcpgen(folder, ["trust", "nowhere"])).stderr).toContain("MG2004");
  expect((await mcpgen(folder, ["trust"])).stdout).toContain("needs no trust");
});

test("texts of the repository cannot act in the terminal at the question", async () => {
  const evil = "stdio:node \u001b[2J\u202e\n::set-output name=a::b";
  const folder = temporaryFolder({
    "c.yaml": contract,
    "mcpgen.config.json": JSON.stringify({
      contracts: [{ file: "c.yaml", out: "gen", role: "client", server: evil }],
    }),
  });
  const env = { XDG_STATE_HOME: temporaryFolder() };
  await mcpgen(folder, ["generate"], { env });
  const ran = await atTerminal(folder, ["check"], [["Trust it", "n"]], env);
  expect(ran.unasked).toEqual([]);
  expect(ran.stderr + ran.stdout).not.toMatch(/[\u001b\u202e]|^::/mu);
});

test("a server of the folder does not silently replace the user's server", async () => {
  const server = (port: number): string =>
    JSON.stringify({ mcpServers: { weather: { url: `http://127.0.0.1:${port}/` } } });
  const home = temporaryFolder({ ".cursor/mcp.json": server(1) });
  const folder = temporaryFolder({ ".mcp.json": server(2), ".git/HEAD": "" });
  const env = { HOME: home, XDG_STATE_HOME: temporaryFolder() };
  const refused = await mcpgen(folder, ["call", "weather", "t"], { env });
  expect(refused.stderr).toMatch(
    /MG2105: .*it would take the place of the server "weather" of .*\.cursor\/mcp\.json/,
  );
  expect((await mcpgen(folder, ["call", "weather", "t", "--no-config"], { env })).stderr).toContain(
    "127.0.0.1:1",
  );
  const trusted = { ...env, ...(await trustOf(folder)) };
  expect((await mcpgen(folder, ["call", "weather", "t"], { env: trusted })).stderr).toContain("127.0.0.1:2");
  // Without a configuration of the user, an address needs no trust.
  expect((await mcpgen(folder, ["call", "weather", "t"], { env: { HOME: folder } })).stderr).toContain(
    "MG4102",
  );
});

test("--no-config and --config exclude each other", async () => {
  const ran = await mcpgen(project(), ["generate", "--no-config", "--config", "mcpgen.config.js"]);
  expect(ran.stderr).toContain("MG2005: --no-config and --config exclude each other");
});

test("the question at a terminal: Escape does not count as consent", async () => {
  const folder = project();
  const ran = await atTerminal(folder, ["generate"], [["Trust it", "\u0003"]], {
    XDG_STATE_HOME: temporaryFolder(),
  });
  expect([ran.code, hasRun(folder)]).toEqual([2, false]);
  expect(readFileSync(join(folder, "c.yaml"), "utf8")).toBe(contract);
});

const cli = builtCli();

terminalTest("in a real terminal the question shows what would run, and the answer is kept", () => {
  const folder = project();
  const state = temporaryFolder();
  const command = ["env", "CI=", `XDG_STATE_HOME=${state}`, process.execPath, cli, "generate"];
  const declined = inPseudoTerminal(command, folder, [["Trust it", "n"]]);
  expect([declined.code, declined.unasked, hasRun(folder)]).toEqual([2, 0, false]);
  expect(declined.shown).toMatch(/run +mcpgen\.config\.js[^]*run +out\.js[^]*Trust it/);
  const agreed = inPseudoTerminal(command, folder, [["Trust it", "y"]]);
  expect([agreed.code, agreed.unasked, hasRun(folder)]).toEqual([0, 0, true]);
  expect(inPseudoTerminal(command, folder, []).code).toBe(0);
});
