import { isAbsolute, relative, sep } from "node:path";

/**
 * The names that lead from `folder` to `path`; none where they are the same, `undefined` where `path` lies elsewhere. No link
 * is looked at.
 *
 * @param folder absolute
 * @param path absolute
 */
export function namesBelow(folder: string, path: string): readonly string[] | undefined {
  const way = relative(folder, path);
  if (way === "") return [];
  const names = way.split(sep);
  return isAbsolute(way) || names[0] === ".." ? undefined : names;
}

/**
 * What is wrong with a path below a folder, as a file of the project may give it; `undefined` for a path that may be written.
 * Its separators are POSIX ones.
 */
export function pathFault(path: string): string | undefined {
  const names = path.split("/");
  if (/[\\\0]/.test(path) || /^[a-z]:/i.test(path) || names.some((name) => /^(?:|\.|\.\.)$/.test(name)))
    return "expected a path below the output folder";
  return names.some(isGitFolder) ? "expected a path outside of .git" : undefined;
}

/** Characters that HFS+ ignores in names, so that `.g\u200cit` is the folder `.git`. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Whether a file system takes `name` for `.git`: without regard to case, with spaces and dots at the end or a stream's name
 * (NTFS), by its short name (FAT). What Git runs and reads lies there.
 */
export function isGitFolder(name: string): boolean {
  const [plain = ""] = name.replace(ignored, "").toLowerCase().split(":");
  return /^(?:\.git|git~\d+)[. ]*$/.test(plain);
}
