import { join } from "node:path";
import { existsSync } from "node:fs";
import type { JsonFile } from "../files/json-file.js";
import { sha256 } from "../files/sha256.js";
import { lockFile, readLock } from "./lock.js";
import { ownSchemaFolder } from "./revisions-folder.js";
import { canonicalDocument } from "./schema-source.js";
import { storedText } from "./stored-schema.js";

/**
 * The released revision whose schema a file holds, prose left out. Neither the name of the file nor the name that the
 * user gives the revision counts.
 *
 * @returns undefined for every other schema
 * @throws CodedError MG11xx for a file that is no schema
 */
export async function releasedRevision(file: JsonFile): Promise<string | undefined> {
  const document = await canonicalDocument(file, { descriptions: false });
  const hash = sha256(storedText(document));
  return [...readLock(ownSchemaFolder)].find(
    ([, { status, canonical }]) => status === "released" && canonical === hash,
  )?.[0];
}

/**
 * The file of the notes that mcpgen brings for the released revision whose schema a file holds; errors as
 * `releasedRevision`.
 */
export async function releasedNotes(file: JsonFile): Promise<string | undefined> {
  const revision = await releasedRevision(file);
  const notes = revision === undefined ? undefined : notesOf(revision);
  return notes !== undefined && existsSync(notes) ? notes : undefined;
}

/** The files that `releasedNotes` depends on, beside the schema. */
export function releasedFiles(): string[] {
  return [join(ownSchemaFolder, lockFile), ...[...readLock(ownSchemaFolder).keys()].map(notesOf)];
}

function notesOf(revision: string): string {
  return join(ownSchemaFolder, revision, "notes.json");
}
