import { type JsonObject, type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";
import type { JsonFile } from "../files/json-file.js";
import type { Note, NoteKind } from "./note.js";

type Check = (value: JsonValue) => boolean;

interface Field {
  readonly expected: string;
  readonly check: Check;
  readonly optional?: true;
}

const string: Field = { expected: "a string", check: (value) => typeof value === "string" };
const side: Field = {
  expected: '"client" or "server"',
  check: (value) => value === "client" || value === "server",
};

const capability: Field = {
  expected: "a JSON Pointer into the capabilities, such as /resources/subscribe",
  check: (value) => value !== "" && isPointer(value),
};

/** The member, with its value, that distinguishes a result. */
const mark: Field = {
  expected: "an object of one string",
  check: (value) =>
    isJsonObject(value) &&
    Object.values(value)
      .map((member) => typeof member)
      .join() === "string",
};

function areTexts(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function optional(field: Field): Field {
  return { ...field, optional: true };
}

/** The outcomes of a step, each with the fields of which it needs exactly one. */
const outcomes: { readonly [how: string]: readonly string[] } = {
  drop: [],
  text: ["text", "into"],
  refuse: ["code"],
  fill: ["value"],
  keep: [],
};

const step: { readonly [field: string]: Field } = {
  previous: string,
  how: {
    expected: `one of ${Object.keys(outcomes).join(", ")}`,
    check: (value) => typeof value === "string" && Object.hasOwn(outcomes, value),
  },
  code: optional({
    expected: "a name in lower case, with hyphens",
    check: (value) => typeof value === "string" && /^[a-z][a-z0-9-]*$/.test(value),
  }),
  text: optional(string),
  into: optional(string),
  value: optional({ expected: "a JSON value", check: () => true }),
  cases: optional({
    expected: 'an array of { "of": a text, number, boolean or null, "value": … }',
    check: (value) => Array.isArray(value) && value.every(isCase),
  }),
};

function isCase(entry: JsonValue): boolean {
  if (!isJsonObject(entry) || Object.keys(entry).sort().join() !== "of,value") return false;
  return typeof entry["of"] !== "object" || entry["of"] === null;
}

/** The fields each kind has beside `kind`, `target`, `reason`, `link`, `carried` and `bases`. */
const fieldsOf: { readonly [K in NoteKind]: { readonly [field: string]: Field } } = {
  errata: {
    becomes: optional({
      expected: "a schema",
      check: (value) => isJsonObject(value) || typeof value === "boolean",
    }),
    type: optional(string),
  },
  extends: { base: string },
  pairing: {
    result: string,
    alternatives: optional({ expected: "an array of definition names", check: areTexts }),
    alternativeCapability: optional(capability),
    alternativeMark: optional(mark),
  },
  sender: {
    sender: {
      expected: '"client", "server" or "both"',
      check: (value) => value === "both" || side.check(value),
    },
  },
  capability: {
    of: side,
    capability,
    parts: optional({ expected: "an array of members of the capability", check: areTexts }),
  },
  header: {
    header: {
      expected: "a name of an HTTP header: letters, digits and hyphens, such as Mcp-Name",
      check: (value) => typeof value === "string" && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value),
    },
    from: { expected: "a JSON Pointer or null", check: (value) => value === null || isPointer(value) },
  },
  cacheable: {},
  multiRoundTrip: {},
  listening: {},
  subscription: {
    filter: {
      expected: "a JSON Pointer of a member of the filter, such as /$defs/Filter/properties/toolsListChanged",
      check: (value) => value !== "" && isPointer(value),
    },
    key: optional(string),
  },
  requires: { of: side, capability: optional(capability), error: optional(string) },
  augments: { result: string, mark: optional(mark) },
  member: {
    member: {
      expected: "a JSON Pointer into the object, such as /_meta/com.example~1color",
      check: (value) => value !== "" && isPointer(value),
    },
    definition: string,
    required: optional({ expected: "true or false", check: (value) => typeof value === "boolean" }),
  },
  carries: { of: string },
  channel: { sender: string, receiver: string, message: optional(string), result: optional(string) },
  transport: {},
  owned: {},
  deprecated: { since: string, instead: optional(string) },
  error: {
    name: string,
    http: optional({ expected: "an HTTP status", check: (value) => Number.isInteger(value) }),
  },
  open: {},
  renamed: { previous: string, from: string },
  wrapped: { previous: string, in: string },
  lower: step,
  lift: step,
};

function isPointer(value: JsonValue): boolean {
  return typeof value === "string" && (value === "" || value.startsWith("/"));
}

/** Kinds of notes that only extensions have. */
export const extensionKinds: ReadonlySet<NoteKind> = new Set([
  "requires",
  "augments",
  "member",
  "carries",
  "channel",
]);

/** Kinds of notes that only revisions have. */
const revisionKinds: ReadonlySet<NoteKind> = new Set(["transport"]);

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
    next = "See docs/notes.md for the form of each kind.",
  ): CodedError => new CodedError("MG1201", message, { place: { file, pointer: at }, next });

  if (!isJsonObject(value) || value["format"] !== 1 || !Array.isArray(value["notes"])) {
    throw malformed("", 'expected { "format": 1, "notes": [ … ] }');
  }
  return value["notes"].map((entry, index) => {
    const at = pointer("/notes", index);
    const note = parseNote(entry, at, malformed);
    const stray = bases ? revisionKinds : extensionKinds;
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
  if (!areTexts(limited) || (limited as string[]).length === 0)
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
  if (typeof kind !== "string" || !Object.hasOwn(fieldsOf, kind)) {
    const suggestion = typeof kind === "string" ? closest(kind, Object.keys(fieldsOf)) : undefined;
    throw malformed(
      `${at}/kind`,
      `expected one of ${Object.keys(fieldsOf).join(", ")}, got ${JSON.stringify(kind)}`,
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
  const fields = fieldsOf[kind];
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
  if (fields === step) checkStep(result, at, malformed);
  return result;
}

/** A step note has the field that its outcome needs, and no field of another outcome. */
function checkStep(fields: JsonObject, at: string, malformed: Malformed): void {
  const how = fields["how"] as string;
  const fitting = outcomes[how]!;
  const given = Object.values(outcomes).flatMap((names) => names.filter((name) => name in fields));
  const stray = given.find((name) => !fitting.includes(name));
  if (stray !== undefined)
    throw malformed(pointer(at, stray), `"how": ${JSON.stringify(how)} has no ${JSON.stringify(stray)}`);
  if (fitting.length > 0 && given.length !== 1) {
    const names = fitting.map((name) => JSON.stringify(name)).join(" or ");
    throw malformed(at, `"how": ${JSON.stringify(how)} needs ${names}`);
  }
}
