import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Runs git in a work tree; returns its output. @throws if git fails */
export function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28, stdio: "pipe" });
}

/**
 * Returns the commit from which changes count: the one that the variable BASE names; without BASE, the newest
 * commit that is older than seven days. A clone with a part of the history may have no commit that old: then
 * it returns the tree without files, so that everything has changed.
 *
 * @throws if BASE names no commit
 */
export function baseCommit(folder = ".", named = process.env["BASE"]): string {
  if (named === undefined) {
    const older = git(folder, "log", "-1", "--before=7 days ago", "--format=%H").trim();
    return older || git(folder, "hash-object", "-t", "tree", "/dev/null").trim();
  }
  try {
    return git(folder, "rev-parse", "--verify", `${named}^{commit}`).trim();
  } catch {
    throw new Error(
      `BASE names no commit of this clone: ${JSON.stringify(named)}. A clone of a part of the history (--depth) may lack it.`,
    );
  }
}

/** Returns the files of a work tree, including those that are not committed yet. */
export function filesOf(folder = "."): string[] {
  const listed = fields(git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard"));
  return listed.filter((path) => existsSync(join(folder, path)));
}

/**
 * Returns the files that were changed or deleted since a commit, the last changed first. A pure rename does
 * not count as a change.
 */
export function changedSince(base: string, folder = "."): string[] {
  const isCommit = git(folder, "cat-file", "-t", base).trim() === "commit";
  const rowsOf = (...args: string[]): Row[] => statuses(git(folder, ...args));
  const whole = rowsOf("diff", ...options, base);
  const untracked = fields(git(folder, "ls-files", "-z", "--others", "--exclude-standard"));
  const changed = new Set([...untracked, ...whole.filter((row) => row.length === 2).map(([, path]) => path)]);
  /** The present name of each file, by its former name. */
  const names = new Map<string, string>();
  const order = new Set(untracked);
  for (const [, path, renamed] of [
    ...rowsOf("diff", ...options, "HEAD"),
    ...rowsOf("log", "--format=", ...options, isCommit ? `${base}..HEAD` : "HEAD"),
  ])
    if (renamed !== undefined) names.set(path, names.get(renamed) ?? renamed);
    else order.add(names.get(path) ?? path);
  // Files that only a merge changed are in no commit of the log.
  return [...new Set([...order, ...changed])].filter((path) => changed.has(path) && !names.has(path));
}

const options = ["--name-status", "--find-renames=100%", "-z"];

const fields = (text: string): string[] => text.split("\0").filter((field) => field !== "");

/** A row of git's output: a letter, the path and, for a rename, the new path. */
type Row = readonly [status: string, path: string, renamed?: string];

/** Parses the output of `--name-status -z`. */
function statuses(text: string): Row[] {
  const rows: Row[] = [];
  // The log separates commits by empty lines.
  const left = fields(text.replaceAll(/(^|\0)\n+/g, "$1"));
  for (let at = 0; at < left.length; at += rows.at(-1)!.length) {
    const isRename = /^[RC]/.test(left[at]!);
    rows.push(left.slice(at, at + (isRename ? 3 : 2)) as unknown as Row);
  }
  return rows;
}
