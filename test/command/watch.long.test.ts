import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { builtCli } from "../support/built-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.mjs";

const cli = builtCli();

const tool = (name: string): string =>
  `  - name: ${name}\n    description: Does ${name}.\n    inputSchema: { type: object, properties: {} }\n`;
const contract = `name: example\nversion: 1.0.0\ntools:\n${tool("first")}`;
const handlers = `import type { Handlers } from "./generated/server.js";

export const handlers = {
  tools: {
    first: () => ({ content: [] }),
  },
} satisfies Handlers;
`;

/** A project with a contract and its handlers, without output. */
function project(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "mcp.contract.yaml"), contract);
  writeFileSync(join(folder, "src/handlers.ts"), handlers);
  const contracts = [{ file: "mcp.contract.yaml", out: "src/generated", role: "server" }];
  writeFileSync(join(folder, "mcpgen.config.json"), JSON.stringify({ contracts }));
  return folder;
}

interface Watching {
  readonly program: ChildProcess;
  readonly text: () => string;
  /** Waits for the line of a run that begins so, after the lines that were waited for before. */
  readonly line: (start: string) => Promise<string>;
}

function watching(folder: string, words: readonly string[]): Watching {
  const program = spawn(process.execPath, [cli, ...words], { cwd: folder });
  let text = "";
  for (const stream of [program.stdout, program.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  onTestFinished(() => void program.kill("SIGKILL"));
  let seen = 0;
  const line = (start: string): Promise<string> =>
    until(start, () => {
      const lines = text.split("\n").slice(0, -1);
      const index = lines.findIndex(
        (each, at) => at >= seen && each.startsWith(start) && each.endsWith(" s)"),
      );
      if (index < 0) return undefined;
      seen = index + 1;
      return lines[index];
    }) as Promise<string>;
  return { program, text: () => text, line };
}

/** Replaces a file at once: no run sees a part of it. */
function save(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

test("generate --watch writes the output after each change, and survives a contract with an error", async () => {
  const folder = project();
  const file = join(folder, "mcp.contract.yaml");
  const output = (): string => readFileSync(join(folder, "src/generated/types.ts"), "utf8");
  const { program, line, text } = watching(folder, ["generate", "--watch"]);
  expect(await line("started: ")).toMatch(/\(\d+\.\d\d s\)$/);
  expect(output()).toContain("First");

  save(file, contract + tool("second"));
  await line("mcp.contract.yaml: ");
  expect(output()).toContain("Second");

  save(file, `${contract}  - nome: x\n`);
  expect(await line("mcp.contract.yaml: ")).toMatch(/\d errors?/);
  expect(text()).toMatch(/^mcp\.contract\.yaml:\d+:\d+ .*error MG6003/m);
  expect(output()).toContain("Second");

  save(file, contract);
  await line("mcp.contract.yaml: ");
  expect(output()).not.toContain("Second");

  program.kill("SIGINT");
  expect(await once(program, "close")).toEqual([130, null]);
  expect(text().match(/ s\)$/gm)).toHaveLength(4);
});

test("check --watch prints the verdict after changes of contract, output and handlers", async () => {
  const folder = project();
  const generate = spawn(process.execPath, [cli, "generate"], { cwd: folder, stdio: "ignore" });
  expect(await once(generate, "exit")).toEqual([0, null]);
  const { program, line } = watching(folder, ["check", "--watch"]);
  expect(await line("started: ")).toContain("up to date");

  const code = join(folder, "src/handlers.ts");
  save(code, handlers.replace("first", "other"));
  expect(await line("src/handlers.ts: ")).toMatch(/\d errors?/);
  save(code, handlers);
  expect(await line("src/handlers.ts: ")).not.toContain("error");

  const output = join(folder, "src/generated/types.ts");
  const before = readFileSync(output, "utf8");
  save(output, `${before}export type Other = 1;\n`);
  const verdict = await line("src/generated/types.ts: ");
  expect(verdict).toMatch(/1 error/);
  expect(verdict).not.toContain("--watch");
  save(output, before);
  expect(await line("src/generated/types.ts: ")).toContain("up to date");

  program.kill("SIGINT");
  expect(await once(program, "close")).toEqual([130, null]);
});

test.each([
  ["generate", "--watch", "--json"],
  ["generate", "--watch", "--schema", "-", "--name", "next"],
  ["check", "--watch", "--server", "http://127.0.0.1:1"],
  ["check", "--watch", "--upstream", "schema.json"],
])("%s %s %s is refused", async (...words) => {
  const { program, text } = watching(project(), words);
  expect(await once(program, "close")).toEqual([2, null]);
  expect(text()).toContain("MG2005");
});
