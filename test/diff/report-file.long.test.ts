import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { files, run } from "./small-files.js";

const read = (folder: string, file: string): string => readFileSync(join(folder, file), "utf8");

test.each<[string, string | undefined, RegExp]>([
  ["changes.html", undefined, /^<!doctype html>/i],
  ["changes.md", undefined, /^## Protocol: /],
  ["changes.json", undefined, /^\{\n {2}"format": 1,\n {2}"command": "diff",\n {2}"exit": 1/],
  ["changes.sarif", undefined, /"version": "2\.1\.0"/],
  ["changes.xml", undefined, /<testsuite/],
  ["changes.txt", undefined, /property-added-required: EchoParams\.lang/],
  ["changes", undefined, /property-added-required: EchoParams\.lang/],
  ["changes.txt", "markdown", /^## Protocol: /],
])(
  "diff --out %s, --format %s: the file has what standard output would have",
  async (file, format, content) => {
    const folder = temporaryFolder(files);
    const more = format === undefined ? [] : ["--format", format];
    const ran = await run(folder, "breaking.json", "--out", file, ...more);
    expect([ran.code, ran.stderr]).toEqual([1, ""]);
    expect(ran.stdout).toMatch(new RegExp(`^${file}: written; .*1 breaking`));
    expect(read(folder, file)).toMatch(content);
    // An earlier report is replaced.
    const again = await run(folder, "dangerous.json", "--out", file, ...more);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(`${file}: written; `)]);
    expect((await run(folder, "dangerous.json", "--out", file, ...more)).stdout).toContain(": unchanged; ");
  },
);

test.each(["changes.md", "changes.json", "changes.txt", "changes.html"])(
  "%s is replaced only with --force if it is not a report",
  async (file) => {
    const folder = temporaryFolder({ ...files, [file]: "mine" });
    const refused = await run(folder, "breaking.json", "--out", file);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain(`${file}: error MG3001`);
    expect(read(folder, file)).toBe("mine");
    expect((await run(folder, "breaking.json", "--out", file, "--force")).code).toBe(1);
    expect(read(folder, file)).not.toBe("mine");
  },
);

test.each<[string, string, string[]]>([
  ["notes.txt", "old → new: no differences, I think\nand more\n", []],
  ["x.sarif", '{ "name": "mcpgen" }\n', []],
  ["package.json", '{ "name": "mcpgen" }\n', ["--format", "sarif"]],
])("%s does not count as a report because it quotes one", async (file, content, more) => {
  const folder = temporaryFolder({ ...files, [file]: content });
  const refused = await run(folder, "breaking.json", "--out", file, ...more);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`${file}: error MG3001`)]);
  expect(read(folder, file)).toBe(content);
});

test("the JSON in a file is a baseline of later runs", async () => {
  const folder = temporaryFolder(files);
  await run(folder, "breaking.json", "--out", "before.json");
  expect((await run(folder, "breaking.json", "--baseline", "before.json")).code).toBe(0);
  const ran = await run(folder, "breaking.json", "--json", "--out", "again.json");
  expect(JSON.parse(ran.stdout)).toMatchObject({ exit: 1, file: "again.json", written: true });
});

test("annotations only go to the log; - is standard output", async () => {
  const folder = temporaryFolder(files);
  const refused = await run(folder, "breaking.json", "--out", "x.txt", "--format", "github");
  expect([refused.code, refused.stdout]).toEqual([2, expect.stringContaining("MG2005")]);
  expect((await run(folder, "breaking.json", "--out", "-")).stdout).toContain("Breaking (1)");
  writeFileSync(join(folder, "x.txt"), "");
});
