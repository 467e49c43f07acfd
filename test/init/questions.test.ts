import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { type Ran, mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const enter = "\r";
const ctrlC = "\x03";

/** Runs `init` at a terminal, and presses the given keys at each question. */
async function answering(
  folder: string,
  args: readonly string[],
  answers: readonly (readonly [question: string, keys: string])[],
): Promise<Ran & { readonly shown: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const left = [...answers];
  let shown = "";
  output.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
    const [question, keys] = left[0] ?? [];
    if (question === undefined || !shown.includes(question)) return;
    left.shift();
    // A prompt listens to keys only after it has appeared.
    setImmediate(() => [...keys!].forEach((key) => input.write(key)));
  });
  const ran = await mcpgen(folder, ["init", ...args], { terminal: { input, output } });
  expect(left).toEqual([]);
  return { ...ran, shown };
}

const asked = ["How do you write", "What is the server called?", "Which revisions", "Which folder"];

test("four questions lead to a new project; Enter accepts the proposal", async () => {
  const folder = temporaryFolder({ "notes.txt": "" });
  const { code, stdout, stderr } = await answering(
    folder,
    ["server"],
    [
      [asked[0]!, enter],
      [asked[1]!, `${"\b".repeat(60)}weather${enter}`],
      // The newest revision is the first, and all are selected: the keys deselect the two newest.
      [asked[2]!, ` \x1b[B ${enter}`],
      [asked[3]!, enter],
    ],
  );
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^CREATE {2}weather\//);
  const project = join(folder, "weather");
  expect(readFileSync(join(project, "mcp.contract.yaml"), "utf8")).toContain('name: "weather"');
  expect(readFileSync(join(project, "src/server.ts"), "utf8")).toContain(
    'speaks: ["2024-11-05","2025-03-26","2025-06-18"]',
  );
});

test("an invalid name and a folder with a project are refused at the question", async () => {
  const folder = temporaryFolder({ "there/mcp.contract.yaml": "" });
  const { code, shown } = await answering(
    folder,
    ["server"],
    [
      [asked[0]!, enter],
      [asked[1]!, ` x${enter}`],
      ["expected a name of letters", `\b\bx${enter}`],
      [asked[2]!, enter],
      [asked[3]!, `${"\b".repeat(60)}there${enter}`],
      ["mcp.contract.yaml is there already", `\b\b\b\b\bhere${enter}`],
    ],
  );
  expect(code).toBe(0);
  expect(shown).toContain("init server there");
  expect(existsSync(join(folder, "here/package.json"))).toBe(true);
  expect(readFileSync(join(folder, "here/src/server.ts"), "utf8")).not.toContain("speaks");
});

test.each([
  [
    ["server", "dir"],
    [asked[0]!, asked[2]!],
  ],
  [
    ["server", "--revision", "2025-11-25"],
    [asked[1]!, asked[3]!],
  ],
  [
    ["server", "--name", "n"],
    [asked[0]!, asked[2]!, asked[3]!],
  ],
  [
    ["server", "--code"],
    [asked[1]!, asked[3]!],
  ],
])("options replace their questions: init %s", async (args, questions) => {
  const folder = temporaryFolder();
  const { code, shown } = await answering(
    folder,
    args,
    questions.map((question, index) => [question, index < questions.length - 1 ? enter : ctrlC]),
  );
  expect(code).toBe(130);
  expect(asked.filter((question) => shown.includes(question))).toEqual(questions);
});

test("a server in code has no contract, and no question about revisions", async () => {
  const folder = temporaryFolder();
  const { code, shown } = await answering(
    folder,
    ["server", "--name", "shop"],
    [
      [asked[0]!, `\x1b[B${enter}`],
      [asked[3]!, enter],
    ],
  );
  expect(code).toBe(0);
  expect(shown).not.toContain(asked[2]);
  expect(readdirSync(folder).sort()).toEqual(
    [
      ".gitignore",
      "AGENTS.md",
      "README.md",
      "package.json",
      "src",
      "test",
      "tsconfig.json",
      "watch.mjs",
    ].sort(),
  );
  expect(readFileSync(join(folder, "src/server.ts"), "utf8")).toContain('name: "shop"');
});

test("--code is refused beside a contract", async () => {
  const folder = temporaryFolder({ "mcp.contract.yaml": 'name: x\nversion: "1"\n' });
  const { code, stderr } = await mcpgen(folder, ["init", "server", "--code"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("MG2005: the folder already has a contract")]);
});

test.each(["contract", "server", "extension", "revision"])(
  "--code and --%s exclude each other",
  async (option) => {
    const { code, stderr } = await mcpgen(temporaryFolder(), [
      "init",
      "server",
      "--code",
      `--${option}`,
      "2025-11-25",
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain(`error MG2005: --code and --${option} exclude each other`);
  },
);

test.each(asked.map((_, index) => index))("Ctrl-C at question %i leaves nothing behind", async (index) => {
  const folder = temporaryFolder();
  const { code, stdout, stderr } = await answering(
    folder,
    ["server"],
    asked.slice(0, index + 1).map((question, at) => [question, at === index ? ctrlC : enter]),
  );
  expect([code, stdout]).toEqual([130, ""]);
  expect(stderr).toContain("error MG2016: the questions were left: nothing was written\n");
  expect(readdirSync(folder)).toEqual([]);
});

test.each<[string, string[], Record<string, string>]>([
  ["--yes", ["-y"], {}],
  ["--json", ["--json"], {}],
  ["CI", [], { CI: "true" }],
])("with %s there are no questions", async (_, options, env) => {
  const folder = temporaryFolder();
  const output = new PassThrough();
  const terminal = { input: new PassThrough(), output };
  // What is refused after the questions.
  const ran = await mcpgen(folder, ["init", "server", "--name", "x y", ...options], { env, terminal });
  expect([ran.code, output.readableLength]).toEqual([2, 0]);
});

test("there are no questions for a project that starts from a contract, or without a terminal", async () => {
  const folder = temporaryFolder({ "mcp.contract.yaml": 'name: x\nversion: "1"\n' });
  const output = new PassThrough();
  const terminal = { input: new PassThrough(), output };
  expect((await mcpgen(folder, ["init", "server", "--dry-run"], { terminal })).code).toBe(0);
  expect((await mcpgen(folder, ["init", "client", "--dry-run"], { terminal })).code).toBe(0);
  expect((await mcpgen(temporaryFolder(), ["init", "server", "--dry-run"])).code).toBe(0);
  expect(output.readableLength).toBe(0);
});
