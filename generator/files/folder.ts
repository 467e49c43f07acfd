import { type Stats, existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { naturalCompare } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { manifestFile } from "./manifest.js";
import { pathFault } from "./relative-path.js";

/**
 * Not output although in its folder: what a build or an installation puts there, and what people and tools
 * keep beside a package.
 */
function isForeign(path: string, name: string): boolean {
  if (name === "node_modules" || name.startsWith(".")) return true;
  if (path.includes("/")) return false;
  return (
    ["dist", "package.json", "package-lock.json", "LICENSE"].includes(name) || name.endsWith(".tsbuildinfo")
  );
}

/**
 * Lists every file below `outDir`, POSIX separators, natural order. A subfolder with a separate manifest is
 * another output and is skipped.
 */
export function listOutput(outDir: string): string[] {
  const paths: string[] = [];
  collect(outDir, "", paths);
  return paths.sort(naturalCompare);
}

function collect(outDir: string, folder: string, paths: string[]): void {
  for (const entry of readFolder(join(outDir, folder))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (isForeign(path, entry.name)) continue;
    if (entry.isDirectory()) {
      if (!existsSync(join(outDir, path, manifestFile))) collect(outDir, path, paths);
    } else paths.push(path);
  }
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new CodedError("MG3002", `cannot be read as a folder (${(error as NodeJS.ErrnoException).code})`, {
      place: { file: folder },
      next: "Choose another output folder with --out.",
      cause: error,
    });
  }
}

/** @throws CodedError MG3002 when there is something else where the output folder is to be */
export function expectFolder(outDir: string): void {
  const found = statSync(outDir, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) {
    throw elsewhere(outDir, "expected a folder, got a file", "Choose another output folder with --out.");
  }
}

/**
 * Makes sure that `path` is a regular file below `outDir` or free to become one.
 *
 * @throws CodedError MG3002 when it leads elsewhere: `..`, a symbolic link, a file in place of a folder
 */
export function refuseEscape(outDir: string, path: string): void {
  const fault = pathFault(path);
  if (fault !== undefined)
    throw elsewhere(join(outDir, path), fault, "Rename the revision or output that it is named after.");
  const parts = path.split("/");
  for (let length = 1; length <= parts.length; length++) {
    const place = join(outDir, ...parts.slice(0, length));
    const found = statOf(place);
    if (!found) return;
    const last = length === parts.length;
    if (found.isSymbolicLink()) {
      throw elsewhere(place, "expected a regular file or folder, got a symbolic link", "Remove the link.");
    }
    if (last ? !found.isFile() : !found.isDirectory()) {
      throw elsewhere(place, `expected a ${last ? "file" : "folder"}, got something else`, "Move it away.");
    }
  }
}

function statOf(place: string): Stats | undefined {
  return lstatSync(place, { throwIfNoEntry: false });
}

function elsewhere(file: string, message: string, next: string): CodedError {
  return new CodedError("MG3002", message, { place: { file }, next });
}
