import { join, relative, sep } from "node:path";

/** A path as messages show it: from the working directory where it is below it, POSIX separators. */
export function shownPath(folder: string, directory: string, path = ""): string {
  const full = join(folder, path);
  const short = relative(directory, full);
  return (short.startsWith("..") ? full : short || ".").split(sep).join("/");
}
