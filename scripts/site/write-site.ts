import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { BuiltSite } from "./build-site.js";

/**
 * Writes the site, and replaces an earlier one.
 *
 * @throws {Error} the folder contains something else
 */
export function writeSite(folder: string, { files, pictures }: Pick<BuiltSite, "files" | "pictures">): void {
  if (existsSync(folder) && readdirSync(folder).length > 0 && !isSite(folder))
    throw new Error(`${folder} holds files that are no site of mcpgen: name another folder with --out`);
  rmSync(folder, { recursive: true, force: true });
  for (const [file, text] of [...files, ...pictures]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

/** Whether a folder contains a site: its first page names the generator. */
function isSite(folder: string): boolean {
  const first = join(folder, "index.html");
  return (
    existsSync(first) && readFileSync(first, "utf8").includes('<meta name="generator" content="mcpgen">')
  );
}
