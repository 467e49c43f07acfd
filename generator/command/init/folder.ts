import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { configNames, findConfig, loadConfig } from "../../config/load-config.js";
import { lackFinding } from "../../init/advice.js";
import { type ProjectRequest, projectConfig, projectPackage } from "../../init/project.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { Finding } from "../../diagnostics/finding.js";
import { escapeUnprintable } from "../../print/text.js";
import type { CommandContext } from "../context.js";
import { shownPath } from "../shown-path.js";
import { readRegularText } from "../../files/regular-file.js";

/**
 * The folder of a project.
 *
 * @throws CodedError MG2004 for what is no folder, and for a path with control characters
 */
export function projectFolder(dir: string, directory: string): string {
  if (escapeUnprintable(dir) !== dir) {
    throw new CodedError("MG2004", "expected DIR to be a path that shows, got one with control characters", {
      next: "Give the folder another name.",
    });
  }
  const folder = resolve(directory, dir);
  const there = nearestThere(folder);
  if (statSync(there).isDirectory()) return folder;
  throw new CodedError("MG2004", "expected DIR to be a folder, got a file", {
    place: { file: shownPath(there, directory) },
    next: "Name another folder, existing or new.",
  });
}

/** A path, or that of the folder around it that is there. */
function nearestThere(path: string): string {
  return existsSync(path) ? path : nearestThere(dirname(path));
}

/** Whether something has the name of a file of the project; a link that leads nowhere has it, too. */
export function isTaken(folder: string, path: string): boolean {
  if (path === configFile) return configIn(folder) !== undefined;
  return lstatSync(join(folder, path), { throwIfNoEntry: false }) !== undefined;
}

const configFile = "mcpgen.config.json";

/** A folder has one configuration file, of any extension. */
function configIn(folder: string): string | undefined {
  return configNames.find((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined);
}

/**
 * Findings about files that existed before `init`, which merges nothing into them: the parts that the project needs and
 * they lack.
 */
export async function lackFindings(
  folder: string,
  { directory, trust }: CommandContext,
  request: ProjectRequest,
): Promise<Finding[]> {
  const findings: (Finding | undefined)[] = [];
  if (isTaken(folder, "package.json")) {
    const shown = shownPath(folder, directory, "package.json");
    const text = readRegularText(join(folder, "package.json"));
    const keys = ["type", "scripts", "dependencies", "devDependencies"];
    const next = "Add the members below, then run `npm install`.";
    findings.push(lackFinding(shown, text, projectPackage(request), keys, next));
  }
  const file = findConfig(folder, folder);
  if (file !== undefined && (await trust.admits({ file, folder }))) {
    const { config } = await loadConfig(folder, { home: folder, admitsConfig: async () => true }, file);
    const shown = shownPath(file, directory);
    const next = "Add the entry below: generate, check and sync find the contract by it.";
    findings.push(lackFinding(shown, JSON.stringify(config), projectConfig(request), ["contracts"], next));
  }
  return findings.filter((finding) => finding !== undefined);
}
