import {
  type JsonObject,
  type JsonValue,
  type Schema,
  type SchemaErrorCode,
  SchemaError,
  atPointer,
  canonicalise,
  canonicaliseWithOrigins,
  isJsonObject,
  pointer,
  pointerTokens,
  readSchema,
  escapeToken,
} from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import type { CodeOfError } from "../diagnostics/catalogue.js";
import { closest } from "../diagnostics/suggest.js";
import { type Corrected, applyNotes } from "../notes/apply.js";
import { type Note, isDate } from "../notes/note.js";
import { type JsonFile, loadJson } from "../files/json-file.js";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type SourceFile, type SourcePlace, readSource } from "../files/source.js";
import { type LockedRevision, releasedRevisions } from "./lock.js";

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
 * Runs `work` on a schema from `file`. An error of the engine becomes a coded error with the place in the
 * file (line and column if its text is given).
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
      source.text === undefined ? {} : (await import("../files/json-file.js")).positionOf(source.text, at);
    const suggestion = error.code === "unsupported-dialect" ? undefined : closestTo(error);
    throw new CodedError(codes[error.code], error.message, {
      place: { file: source.file, pointer: at, ...position },
      next: suggestion === undefined ? advice[error.code] : `Did you mean ${suggestion}?`,
      cause: error,
    });
  }
}

/** Maps a place in the canonical form to the original file, where names and order may differ. */
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
    // The file has no canonical form, so the place already refers to the original.
    return at;
  }
  return place;
}

function closestTo({ message, candidates }: SchemaError): string | undefined {
  const name = /"([^"]+)"/.exec(message)?.[1];
  return name === undefined ? undefined : closest(name, candidates);
}

/**
 * The canonical form of a schema file, which must have at least one definition.
 *
 * @param options.next advice for a file without definitions
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

/** A parsed schema with documentation and notes applied. */
interface AnnotatedSchema {
  readonly schema: Schema;
  readonly corrected: Corrected;
}

/**
 * Applies notes and documentation to a canonical document and reads the result.
 *
 * @param source file for errors; `text` provides line numbers
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

/**
 * mcpgen's documentation of the protocol (schema/docs.json), shared by revisions; texts may differ between
 * them.
 */
export interface Documentation {
  definition(name: string, revision: string): string | undefined;
  method(name: string, revision: string): string | undefined;
  /** URL of the specification page about a method of a revision. */
  page(method: string, revision: string): string | undefined;
  /** The text for the node at a JSON Pointer into a canonical schema. */
  at(pointer: string, revision: string): string | undefined;
}

/**
 * Key of the text for revisions older than all others named. A revision without a date counts as the newest.
 */
const always = "*";

const site = "https://modelcontextprotocol.io/specification";

/** No documentation, for schemas that are not the project's. */
export const undocumented: Documentation = {
  definition: () => undefined,
  method: () => undefined,
  page: () => undefined,
  at: () => undefined,
};

/** @throws CodedError MG1204 if docs.json does not have the form in docs/notes.md */
export async function loadDocumentation(schemaDir: string): Promise<Documentation> {
  const file = join(schemaDir, "docs.json");
  if (!existsSync(file)) return undocumented;
  const { value } = await loadJson(file);
  if (!isJsonObject(value) || value["format"] !== 1) {
    throw new CodedError("MG1204", 'expected { "format": 1, "definitions": { … }, … }', {
      place: { file },
      next: "Restore the file from version control.",
    });
  }
  return documentation(value);
}

export function documentation(content: JsonObject): Documentation {
  const table = (name: string): JsonObject => objectOf(content[name]);
  const definitions = table("definitions");
  const properties = table("properties");
  const shared = table("shared");
  return {
    definition: (name, revision) => text(definitions, name, revision),
    method: (name, revision) => text(table("methods"), name, revision),
    page: (method, revision) => {
      const page = own(objectOf(own(table("pages"), method)), revision);
      return typeof page === "string" ? `${site}/${revision}/${page}` : undefined;
    },
    at: (pointer, revision) => {
      const place = documentedPlace(pointer);
      if (!place) return undefined;
      if (place.path === "") return text(definitions, place.definition, revision);
      const known = objectOf(own(properties, place.definition));
      return text(known, place.path, revision) ?? text(shared, place.property, revision);
    },
  };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * The text under `key`: common to all revisions, or the one of the latest key that is not newer than the
 * revision.
 */
function text(object: JsonObject, key: string, revision: string): string | undefined {
  const value = own(object, key);
  if (typeof value === "string") return value;
  const texts = objectOf(value);
  // In code unit order, the key for all earlier revisions precedes every date.
  const since = Object.keys(texts)
    .filter((first) => first === always || !isDate(revision) || first <= revision)
    .sort()
    .at(-1);
  const chosen = since === undefined ? undefined : texts[since];
  return typeof chosen === "string" ? chosen : undefined;
}

/**
 * The definition, and the path of properties below it, that a pointer leads to; `undefined` for a place that
 * is neither a definition nor a property. Items, arms and the like add nothing to the path.
 */
function documentedPlace(
  pointer: string,
): { definition: string; path: string; property: string } | undefined {
  const [holder, definition, ...rest] = pointerTokens(pointer);
  if (holder !== "$defs" || definition === undefined) return undefined;
  const path: string[] = [];
  let isProperty = rest.length === 0;
  for (let index = 0; index < rest.length; index++) {
    const keyword = rest[index]!;
    isProperty = keyword === "properties";
    if (isProperty) path.push(rest[++index] ?? "");
    else if (["anyOf", "oneOf", "allOf", "prefixItems", "patternProperties"].includes(keyword)) index++;
  }
  if (!isProperty) return undefined;
  return { definition, path: path.map(escapeToken).join("/"), property: path.at(-1) ?? "" };
}

/** A schema file as received, with the facts that the lock records. */
export interface UpstreamFile extends SourceFile {
  /** The commit in the URL. */
  readonly commit?: string;
  /** The entry in mcpgen's lock, if the file is a copy of a released revision. */
  readonly released?: LockedRevision;
}

/**
 * Reads a schema file from a SOURCE.
 *
 * @throws CodedError MG10xx for a file that is not JSON, MG40xx if a server does not deliver it
 */
export async function readUpstream(source: string, place: SourcePlace): Promise<UpstreamFile> {
  const file = await readSource(source, place);
  const commit = file.url === undefined ? undefined : /\b[0-9a-f]{40}\b/.exec(file.url)?.[0];
  return { ...file, ...(commit !== undefined && { commit }) };
}

/**
 * Reads the schema of a released revision by name, or a schema file from a SOURCE. Errors as for
 * `readUpstream`.
 */
export async function readRevision(source: string, place: SourcePlace): Promise<UpstreamFile> {
  const named = releasedRevisions().get(source);
  if (!named) return readUpstream(source, place);
  const file = await loadJson(join(named.folder, source, "schema.json"));
  const { sha256 } = named.locked.upstream;
  return { ...file, sha256, released: named.locked };
}
