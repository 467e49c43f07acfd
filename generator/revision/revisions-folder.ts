import { join } from "node:path";
import { packageFolder } from "../files/package-folder.js";
import { readLock } from "./lock.js";

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
