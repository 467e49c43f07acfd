import { execFileSync } from "node:child_process";
import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { baseCommit, changedSince, filesOf } from "../../scripts/gate/changes.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");

/** A repository with a commit of three files, dated, and a function that commits all that changed. */
function repository(date: string) {
  const folder = temporaryFolder({ "a.ts": lines, "b.ts": `${lines}b`, "c.ts": `${lines}c` });
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
      cwd: folder,
      encoding: "utf8",
      stdio: "pipe",
      env: { ...process.env, GIT_COMMITTER_DATE: date, GIT_CONFIG_GLOBAL: "/dev/null" },
    }).trim();
  git("init", "-q");
  const commit = (): string => {
    git("add", "-A");
    git("commit", "-q", "-m", "x");
    return git("rev-parse", "HEAD");
  };
  return { folder, commit, git, first: commit() };
}

test("a changed file counts, a merely renamed one does not; the last changed comes first", () => {
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
  expect(changedSince(first, folder)).toEqual(["b.long.ts", "c.ts", "d.ts", "a.long.ts"]);
});

test("files also count if git quotes their names, if they are not committed, if only a merge changed them, or if they became links", () => {
  const { folder, commit, first, git } = repository("2020-01-01T00:00:00Z");
  writeFileSync(join(folder, 'ä "x"\t.ts'), "new");
  commit();
  git("checkout", "-q", "-b", "side", first);
  writeFileSync(join(folder, "side.ts"), "new");
  commit();
  git("merge", "-q", "--no-commit", "--no-ff", "-");
  writeFileSync(join(folder, "a.ts"), "changed by the merge");
  commit();
  rmSync(join(folder, "b.ts"));
  symlinkSync("a.ts", join(folder, "b.ts"));
  writeFileSync(join(folder, "untracked.ts"), "new");
  expect(changedSince(first, folder).toSorted()).toEqual(
    ["a.ts", "b.ts", "side.ts", "untracked.ts", 'ä "x"\t.ts'].toSorted(),
  );
  expect(filesOf(folder)).toContain('ä "x"\t.ts');
});

test("changes count from BASE, else from the newest commit older than seven days; without one, all files changed", () => {
  const old = repository("2020-01-01T00:00:00Z");
  writeFileSync(join(old.folder, "a.ts"), "x");
  const second = old.commit();
  expect(baseCommit(old.folder, undefined)).toBe(second);
  expect(baseCommit(old.folder, "HEAD~1")).toBe(old.first);
  const fresh = repository(new Date().toISOString());
  writeFileSync(join(fresh.folder, "a.ts"), "x");
  fresh.commit();
  expect(changedSince(baseCommit(fresh.folder, undefined), fresh.folder)).toEqual(["a.ts", "b.ts", "c.ts"]);
  for (const name of ["nothing", "", "--all", "HEAD:a.ts"])
    expect(() => baseCommit(fresh.folder, name)).toThrow(
      `BASE names no commit of this clone: ${JSON.stringify(name)}`,
    );
  // A clone with only the last commit has no older commits, although the repository has.
  const shallow = temporaryFolder();
  execFileSync("git", ["clone", "-q", "--depth=1", `file://${fresh.folder}`, "."], {
    cwd: shallow,
    stdio: "pipe",
  });
  expect(changedSince(baseCommit(shallow, undefined), shallow)).toEqual(["a.ts", "b.ts", "c.ts"]);
  expect(() => baseCommit(shallow, fresh.first)).toThrow(
    "A clone of a part of the history (--depth) may lack it.",
  );
});
