import { join } from "node:path";
import { naturalCompare } from "@mcpgen/engine";
import { packageFolder } from "../files/package-folder.js";
import { type LockedRevision, readLock } from "./lock.js";

/** Package that has the generated files of the revisions that mcpgen brings. */
export const protocolPackage = "@mcpgen/protocol";

/** The schema folder of the mcpgen package: the released revisions, their notes and documentation, and extensions. */
export const ownSchemaFolder = join(packageFolder, "schema");

/** Whether a schema folder has no revision, so that extensions in it extend those that mcpgen brings. */
export function usesOwnRevisions(schemaDir: string): boolean {
  return readLock(schemaDir).size === 0;
}

/** The folder of the revisions that the extensions of a schema folder extend: itself, or that of the mcpgen package. */
export function revisionsFolder(schemaDir: string): string {
  return usesOwnRevisions(schemaDir) ? ownSchemaFolder : schemaDir;
}

/** A revision with a schema folder that has it. */
export interface NamedRevision {
  readonly folder: string;
  readonly locked: LockedRevision;
}

/**
 * The revisions that commands know by their names, oldest first: those of a schema folder, and beside them the released ones that
 * mcpgen brings.
 */
export function namedRevisions(schemaDir: string): ReadonlyMap<string, NamedRevision> {
  const found = [...releasedRevisions(), ...inFolder(schemaDir)];
  return new Map(found.sort(([a], [b]) => naturalCompare(a, b)));
}

/** The released revisions that mcpgen brings. */
export function releasedRevisions(): ReadonlyMap<string, NamedRevision> {
  return new Map(inFolder(ownSchemaFolder).filter(([, { locked }]) => locked.status === "released"));
}

function inFolder(folder: string): [string, NamedRevision][] {
  return [...readLock(folder)].map(([name, locked]) => [name, { folder, locked }]);
}
