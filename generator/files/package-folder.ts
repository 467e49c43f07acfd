import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { invariant } from "../diagnostics/invariant.js";
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
