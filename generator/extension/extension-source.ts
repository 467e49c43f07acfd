import { type JsonObject, canonicalise, isJsonObject, pointer } from "@mcpgen/engine";
import { CodedError, type Place } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";
import { type JsonFile, loadJson } from "../files/json-file.js";
import { layoutFreeSha256 } from "../files/layout-free.js";
import { contentSha256 } from "../files/line-ends.js";
import type { Note } from "../notes/note.js";
import { parseNotes } from "../notes/parse.js";
import { releasedRevisions } from "../revision/revisions-folder.js";
import { withPlaces } from "../revision/schema-source.js";
import { type ExtensionFile, readExtensionFile } from "./extension-file.js";
import { type StoredExtension, extensionFile, filesOf } from "./extension-store.js";

/** The files of an extension, read. */
export interface ExtensionSource {
  readonly about: ExtensionFile;
  /** The extension.json, for errors. */
  readonly aboutFile: string;
  readonly schemaFile: Pick<JsonFile, "file" | "text">;
  /** The schema in canonical form; references `base#/$defs/X` are as they are written. */
  readonly document: JsonObject;
  readonly notes: readonly Note[];
  readonly notesFile?: string;
  /** sha256 of each input file, by its role; the layout of extension.json and notes does not change theirs. */
  readonly inputs: { readonly extension: string; readonly schema: string; readonly notes?: string };
}

/** The files of an extension before they are read. */
interface ExtensionFiles {
  readonly extension: JsonFile;
  readonly schema: JsonFile;
  readonly notes?: JsonFile;
}

/**
 * Reads a stored extension.
 *
 * @param revisions ids of the stored revisions
 * @throws CodedError for files that cannot be read, MG1302 for extension.json, MG1201 for notes, MG1305 where the folder
 *   is not that of the id and the version, MG1303 for a base that is not stored and for settings without a definition
 */
export async function readStoredExtension(
  stored: StoredExtension,
  revisions: readonly string[],
): Promise<ExtensionSource> {
  const files = filesOf(stored);
  const extension = await loadJson(files.extension);
  const source = await readExtension({
    extension,
    schema: await loadJson(files.schema),
    ...(files.notes !== undefined && { notes: await loadJson(files.notes) }),
  });
  const { id, version, bases } = source.about;
  if (id !== stored.id || version !== stored.version) {
    const key = id === stored.id ? "/version" : "/id";
    throw new CodedError(
      "MG1305",
      `${extensionFile} is about ${id}@${version}, and lies in the folder of ${stored.id}@${stored.version}`,
      {
        place: await placeIn(extension, key),
        next: "Rename the folder, or correct the file.",
      },
    );
  }
  const stray = bases.findIndex((base) => !revisions.includes(base));
  if (stray >= 0) throw await unknownBase(extension, bases[stray]!, stray, revisions);
  return source;
}

/** Reads the files of an extension, wherever they come from; errors as `readStoredExtension`, but for MG1305. */
export async function readExtension({ extension, schema, notes }: ExtensionFiles): Promise<ExtensionSource> {
  const about = await readExtensionFile(extension);
  const document = await withPlaces(schema, () => canonicalise(schema.value));
  for (const [side, name] of Object.entries(about.settings)) {
    const definitions = document["$defs"];
    const names = isJsonObject(definitions) ? Object.keys(definitions) : [];
    if (names.includes(name)) continue;
    const suggestion = closest(name, names);
    throw new CodedError("MG1303", `schema.json has no definition ${JSON.stringify(name)} of settings`, {
      place: await placeIn(extension, pointer("/settings", side)),
      next:
        suggestion === undefined
          ? "Add the definition, or write null."
          : `Did you mean #/$defs/${suggestion}?`,
    });
  }
  return {
    about,
    aboutFile: extension.file,
    schemaFile: { file: schema.file, text: schema.text },
    document,
    notes: notes ? parseNotes(notes, { bases: about.bases }) : [],
    ...(notes && { notesFile: notes.file }),
    inputs: {
      extension: layoutFreeSha256(extensionFile, extension.text),
      schema: contentSha256(schema.text),
      ...(notes && { notes: layoutFreeSha256("notes.json", notes.text) }),
    },
  };
}

async function unknownBase(
  file: JsonFile,
  base: string,
  index: number,
  revisions: readonly string[],
): Promise<CodedError> {
  const suggestion = closest(base, revisions);
  return new CodedError("MG1303", `the base ${JSON.stringify(base)} is no revision of the schema folder`, {
    place: await placeIn(file, pointer("/bases", index)),
    next: releasedRevisions().has(base)
      ? `Bring it in with \`mcpgen revision add ${base}\`, or remove the base.`
      : suggestion === undefined
        ? `Add it with \`mcpgen revision add\`, or remove the base. Stored are ${revisions.join(", ")}.`
        : `Did you mean ${suggestion}?`,
  });
}

async function placeIn({ file, text }: JsonFile, at: string): Promise<Place> {
  const { positionOf } = await import("../files/positions.js");
  return { file, pointer: at, ...positionOf(text, at) };
}
