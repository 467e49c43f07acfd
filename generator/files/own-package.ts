import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { invariant } from "../diagnostics/coded-error.js";
import { readRegularText } from "./regular-file.js";

/** Folder of the mcpgen package: the same whether this runs from source or from dist. */
export const packageFolder = nearestPackage(dirname(fileURLToPath(import.meta.url)));

export function packageVersion(): string {
  return (JSON.parse(readRegularText(join(packageFolder, "package.json"))) as { version: string }).version;
}

function nearestPackage(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  invariant(dirname(folder) !== folder, "mcpgen runs outside of its package");
  return nearestPackage(dirname(folder));
}

/** Complains about a Node.js that is too old to load the rest; `version` as in `process.versions.node`. */
export function tooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return undefined;
  const code = "MG2012";
  return `error ${code}: expected Node.js 20.19 or later, got ${version}\n  \u2192 Install a newer one from nodejs.org.\n`;
}
