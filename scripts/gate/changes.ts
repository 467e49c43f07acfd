import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** What git prints in a work tree. @throws where it fails */
export function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28, stdio: "pipe" });
}

/**
 * The commit from which changes count: the variable BASE; without it, the newest commit that is older than seven days. If this
 * clone has no commit that old, as one of a part of the history has not, the tree without files: everything changed.
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

/** The files of a work tree, those too that are not committed yet. */
export function filesOf(folder = "."): string[] {
  const listed = fields(git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard"));
  return listed.filter((path) => existsSync(join(folder, path)));
}

/** The files that changed since a commit, or are gone, last changed first. A pure rename is no change. */
export function changedSince(base: string, folder = "."): string[] {
  const isCommit = git(folder, "cat-file", "-t", base).trim() === "commit";
  const rowsOf = (...args: string[]): Row[] => statuses(git(folder, ...args));
  const whole = rowsOf("diff", ...options, base);
  const untracked = fields(git(folder, "ls-files", "-z", "--others", "--exclude-standard"));
  const changed = new Set([...untracked, ...whole.filter((row) => row.length === 2).map(([, path]) => path)]);
  /** By a former name: the name that the file has now. */
  const names = new Map<string, string>();
  const order = new Set(untracked);
  for (const [, path, renamed] of [
    ...rowsOf("diff", ...options, "HEAD"),
    ...rowsOf("log", "--format=", ...options, isCommit ? `${base}..HEAD` : "HEAD"),
  ])
    if (renamed !== undefined) names.set(path, names.get(renamed) ?? renamed);
    else order.add(names.get(path) ?? path);
  // What a merge alone changed is in no commit of the log.
  return [...new Set([...order, ...changed])].filter((path) => changed.has(path) && !names.has(path));
}

const options = ["--name-status", "--find-renames=100%", "-z"];

const fields = (text: string): string[] => text.split("\0").filter((field) => field !== "");

/** A letter, the path and, of a rename, the new path. */
type Row = readonly [status: string, path: string, renamed?: string];

/** The rows of `--name-status -z`. */
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
