import { type JsonObject, type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";
import type { JsonFile } from "../files/json-file.js";
import { readMembers } from "./expression.js";
import {
  extensionKinds,
  kindsOfNotes,
  outcomeFields,
  outcomes,
  revisionKinds,
  stepFields,
} from "./note-fields.js";
import type { Note, NoteKind } from "./note.js";

interface ParseOptions {
  /** The notes are those of an extension, which has these bases. */
  readonly bases?: readonly string[];
}

/**
 * The notes of a notes file.
 *
 * @throws CodedError MG1201 naming the place for anything that is not of the form docs/notes.md describes
 */
export function parseNotes(
  { value, file }: Pick<JsonFile, "file" | "value">,
  { bases }: ParseOptions = {},
): Note[] {
  const malformed = (
    at: string,
    message: string,
    next = "Correct the note; `mcpgen explain MG1201` says what each kind has.",
  ): CodedError => new CodedError("MG1201", message, { place: { file, pointer: at }, next });

  if (!isJsonObject(value) || value["format"] !== 1 || !Array.isArray(value["notes"])) {
    throw malformed("", 'expected { "format": 1, "notes": [ … ] }');
  }
  return value["notes"].map((entry, index) => {
    const at = pointer("/notes", index);
    const note = parseNote(entry, at, malformed);
    const stray = bases ? revisionKinds : extensionKinds;
    if (!bases && note.kind === "requires" && note.capability === undefined) {
      throw malformed(
        at,
        'a note of kind requires needs "capability" in a revision: which one a side declares',
      );
    }
    if (stray.has(note.kind)) {
      const owner = bases ? "revisions" : "extensions";
      throw malformed(`${at}/kind`, `notes of kind ${note.kind} belong to ${owner}`);
    }
    return { ...note, ...basesOf(entry as JsonObject, at, bases, malformed) };
  });
}

/** The bases that a note of an extension is limited to. */
function basesOf(
  { bases: limited }: JsonObject,
  at: string,
  bases: readonly string[] | undefined,
  malformed: Malformed,
): Pick<Note, "bases"> {
  if (limited === undefined) return {};
  const place = `${at}/bases`;
  if (!bases) throw malformed(place, 'notes of a revision have no "bases"');
  if (!Array.isArray(limited) || limited.length === 0 || !limited.every((base) => typeof base === "string"))
    throw malformed(place, "expected an array of revisions");
  const stray = (limited as string[]).find((base) => !bases.includes(base));
  if (stray !== undefined)
    throw malformed(
      place,
      `${JSON.stringify(stray)} is no base of the extension`,
      `Its extension.json has the bases ${bases.join(", ")}.`,
    );
  return { bases: limited as string[] };
}

type Malformed = (at: string, message: string, next?: string) => CodedError;

function parseNote(entry: JsonValue, at: string, malformed: Malformed): Note {
  if (!isJsonObject(entry)) throw malformed(at, "expected a note (an object)");
  const { kind, target, reason, link, carried = false } = entry;
  if (typeof kind !== "string" || !Object.hasOwn(kindsOfNotes, kind)) {
    const suggestion = typeof kind === "string" ? closest(kind, Object.keys(kindsOfNotes)) : undefined;
    throw malformed(
      `${at}/kind`,
      `expected one of ${Object.keys(kindsOfNotes).join(", ")}, got ${JSON.stringify(kind)}`,
      suggestion && `Did you mean ${suggestion}?`,
    );
  }
  const targets = Array.isArray(target) ? target : [target];
  if (targets.length === 0 || !targets.every((item) => typeof item === "string")) {
    throw malformed(`${at}/target`, "expected a string or an array of strings");
  }
  if (typeof reason !== "string" || reason === "") throw malformed(`${at}/reason`, "expected a sentence");
  if (typeof link !== "string") throw malformed(`${at}/link`, "expected a URL");
  if (typeof carried !== "boolean") throw malformed(`${at}/carried`, "expected true or false");
  const fields = kindFields(kind as NoteKind, entry, at, malformed);
  return { kind, targets, reason, link, carried, pointer: at, ...fields } as Note;
}

function kindFields(kind: NoteKind, entry: JsonObject, at: string, malformed: Malformed): JsonObject {
  const { fields } = kindsOfNotes[kind];
  const common = new Set(["kind", "target", "reason", "link", "carried", "bases"]);
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(entry)) {
    if (common.has(name)) continue;
    const field = Object.hasOwn(fields, name) ? fields[name]! : undefined;
    if (!field) {
      const suggestion = closest(name, Object.keys(fields));
      throw malformed(
        pointer(at, name),
        `a note of kind ${kind} has no field ${JSON.stringify(name)}`,
        suggestion && `Did you mean ${suggestion}?`,
      );
    }
    if (!field.check(value)) throw malformed(pointer(at, name), `expected ${field.expected}`);
    result[name] = value;
  }
  for (const [name, { optional: may, expected }] of Object.entries(fields)) {
    if (!may && !(name in result))
      throw malformed(at, `a note of kind ${kind} needs ${JSON.stringify(name)}: ${expected}`);
  }
  if (kind === "errata" && "becomes" in result === "type" in result) {
    throw malformed(at, 'an errata note has either "becomes" (a schema) or "type" (a TypeScript type)');
  }
  if (kind === "reshaped") checkReshaped(result, at, malformed);
  if (fields === stepFields) checkStep(result, at, malformed);
  return result;
}

/** A note with expressions makes members in one direction at least, and its expressions can be read. */
function checkReshaped(fields: JsonObject, at: string, malformed: Malformed): void {
  const ways = ["lift", "lower"].filter((way) => way in fields);
  if (ways.length === 0)
    throw malformed(
      at,
      'a note of kind reshaped needs "lift" or "lower": expressions for the members to make',
    );
  for (const way of ways) readMembers(fields[way] as JsonObject, pointer(at, way), malformed);
}

/** A step note has the field that its outcome needs, and no field of another outcome. */
function checkStep(fields: JsonObject, at: string, malformed: Malformed): void {
  const how = fields["how"] as string;
  const { needs, may } = outcomes[how]!;
  const given = outcomeFields.filter((name) => name in fields);
  const stray = given.find((name) => !needs.includes(name) && !may.includes(name));
  if (stray !== undefined)
    throw malformed(pointer(at, stray), `"how": ${JSON.stringify(how)} has no ${JSON.stringify(stray)}`);
  if (needs.length > 0 && needs.filter((name) => name in fields).length !== 1) {
    const names = needs.map((name) => JSON.stringify(name)).join(" or ");
    throw malformed(at, `"how": ${JSON.stringify(how)} needs ${names}`);
  }
}
