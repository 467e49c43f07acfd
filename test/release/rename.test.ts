import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { nameFault, namesOf, renaming, slugOf, type ProjectNames } from "../../scripts/project-names.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { otherNames } from "./other-names.js";

const own = namesOf(readFileSync("package.json", "utf8"));
const other = otherNames(own);

test("a renaming can be taken back in each file and path, and leaves the old name in none", () => {
  const forward = renaming(own, other);
  const back = renaming(other, own);
  const files = execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0").slice(0, -1);
  expect(files.length).toBeGreaterThan(1000);
  const wrong = files.filter((file) => {
    const text = readFileSync(file, "latin1");
    const renamed = forward(text);
    return (
      back(renamed) !== text ||
      back(forward(file)) !== file ||
      `${forward(file)}\n${renamed}`.toLowerCase().includes(own.name)
    );
  });
  expect(wrong).toEqual([]);
});

test.each([
  [`${own.scope}/runtime`, `${other.scope}/runtime`],
  [`/^${own.scope}\\/x/`, `/^${other.scope}\\/x/`],
  [`${own.name}@1 create-${own.name}`, `${other.name}@1 create-${other.name}`],
  [`${own.name}.config.json`, `${other.name}.config.json`],
  [`${own.name.toUpperCase()}_TOKEN`, `${other.name.toUpperCase()}_TOKEN`],
  [`https://github.com/${own.repository}.git`, `https://github.com/${other.repository}.git`],
  [`uses: ${own.repository}@1`, `uses: ${other.repository}@1`],
  ["MG1203", "MG1203"],
])("%s becomes %s", (before, after) => {
  expect(renaming(own, other)(before)).toBe(after);
});

test.each<[Partial<ProjectNames>, string | undefined]>([
  [{}, undefined],
  [{ name: "two-words" }, "the name"],
  [{ name: "Capital" }, "the name"],
  [{ name: "1st" }, "the name"],
  [{ name: "" }, "the name"],
  [{ name: "x".repeat(25) }, "the name"],
  [{ scope: "words" }, "the scope"],
  [{ scope: "@a/b" }, "the scope"],
  [{ repository: slugOf("git@example.com:a/b") ?? "" }, "the repository"],
])("%j is judged: %s", (change, fault) => {
  const found = nameFault({ ...other, ...change });
  expect(found?.startsWith(fault ?? "-")).toBe(fault === undefined ? undefined : true);
});

/** A repository of few files, and the command in it. A program `npm` comes first in its PATH. */
function project(
  npm: string,
): readonly [folder: string, rename: (...args: string[]) => readonly [number | null, string]] {
  const folder = temporaryFolder({
    "package.json": readFileSync("package.json", "utf8"),
    ".gitignore": "node_modules/\nbin/\n",
    "a.txt": `taken ${own.name}\n`,
    "bin/npm": `#!/bin/sh\n${npm}\n`,
  });
  chmodSync(join(folder, "bin/npm"), 0o755);
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
  git("init", "--quiet");
  git("add", "--all");
  git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--message=a");
  const env = { ...process.env, PATH: `${join(folder, "bin")}:${process.env["PATH"]}` };
  return [
    folder,
    (...args) => {
      const script = [resolve("scripts/run-ts.mjs"), resolve("scripts/rename.ts"), ...args];
      const { status, stderr } = spawnSync(process.execPath, script, { cwd: folder, env, encoding: "utf8" });
      expect(stderr).not.toMatch(/^ +at /m);
      return [status, stderr];
    },
  ];
}

test("the command refuses wrong options, a name that is impossible, the old one or taken, and a tree that is not ready", () => {
  const [folder, rename] = project("exit 1");
  const refused = (...args: string[]): string => {
    const [status, stderr] = rename(...args);
    expect([status, readFileSync(join(folder, "a.txt"), "utf8")]).toEqual([2, `taken ${own.name}\n`]);
    expect(stderr).toContain("usage: npm run rename");
    return stderr;
  };
  expect(refused()).toContain("--name is missing");
  expect(refused("--bogus", "x")).toContain("--bogus");
  expect(refused(other.name)).toContain(other.name);
  expect(refused("--name")).toContain("argument missing");
  expect(refused("--name", "a-b")).toContain('the name "a-b"');
  expect(refused("--name", "taken")).toContain("a.txt");
  const repository = `https://github.com/${own.repository}`;
  const names = ["--name", own.name, "--scope", own.scope, "--repository", repository];
  expect(refused(...names)).toContain("the project has these names");
  expect(refused("--name", other.name)).toContain("npm ls");
  writeFileSync(join(folder, "new"), "");
  expect(refused("--name", other.name)).toContain("the working tree has changes");
});

test("a step that fails is named, and the way back leads to the old names", () => {
  const [folder, rename] = project('test "$1" = ls');
  const [status, stderr] = rename("--name", other.name);
  expect(status).toBe(1);
  expect(stderr).toContain("`npm install --ignore-scripts");
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toContain(other.name);
  const [, way] = /The way back: (.+)$/m.exec(stderr)!;
  execFileSync("sh", ["-c", way!.replace("npm install", "true")], { cwd: folder });
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe(`taken ${own.name}\n`);
  expect(execFileSync("git", ["status", "--porcelain"], { cwd: folder, encoding: "utf8" })).toBe("");
});
