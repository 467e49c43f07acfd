import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import type { Contract } from "../../generator/contract/contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { installedCli } from "./installed-cli.js";
import { partialProtocol } from "./partial-protocol.js";
import { sharedFolder, temporaryFolder } from "../support/temporary-folder.js";

// A revision that no code knows has lists that leave entries out.

const { cli } = installedCli((sources) => partialProtocol(sources));
const state = sharedFolder();
const program = resolve("test/capture/partial-server.mjs");

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function mcpgen(cwd: string, ...args: readonly string[]): Ran {
  const { PATH = "" } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH, XDG_STATE_HOME: state, NO_COLOR: "1" },
  });
  return { code: status, stdout, stderr };
}

const tool = (name: string, more: object = {}) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
  ...more,
});

interface Offer {
  readonly tools: readonly object[];
  readonly listed?: readonly string[];
  readonly referred?: readonly string[];
  readonly complete?: boolean;
  readonly get?: boolean;
  readonly prompts?: readonly object[];
  readonly more?: boolean;
}

/** A folder with a server whose offer a test can change. */
function project(offer: Offer) {
  const folder = temporaryFolder();
  const change = (next: Offer): void => writeFileSync(join(folder, "offer.json"), JSON.stringify(next));
  change(offer);
  const source = `stdio:node "${program}" offer.json requests.txt`;
  return {
    source,
    folder,
    change,
    run: (...args: readonly string[]): Ran => mcpgen(folder, ...args),
    check: (): Ran => mcpgen(folder, "check", "--server", source),
    contract: async (): Promise<Contract> => {
      const text = readFileSync(join(folder, "mcp.contract.yaml"), "utf8");
      return (await readContract(text, "mcp.contract.yaml")).contract;
    },
    /** The requests of the last command, by method. */
    requests: (): string[] => {
      const lines = readFileSync(join(folder, "requests.txt"), "utf8").trimEnd().split("\n");
      writeFileSync(join(folder, "requests.txt"), "");
      return lines;
    },
  };
}

const names = ({ tools = [] }: Contract): string[] => tools.map(({ name }) => name);

test("two captures are merged: requested entries, references, and earlier entries", async () => {
  const tools = ["weather_now", "weather_later", "news", "music"].map((name) => tool(name));
  const { run, source, contract, requests } = project({ tools, listed: ["news"], referred: ["music"] });
  const first = run("capture", source);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toContain("info MG6328: tools: the list may leave entries out");
  expect(names(await contract())).toEqual(["news", "music"]);
  expect(await contract()).toMatchObject({ complete: false, asked: { tools: [{}] } });
  expect(requests()).toContain('tools/get {"name":"music"}');

  const second = run("capture", source, "--ask", "tools.query=weather");
  expect(second.code).toBe(0);
  expect(second.stdout).toContain("mcp.contract.yaml: written");
  expect(names(await contract())).toEqual(["news", "music", "weather_now", "weather_later"]);
  expect(await contract()).toMatchObject({ complete: false, asked: { tools: [{}, { query: "weather" }] } });

  // The query of the contract is sent again, and the same offer gives the same bytes.
  const third = run("capture", source);
  expect(third.stdout).toContain("mcp.contract.yaml: unchanged");
  expect(requests().filter((line) => line.startsWith("tools/list"))).toEqual([
    "tools/list {}",
    'tools/list {"query":"weather"}',
    "tools/list {}",
    'tools/list {"query":"weather"}',
  ]);
});

test("--replace needs --all, and --all needs --replace", async () => {
  const { run, source, contract, change } = project({ tools: [tool("a"), tool("b")], listed: ["a", "b"] });
  expect(run("capture", source).code).toBe(0);
  change({ tools: [tool("a")], listed: ["a"], get: false });
  const refused = run("capture", source, "--replace");
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("error MG6330");
  expect(names(await contract())).toEqual(["a", "b"]);
  expect(run("capture", source, "--all")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("MG2005") as string,
  });
  const kept = run("capture", source);
  expect(kept.stdout).toContain("1 entry that it did not list stays");
  expect(names(await contract())).toEqual(["a", "b"]);
  expect(run("capture", source, "--replace", "--all").code).toBe(0);
  expect(names(await contract())).toEqual(["a"]);
});

test.each(["tool.query=a", "tools=a", "tools.cursor=a", "tools.query"])("--ask %s is refused", (word) => {
  const { run, source } = project({ tools: [tool("a")], listed: ["a"] });
  expect(run("capture", source, "--ask", word)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("error MG2004") as string,
  });
});

test("a capture of a server with another name replaces nothing without --replace", () => {
  const { run, source, folder } = project({ tools: [tool("a")], listed: ["a"] });
  writeFileSync(join(folder, "mcp.contract.yaml"), "name: other\nversion: '1'\n");
  expect(run("capture", source)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("MG6302") as string,
  });
});

test("a tool that an incomplete list does not name is requested: it is unchanged, has changed, or is removed", async () => {
  const all = [tool("a"), tool("b"), tool("c")];
  const { run, source, check, change, requests, contract } = project({ tools: all, listed: ["a", "b", "c"] });
  expect(run("capture", source).code).toBe(0);
  requests();
  change({ tools: all, listed: ["a"] });
  const same = check();
  expect(same.code).toBe(0);
  expect(same.stdout).toContain("no difference in what both list");
  expect(same.stdout).not.toMatch(/removed|not listed/);
  expect(requests().slice(-3)).toEqual(["tools/list {}", 'tools/get {"name":"b"}', 'tools/get {"name":"c"}']);

  change({ tools: [tool("a"), tool("b", { description: "Other." })], listed: ["a"] });
  const differs = check();
  expect(differs.code).toBe(1);
  expect(differs.stdout).toContain("error MG6308: text-changed: tools/b.description");
  expect(differs.stdout).toContain("error MG6308: tool-removed: tools/c");
  expect(differs.stdout.trimEnd().split("\n").at(-1)).toBe(
    `Run: mcpgen capture --out mcp.contract.yaml '${source.replaceAll('"', "")}'`,
  );
  // The command that the error names updates the contract, and deletes only the removed entries.
  expect(run("capture", "--out", "mcp.contract.yaml", source).code).toBe(0);
  expect(names(await contract())).toEqual(["a", "b"]);
  expect(check().code).toBe(0);
});

test("if the revision cannot request one entry, an entry counts as not listed, and never as removed", () => {
  const prompts = [{ name: "plan" }, { name: "pack" }];
  const offer = { tools: [tool("a"), tool("b")], listed: ["a", "b"], prompts };
  const { run, source, check, change } = project(offer);
  expect(run("capture", source).code).toBe(0);
  change({ ...offer, tools: [tool("a")], listed: ["a"], get: false, prompts: [{ name: "plan" }] });
  const ran = check();
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/info MG6329: tools: not listed by .*: b$/m);
  expect(ran.stdout).toMatch(/info MG6329: prompts: not listed by .*: pack$/m);
  expect(ran.stdout).not.toContain("removed");
  expect(ran.stdout).toContain("no difference in what both list");
  const annotated = run("check", "--server", source, "--format", "github");
  expect(annotated.stdout).toContain("::notice ");
  // A complete list shows again which entries were removed.
  change({ ...offer, prompts: [{ name: "plan" }], more: false });
  expect(check()).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("prompt-removed: prompts/pack") as string,
  });
});

test("a complete list is compared and captured as usual", async () => {
  const offer = { tools: [tool("a"), tool("b")], listed: ["a", "b"], complete: true };
  const { run, source, check, change, contract } = project(offer);
  expect(run("capture", source).code).toBe(0);
  expect(await contract()).not.toHaveProperty("complete");
  change({ ...offer, listed: ["a"] });
  const ran = check();
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain("tool-removed: tools/b");
  expect(ran.stdout).toContain("--replace");
  expect(run("capture", source)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("MG6302") as string,
  });
  // The list names all tools, and the tools of which it has only references are fetched: the list is not incomplete.
  change({ ...offer, listed: ["a"], referred: ["b"] });
  expect(check().code).toBe(0);
  expect(run("capture", source).stdout).toContain("unchanged");
});

test("diff of contract files compares only entries that both list", () => {
  const about = { name: "s", version: "1" };
  const partial = { complete: false, asked: { tools: [{}] } };
  const [one, other] = [{ tools: [tool("a"), tool("b")] }, { tools: [tool("a")] }];
  const folder = temporaryFolder({
    "complete.json": JSON.stringify({ ...about, ...one }),
    "partial.json": JSON.stringify({ ...about, ...partial, ...one }),
    "fewer.json": JSON.stringify({ ...about, ...other }),
    "partial-fewer.json": JSON.stringify({ ...about, ...partial, ...other }),
  });
  const diff = (old: string, next: string): string =>
    mcpgen(folder, "diff", `${old}.json`, `${next}.json`).stdout;
  expect(diff("complete", "fewer")).toContain("tool-removed");
  expect(diff("partial", "fewer")).toContain("tool-removed");
  for (const old of ["complete", "partial"]) {
    const said = diff(old, "partial-fewer");
    expect(said).toContain("no difference in what both list");
    expect(said).toContain("tools: not listed by partial-fewer.json, whose list is incomplete: b.");
  }
  expect(diff("fewer", "partial")).toContain("tool-added");
  expect(diff("partial-fewer", "partial")).toContain("no difference in what both list");
  const json = mcpgen(folder, "diff", "complete.json", "partial-fewer.json", "--json");
  expect(JSON.parse(json.stdout)).toMatchObject({ exit: 0, partial: true, findings: [] });
});

test("diff of a contract and a server requests entries that the server does not list", () => {
  const all = [tool("a"), tool("b")];
  const { run, source, change } = project({ tools: all, listed: ["a", "b"] });
  expect(run("capture", source).code).toBe(0);
  change({ tools: [tool("a")], listed: ["a"] });
  expect(run("diff", "mcp.contract.yaml", source).stdout).toContain("tool-removed");
  expect(run("diff", source, "mcp.contract.yaml").stdout).toContain("tool-added");
});

test("list reports that entries may be missing, and a prompt that is not listed can be requested", () => {
  const { run, source } = project({ tools: [tool("a")], listed: ["a"], prompts: [{ name: "plan" }] });
  const listed = run("list", source);
  expect(listed.code).toBe(0);
  expect(listed.stdout).toContain("info MG6328: tools:");
  expect(run("prompt", source, "other", "city=Bern")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("prompt other") as string,
  });
});
