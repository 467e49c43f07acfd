import { resolve } from "node:path";
import { undocumented } from "../../revision/documentation.js";
import { type JsonFile, loadJson } from "../../files/json-file.js";
import { loadRevision, storedRevision } from "../../revision/revision-source.js";
import { kindOfSource } from "../../files/source.js";
import { type Carried, carryNotes } from "../../revision/carry.js";
import { readLock } from "../../revision/lock.js";
import type { UpstreamFile } from "../../revision/source.js";
import { storedSchema } from "../../revision/stored-schema.js";
import { expectRevision } from "../../revision/verify.js";
import { shownPath } from "../shown-path.js";
import type { Source } from "./source.js";

/** A revision of the schema folder, with its notes. */
export async function storedSource(
  schemaDir: string,
  revision: string,
  directory: string,
): Promise<Source & { readonly notes: JsonFile | undefined }> {
  const { status, dialect } = expectRevision(readLock(schemaDir), revision);
  const stored = storedRevision(schemaDir, revision, status, true);
  const notes = stored.notesFile === undefined ? undefined : await loadJson(stored.notesFile);
  return {
    name: revision,
    loaded: await loadRevision(stored, undocumented),
    file: await loadJson(stored.schemaFile),
    shown: shownPath(stored.schemaFile, directory),
    dialect,
    withoutNotes: notes === undefined,
    notes,
  };
}

/**
 * A published file read as a stored revision is: with the notes of that revision, as far as they apply, and
 * without prose if it is stored without.
 *
 * @param name what its revision is called
 */
export async function readAlike(
  file: UpstreamFile,
  name: string,
  base: { readonly revision: string; readonly notes: JsonFile | undefined },
  schemaDir: string,
  directory: string,
): Promise<Source & { readonly dropped: Carried["dropped"] }> {
  const { status, descriptions } = expectRevision(readLock(schemaDir), base.revision);
  const { document, text, dialect } = await storedSchema(file, { descriptions });
  const schema = { file: file.file, text, value: document };
  const carried = base.notes && (await carryNotes(schema, document, base.notes));
  const notes = carried && {
    file: base.notes!.file,
    text: "",
    value: { format: 1, notes: [...carried.notes] },
  };
  const source = { revision: name, status, schemaFile: file.file, read: { schema, ...(notes && { notes }) } };
  const isPath = file.url === undefined && kindOfSource(file.file) === "file";
  return {
    name,
    loaded: await loadRevision(source, undocumented),
    file,
    shown: isPath ? shownPath(resolve(directory, file.file), directory) : file.file,
    dialect,
    withoutNotes: notes === undefined,
    dropped: carried?.dropped ?? [],
  };
}
