import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28, stdio: "pipe" });

/**
 * The commit from which changes count: the variable BASE; without it, the newest commit that is older than seven days, or
 * the first one.
 *
 * @throws if BASE names no commit
 */
export function baseCommit(folder = ".", named = process.env["BASE"]): string {
  if (named === undefined) {
    const older = git(folder, "log", "-1", "--before=7 days ago", "--format=%H").trim();
    return older || git(folder, "rev-list", "--max-parents=0", "HEAD").trim().split("\n").at(-1)!;
  }
  try {
    return git(folder, "rev-parse", "--verify", `${named}^{commit}`).trim();
  } catch {
    throw new Error(`BASE names no commit of this clone: ${JSON.stringify(named)}`);
  }
}

/** The files that changed since a commit and are still there, last changed first. A pure rename is no change. */
export function changedSince(base: string, folder = "."): string[] {
  const changed = new Set(
    statuses(git(folder, "diff", "--name-status", renames, base)).flatMap(([status, path]) =>
      /^[AM]/.test(status) ? [path] : [],
    ),
  );
  const order = new Set<string>();
  /** By a former name: the name that the file has now. */
  const names = new Map<string, string>();
  const log = git(folder, "log", "--format=", "--name-status", renames, `${base}..HEAD`);
  for (const [status, path, renamed] of [
    ...statuses(git(folder, "diff", "--name-status", renames, "HEAD")),
    ...statuses(log),
  ])
    if (renamed !== undefined) names.set(path, names.get(renamed) ?? renamed);
    else if (!status.startsWith("D")) order.add(names.get(path) ?? path);
  return [...order].filter((path) => changed.has(path) && existsSync(join(folder, path)));
}

const renames = "--find-renames=100%";

/** The rows of `--name-status`: a letter, the path and, of a rename, the new path. */
function statuses(text: string): (readonly [status: string, path: string, renamed?: string])[] {
  const rows = text.split("\n").filter((line) => line !== "");
  return rows.map((line) => line.split("\t") as [string, string, string?]);
}
