import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";
import { loadJson } from "../files/json-file.js";
import type { WriteRoot } from "../files/held-folder.js";
import { slashPath } from "../files/platform.js";
import { type FileChange, writeFiles } from "../files/writer.js";
import { changedLock, lockFile, readExtensionLock } from "../revision/lock.js";
import {
  type StoredExtension,
  readExtensionFile,
  expectExtension,
  extensionKey,
  filesOf,
  storedExtensions,
} from "./extension-store.js";

/** A removed extension version. */
export interface RemovedExtension {
  readonly extension: StoredExtension;
  /** Paths relative to the schema folder. */
  readonly files: readonly string[];
  readonly changes: readonly FileChange[];
}

/**
 * Removes an extension version from the schema folder and the lock. Removes everything or nothing.
 *
 * @param wanted `ID@VERSION`, or the id of an extension with one version
 * @param root the schema folder
 * @throws CodedError MG1306 if there is none, MG2004 if the id has several versions, MG1309 if another
 * extension needs it
 */
export async function removeExtension(
  schemaDir: string,
  wanted: string,
  root: WriteRoot,
): Promise<RemovedExtension> {
  const removed = await stageRemoval(schemaDir, wanted);
  writeFiles(root, removed.changes);
  return removed;
}

/** Computes the changes of `removeExtension` without writing. Same errors. */
export async function stageRemoval(schemaDir: string, wanted: string): Promise<RemovedExtension> {
  const extension = expectExtension(schemaDir, wanted);
  const stored = storedExtensions(schemaDir);
  const versions = stored.filter(({ id }) => id === extension.id);
  if (extension.id === wanted && versions.length > 1) {
    const names = versions.map(extensionKey);
    throw new CodedError("MG2004", `${wanted} has ${versions.length} versions: ${names.join(", ")}`, {
      next: `Name one, e.g. ${names[0]}.`,
    });
  }
  if (versions.length === 1) await refuseNeeded(extension, stored);
  const lock = new Map(readExtensionLock(schemaDir));
  lock.delete(extensionKey(extension));
  const within = slashPath(schemaDir, extension.folder);
  const own = new Set(["extension.json", "schema.json", "notes.json"]);
  const files = readdirSync(extension.folder)
    .filter((name) => own.has(name))
    .map((name) => `${within}/${name}`);
  const isLocked = existsSync(join(schemaDir, lockFile));
  return {
    extension,
    files,
    changes: [
      ...files.map((path) => ({ path, content: null })),
      ...(isLocked ? [{ path: lockFile, content: changedLock(schemaDir, { extensions: lock }) }] : []),
    ],
  };
}

async function refuseNeeded({ id }: StoredExtension, stored: readonly StoredExtension[]): Promise<void> {
  for (const other of stored) {
    if (other.id === id) continue;
    const file = filesOf(other).extension;
    const { needs } = await readExtensionFile(await loadJson(file));
    if (!needs.extensions.includes(id)) continue;
    throw new CodedError("MG1309", `${extensionKey(other)} needs ${id}`, {
      place: { file, pointer: "/needs/extensions" },
      next: `Remove ${extensionKey(other)} first, or its need.`,
    });
  }
}
