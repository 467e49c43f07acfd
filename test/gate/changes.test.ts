import { execFileSync } from "node:child_process";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { baseCommit, changedSince } from "../../scripts/gate/changes.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");

/** A repository with a commit of three files, dated, and a function that commits all that changed. */
function repository(date: string) {
  const folder = temporaryFolder({ "a.ts": lines, "b.ts": `${lines}b`, "c.ts": `${lines}c` });
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, GIT_COMMITTER_DATE: date, GIT_CONFIG_GLOBAL: "/dev/null" },
    }).trim();
  git("init", "-q");
  const commit = (): string => {
    git("add", "-A");
    git("commit", "-q", "-m", "x");
    return git("rev-parse", "HEAD");
  };
  return { folder, commit, first: commit() };
}

test("a changed file counts, one that was renamed alone does not; last changed first", () => {
  const { folder, commit, first } = repository("2020-01-01T00:00:00Z");
  writeFileSync(join(folder, "a.ts"), `${lines}\nchanged`);
  commit();
  renameSync(join(folder, "b.ts"), join(folder, "b.long.ts"));
  renameSync(join(folder, "a.ts"), join(folder, "a.long.ts"));
  commit();
  writeFileSync(join(folder, "d.ts"), "new");
  const second = commit();
  expect(changedSince(first, folder)).toEqual(["d.ts", "a.long.ts"]);
  expect(changedSince(second, folder)).toEqual([]);
  writeFileSync(join(folder, "b.long.ts"), "not committed yet");
  rmSync(join(folder, "c.ts"));
  expect(changedSince(first, folder)).toEqual(["b.long.ts", "d.ts", "a.long.ts"]);
});

test("changes count from BASE, else from the newest commit older than seven days, else from the first", () => {
  const old = repository("2020-01-01T00:00:00Z");
  writeFileSync(join(old.folder, "a.ts"), "x");
  const second = old.commit();
  expect(baseCommit(old.folder, undefined)).toBe(second);
  expect(baseCommit(old.folder, "HEAD~1")).toBe(old.first);
  const fresh = repository(new Date().toISOString());
  writeFileSync(join(fresh.folder, "a.ts"), "x");
  fresh.commit();
  expect(baseCommit(fresh.folder, undefined)).toBe(fresh.first);
  expect(() => baseCommit(fresh.folder, "nothing")).toThrow('BASE names no commit of this clone: "nothing"');
});
