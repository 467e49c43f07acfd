import {
  type JsonObject,
  type JsonValue,
  type Schema,
  SchemaError,
  type SchemaErrorCode,
  atPointer,
  canonicalise,
  canonicaliseWithOrigins,
  isJsonObject,
  pointer,
  pointerTokens,
  readSchema,
} from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import type { CodeOfError } from "../diagnostics/catalogue.js";
import { closest } from "../diagnostics/suggest.js";
import { type Corrected, applyNotes } from "../notes/apply.js";
import type { Note } from "../notes/note.js";
import type { Documentation } from "./documentation.js";
import type { JsonFile } from "../files/json-file.js";

const codes: { readonly [C in SchemaErrorCode]: CodeOfError } = {
  "not-a-schema": "MG1101",
  "malformed-keyword": "MG1102",
  "unsupported-keyword": "MG1103",
  "unsupported-dialect": "MG1104",
  "unresolved-reference": "MG1105",
  "remote-reference": "MG1106",
  "circular-reference": "MG1107",
  "too-deep": "MG1108",
  "unsafe-pattern": "MG1110",
};

const advice: { readonly [C in SchemaErrorCode]: string } = {
  "not-a-schema": "Check that this is a JSON Schema file.",
  "malformed-keyword": "Correct the keyword's value.",
  "unsupported-keyword": "Remove the keyword, or give it a name that starts with x- if it is your own.",
  "unsupported-dialect": "Convert the file, or correct its $schema.",
  "unresolved-reference": "Correct the reference, or add what it names.",
  "remote-reference": "Bundle the schemas into one file.",
  "circular-reference": "Correct one of the references.",
  "too-deep": "Give parts of the schema names under $defs.",
  "unsafe-pattern": "Bound the group or the counts, or check the text in the handler.",
};

/**
 * Runs `work` on a schema from `file`; an error of the engine becomes a coded one with the place in the
 * file (line and column where the text is at hand).
 */
export async function withPlaces<T>(
  source: Pick<JsonFile, "file"> & { text?: string },
  work: () => T,
): Promise<T> {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const at = source.text === undefined ? error.pointer : writtenPlace(source.text, error.pointer);
    const position =
      source.text === undefined ? {} : (await import("../files/positions.js")).positionOf(source.text, at);
    const suggestion = error.code === "unsupported-dialect" ? undefined : closestTo(error);
    throw new CodedError(codes[error.code], error.message, {
      place: { file: source.file, pointer: at, ...position },
      next: suggestion === undefined ? advice[error.code] : `Did you mean ${suggestion}?`,
      cause: error,
    });
  }
}

/** The place in the file for a place in its canonical form, where names and order may differ. */
function writtenPlace(text: string, at: string): string {
  let place = "";
  try {
    const { canonical, origins } = canonicaliseWithOrigins(JSON.parse(text) as JsonValue);
    let value: JsonValue | undefined = canonical;
    for (const token of pointerTokens(at)) {
      value = typeof value === "object" ? atPointer(value, pointer("", token)) : undefined;
      place = (isJsonObject(value) ? origins.get(value) : undefined) ?? pointer(place, token);
    }
  } catch {
    // The file has no canonical form: what was wrong with it is named as it was written.
    return at;
  }
  return place;
}

function closestTo({ message, candidates }: SchemaError): string | undefined {
  const name = /"([^"]+)"/.exec(message)?.[1];
  return name === undefined ? undefined : closest(name, candidates);
}

/**
 * The canonical form of a schema file; must define something.
 *
 * @param options.next what to do about a file without definitions
 */
export async function canonicalDocument(
  source: JsonFile,
  {
    next = "Check that this is the schema of a protocol revision.",
    ...options
  }: { descriptions?: boolean; next?: string } = {},
): Promise<JsonObject> {
  const document = await withPlaces(source, () => canonicalise(source.value, options));
  const definitions: JsonValue | undefined = document["$defs"];
  if (!isJsonObject(definitions) || Object.keys(definitions).length === 0) {
    throw new CodedError("MG1109", "expected definitions under $defs, got none", {
      place: { file: source.file, pointer: "" },
      next,
    });
  }
  return document;
}

/** A schema read, with what stands beside it applied. */
interface AnnotatedSchema {
  readonly schema: Schema;
  readonly corrected: Corrected;
}

/**
 * Applies notes and documentation to a canonical document and reads the result.
 *
 * @param source names the file in errors; `text` gives them lines
 */
export async function annotateSchema(
  source: { readonly file: string; readonly text?: string },
  document: JsonObject,
  notes: readonly Note[],
  { docs, revision }: { readonly docs: Documentation; readonly revision: string },
): Promise<AnnotatedSchema> {
  const corrected = applyNotes(document, notes);
  const schema = await withPlaces(source, () =>
    readSchema(corrected.document, {
      nodeRemarks: (at) => {
        const description = docs.at(at, revision);
        const remarks = corrected.nodeRemarks.get(at);
        return description === undefined ? remarks : { description, ...remarks };
      },
      definitionRemarks: (name) => corrected.definitionRemarks.get(name),
    }),
  );
  return { schema, corrected };
}
