import { readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";

/** Folders that hold no code that people write. */
const skipped = /^(?:\..*|node_modules|dist|coverage)$/;

/**
 * The TypeScript files below `folder`, in a fixed order.
 *
 * @param without folders that are generated
 */
export function userFiles(folder: string, without: ReadonlySet<string>): string[] {
  const entries = readable(folder).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return skipped.test(entry.name) || without.has(path) ? [] : userFiles(path, without);
    return entry.isFile() && /(?<!\.d)\.[cm]?tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** What may not be read is nobody's handlers. */
function readable(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
