import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { dialectOf, isJsonObject } from "@mcpgen/engine";
import type { Project } from "../project.js";
import { meantAdvice } from "../../capture/server-source.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { nameAdvice } from "../../diagnostics/suggest.js";
import { type UpstreamFile, undocumented } from "../../revision/schema-source.js";
import { type JsonFile, loadJson } from "../../files/json-file.js";
import { type LoadedRevision, loadRevision, storedRevision } from "../../revision/revision-source.js";
import { kindOfSource, readSource, sourceName } from "../../files/source.js";
import { namedRevisions, readLock, expectRevision } from "../../revision/lock.js";
import type { CommandContext } from "../command.js";
import { shownPath } from "../../print/terminal-text.js";
import { type Carried, carryNotes } from "../../revision/carried-notes.js";
import { storedSchema } from "../../revision/stored-schema.js";

/** One side of a comparison. */
export interface Source {
  /** The source as the command line names it. */
  readonly name: string;
  readonly loaded: LoadedRevision;
  readonly file: JsonFile;
  /** The path of the file, as messages print it. */
  readonly shown: string;
  /** The dialect of the schema before the conversion to canonical form. */
  readonly dialect: string;
  /** Whether no notes were applied; facts are then derived from the schema alone. */
  readonly withoutNotes: boolean;
}

/**
 * Reads both sides, with notes only if both are revisions known by name. A file has no notes, so against it a
 * correction in a revision's notes would look like a change.
 */
export async function loadSources(
  names: readonly [string, string],
  project: Project,
  context: CommandContext,
): Promise<readonly [Source, Source]> {
  const known = namedRevisions(project.schemaDir);
  const notes = names.every((name) => known.has(name));
  return [
    await loadSource(names[0], project, context, notes),
    await loadSource(names[1], project, context, notes),
  ];
}

/**
 * Reads a revision by its name, or a schema file by its path or URL.
 *
 * @param notes whether to apply the notes of a revision
 * @throws CodedError MG3208 for a name that is neither a revision nor a file
 */
export async function loadSource(
  name: string,
  { schemaDir }: Project,
  context: CommandContext,
  notes: boolean,
): Promise<Source> {
  const named = namedRevisions(schemaDir).get(name);
  const isFile = !named && kindOfSource(name) === "file";
  if (isFile && !existsSync(resolve(context.directory, name)))
    throw unknownSource(name, schemaDir, context.directory);
  const stored = named && storedRevision(named.folder, name, named.locked.status, notes);
  const file = stored ? await loadJson(stored.schemaFile) : await readSource(name, context);
  const source = stored ?? {
    revision: sourceName(name),
    status: "draft" as const,
    schemaFile: file.file,
    read: { schema: file },
  };
  return {
    name: sourceName(name),
    loaded: await loadRevision(source, undocumented),
    file,
    shown: stored || isFile ? shownPath(resolve(context.directory, file.file), context.directory) : file.file,
    dialect: named?.locked.dialect ?? (isJsonObject(file.value) ? dialectOf(file.value) : "unknown"),
    withoutNotes: !notes,
  };
}

/** The error for a name that is neither a revision nor a file. */
function unknownSource(name: string, schemaDir: string, directory: string): CodedError {
  const revisions = [...namedRevisions(schemaDir).keys()];
  const otherwise = meantAdvice(name, directory) ?? `The revisions are ${revisions.join(", ")}.`;
  return new CodedError("MG3208", `${JSON.stringify(name)} is neither a revision nor a file`, {
    next: nameAdvice(name, revisions, otherwise),
  });
}

/** Reads a revision of the schema folder, with its notes. */
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
 * Reads a published file like a stored revision: with those notes of the revision that still apply, and
 * without descriptions if it is stored without them.
 *
 * @param name name for the file's revision
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
