import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { applyChanges, isInterrupted, recover } from "../../generator/files/transaction.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Every file below `folder` with its content. */
function contents(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    paths.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file.slice(folder.length + 1), readFileSync(file, "utf8")];
    }),
  );
}

const before = { "a.txt": "old a", "b.txt": "old b", "deep/c.txt": "old c" };
const changes = [
  { path: "a.txt", content: "new a" },
  { path: "deep/er/new.txt", content: "new" },
  { path: "deep/c.txt", content: null },
  { path: "b.txt", content: "new b" },
];
const after = { "a.txt": "new a", "b.txt": "new b", "deep/er/new.txt": "new" };

test("all changes are made, and nothing else is left behind", () => {
  const folder = temporaryFolder(before);
  applyChanges(folder, changes);
  expect(contents(folder)).toEqual(after);
  expect(recover(folder)).toBeUndefined();
});

test("a failure in the middle leaves every file as it was", () => {
  const folder = temporaryFolder(before);
  mkdirSync(join(folder, "taken"));
  expect(() => applyChanges(folder, [...changes, { path: "taken", content: "x" }])).toThrow(/cannot write/);
  expect(contents(folder)).toEqual(before);
  expect(readdirSync(folder).sort()).toEqual(["a.txt", "b.txt", "deep", "taken"]);
});

test("a failure before the first change leaves every file as it was", () => {
  const folder = temporaryFolder({ ...before, file: "in the way" });
  expect(() => applyChanges(folder, [...changes, { path: "file/below", content: "x" }])).toThrow();
  expect(contents(folder)).toEqual({ ...before, file: "in the way" });
});

test("a run that is writing is waited for", async () => {
  const folder = temporaryFolder(before);
  const writing = `const folder = ${JSON.stringify(folder)} + "/.mcpgen-write-" + process.pid;
    fs.mkdirSync(folder);
    console.log("writing");
    setTimeout(() => fs.rmSync(folder, { recursive: true }), 50);`;
  const child = spawn(process.execPath, ["-e", writing], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  applyChanges(folder, changes);
  expect(contents(folder)).toEqual(after);
});

test("a run that is killed at any step is undone by the next one", async () => {
  const script = join(temporaryFolder(), "killed.mjs");
  await build({
    stdin: { contents: killed, resolveDir: process.cwd() },
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  let undone = 0;
  for (let step = 1, dead = true; dead; step++) {
    const folder = temporaryFolder(before);
    dead =
      spawnSync(process.execPath, [script, folder, String(step), JSON.stringify(changes)]).signal ===
      "SIGKILL";
    const interrupted = isInterrupted(folder);
    if (interrupted) undone++;
    recover(folder);
    // Without a journal the run had either changed nothing yet, or everything.
    expect(interrupted ? [before] : [before, after], `step ${step}`).toContainEqual(contents(folder));
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
    if (!dead) expect(contents(folder)).toEqual(after);
  }
  expect(undone).toBeGreaterThan(changes.length);
});

/** Kills itself before the n-th call that changes the file system. */
const killed = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  let left = Number(process.argv[3]);
  for (const name of ["writeFileSync", "renameSync", "linkSync", "rmSync"]) {
    const real = fs[name];
    fs[name] = (...args) => (--left === 0 ? process.kill(process.pid, "SIGKILL") : real(...args));
  }
  syncBuiltinESMExports();
  const { applyChanges } = await import("./generator/files/transaction.ts");
  applyChanges(process.argv[2], JSON.parse(process.argv[4]));
`;

test("a run that is still alive is not disturbed", () => {
  const folder = temporaryFolder(before);
  mkdirSync(join(folder, `.mcpgen-write-${process.ppid}`));
  expect(() => applyChanges(folder, changes)).toThrow(
    /another run of mcpgen \(process \d+\) is writing here/,
  );
  expect(contents(folder)["a.txt"]).toBe("old a");
});

test.skipIf(process.getuid?.() === 0)("a folder that may not be written is reported", () => {
  const folder = temporaryFolder(before);
  chmodSync(folder, 0o500);
  expect(() => applyChanges(folder, changes)).toThrow(/cannot write/);
  chmodSync(folder, 0o700);
});

test("a link put in place of a file is replaced, not followed", () => {
  const elsewhere = temporaryFolder({ "target.txt": "theirs" });
  const folder = temporaryFolder();
  symlinkSync(join(elsewhere, "target.txt"), join(folder, "a.txt"));
  applyChanges(folder, [{ path: "a.txt", content: "ours" }]);
  expect(readFileSync(join(elsewhere, "target.txt"), "utf8")).toBe("theirs");
});
