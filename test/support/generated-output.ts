import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type GenerateRequest, type Generated, generateFiles } from "../../generator/pipeline/generate.js";
import type { RevisionSource } from "../../generator/revision/revision-source.js";
import { temporaryFolder } from "./temporary-folder.js";

export const schemaDir = fileURLToPath(new URL("../../schema/", import.meta.url));

/** The source of a released revision, with its notes. */
export function releasedSource(revision: string): RevisionSource {
  return {
    revision,
    status: "released",
    schemaFile: join(schemaDir, revision, "schema.json"),
    notesFile: join(schemaDir, revision, "notes.json"),
  };
}

/**
 * The source of a revision whose schema file contains `text`, with the notes of the revision `notesOf`, or without notes.
 */
export function writtenSource(revision: string, text: string, notesOf?: string): RevisionSource {
  const schemaFile = join(temporaryFolder({ "schema.json": text }), "schema.json");
  const notesFile = notesOf === undefined ? undefined : join(schemaDir, notesOf, "notes.json");
  return {
    revision,
    status: "released",
    schemaFile,
    ...(notesFile === undefined ? { withoutNotes: true } : { notesFile }),
  };
}

/** Generates all output for the sources. */
export function generate(
  sources: readonly RevisionSource[],
  more: Partial<GenerateRequest> = {},
): Promise<Generated> {
  return generateFiles({ sources, schemaDir, importExtension: "js", ...more });
}
