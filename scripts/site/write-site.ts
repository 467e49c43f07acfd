import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** What the first page of a site holds, and folders of others do not. */
const mark = '<meta name="generator" content="mcpgen">';

/**
 * Writes the site in place of an earlier one, all files or none.
 *
 * @throws {Error} the folder holds something else
 */
export function writeSite(folder: string, files: ReadonlyMap<string, string>): void {
  if (!mayReplace(folder))
    throw new Error(`${folder} holds files that are no site of mcpgen: name another folder with --out`);
  mkdirSync(dirname(folder), { recursive: true });
  const whole = mkdtempSync(join(dirname(folder), ".site-"));
  try {
    for (const [file, text] of files) {
      mkdirSync(dirname(join(whole, file)), { recursive: true });
      writeFileSync(join(whole, file), text);
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(whole, folder);
  } finally {
    rmSync(whole, { recursive: true, force: true });
  }
}

function mayReplace(folder: string): boolean {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return true;
  const first = join(folder, "index.html");
  return existsSync(first) && readFileSync(first, "utf8").includes(mark);
}
