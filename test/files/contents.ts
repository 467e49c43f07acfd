import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Every regular file below `folder` with its content, by its path with POSIX separators. */
export function contents(folder: string): Record<string, string> {
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
