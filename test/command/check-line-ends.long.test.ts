import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";
import { smallProject } from "../support/small-protocol.js";

const contract = `name: n
version: "1"
tools:
  - name: greet
    description: |
      Says hello.
      Twice.
    inputSchema: { type: object, properties: { name: { type: string } } }
`;
const handlers = `import type { Handlers } from "./server.js";
export const handlers: Handlers = {
  tools: { greet: () => ({ content: [] }) },
};
`;

function git(folder: string, ...args: string[]): void {
  const identity = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false"];
  const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.startsWith(".git") && statSync(join(folder, path)).isFile())
    .sort();
}

const project = {
  "c.yaml": contract,
  "handlers.ts": handlers.replace("./server", "./generated/contract/server"),
  "mcpgen.config.json": '{\n"contracts":[{"file":"c.yaml","out":"generated/contract","role":"server"}]\n}\n',
  ".gitattributes": "* text=auto\n",
};

/** The project, generated, and checked out with the line ends of Windows. */
async function checkedOut(folder: string): Promise<string> {
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  git(folder, "init", "-q");
  git(folder, "add", ".");
  git(folder, "commit", "-q", "-m", "c");
  for (const path of files(folder)) rmSync(join(folder, path));
  git(folder, "-c", "core.eol=crlf", "checkout", "-q", ".");
  return folder;
}

const contents = (folder: string): string[] =>
  files(folder).map((path) => readFileSync(join(folder, path), "utf8"));

test("a checkout with Windows line ends passes, and generate does not change it", async () => {
  const folder = await checkedOut(await smallProject(project));
  const before = contents(folder);
  expect(before.filter((text) => text.includes("\r\n")).length).toBe(before.length - 1);
  for (const words of [["check"], ["revision", "verify"]]) {
    const { code, stdout } = await mcpgen(folder, words);
    expect([words, code, stdout]).toEqual([words, 0, expect.not.stringContaining("error")]);
  }
  const { code, stdout } = await mcpgen(folder, ["generate"]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^2030.*: 0 created, 0 updated, 0 deleted, \d+ unchanged; .*: 0 created, 0 updated, 0 deleted/,
    ),
  ]);
  expect(contents(folder)).toEqual(before);
});

test("with Windows line ends, an edit is still found and shown in short, and contract changes are written without --force", async () => {
  const folder = await checkedOut(temporaryFolder(project));
  const file = join(folder, "generated/contract/server.ts");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("readonly greet", "readonly great"));
  const edited = await mcpgen(folder, ["check"]);
  expect([edited.code, edited.stdout]).toEqual([1, expect.stringContaining("server.ts: error MG3104")]);
  expect(edited.stdout.match(/^ +[-+] /gm)?.length).toBe(2);
  expect((await mcpgen(folder, ["generate"])).stdout).toContain("MG3001");
  writeFileSync(file, text);
  appendFileSync(join(folder, "c.yaml"), "  - name: leave\r\n    inputSchema: { type: object }\r\n");
  expect((await mcpgen(folder, ["check"])).stdout).toContain("server.ts: error MG3101");
  const { code, stdout } = await mcpgen(folder, ["generate"]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/UPDATE +generated\/contract\/server\.ts/)]);
  await mcpgen(folder, ["sync"]);
  expect(readFileSync(join(folder, "handlers.ts"), "utf8")).toMatch(/async leave.*\r\n/);
  expect((await mcpgen(folder, ["check"])).code).toBe(0);
});
