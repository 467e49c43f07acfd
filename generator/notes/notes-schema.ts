import type { JsonObject } from "@mcpgen/engine";
import { expressionSchemas, memberNames } from "./expression.js";
import {
  extensionKinds,
  kindsOfNotes,
  outcomeFields,
  outcomes,
  revisionKinds,
  stepFields,
} from "./note-fields.js";
import type { NoteKind } from "./note.js";

const text = (description: string): JsonObject => ({ type: "string", description });

/** The fields of every note. */
const common: JsonObject = {
  kind: { enum: Object.keys(kindsOfNotes), description: "Kind of the note." },
  target: {
    description: "What the note is about: a JSON Pointer into schema.json, a method, a code or a fact.",
    type: ["string", "array"],
    minItems: 1,
    items: { type: "string" },
  },
  reason: { ...text("One sentence that says why."), minLength: 1 },
  link: text("Source of the reason."),
  carried: {
    type: "boolean",
    description: "Copied from an older revision, and not confirmed for this one.",
  },
  bases: {
    type: "array",
    minItems: 1,
    items: { type: "string" },
    description: "Of an extension: the bases that the note holds for.",
  },
};

const isKind = (kinds: Iterable<NoteKind>): JsonObject => ({
  properties: { kind: { enum: [...kinds] } },
  required: ["kind"],
});

/** The fields of one kind, and no others. */
function schemaOfKind(kind: NoteKind): JsonObject {
  const { description, fields } = kindsOfNotes[kind];
  const required = Object.keys(fields).filter((name) => fields[name]!.optional === undefined);
  return {
    description,
    properties: {
      ...Object.fromEntries(Object.keys(common).map((name) => [name, {}])),
      ...Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    },
    ...(required.length > 0 && { required }),
    ...(kind === "errata" && oneKeyOf(["becomes", "type"])),
    ...(kind === "reshaped" && { anyOf: [{ required: ["lift"] }, { required: ["lower"] }] }),
    ...(fields === stepFields && { allOf: Object.keys(outcomes).map(schemaOfOutcome) }),
    additionalProperties: false,
  };
}

/** The field that an outcome needs, and none of another outcome. */
function schemaOfOutcome(how: string): JsonObject {
  const { needs, may } = outcomes[how]!;
  const stray = outcomeFields.filter((name) => !needs.includes(name) && !may.includes(name));
  return {
    if: { properties: { how: { const: how } }, required: ["how"] },
    then: {
      properties: Object.fromEntries(stray.map((name) => [name, false])),
      ...(needs.length > 0 && oneKeyOf(needs)),
    },
  };
}

/** One of some keys, and no second one: in this form, an error is about a key, not about the whole object. */
function oneKeyOf(names: readonly string[]): JsonObject {
  if (names.length === 1) return { required: [...names] };
  const others = (index: number): JsonObject =>
    Object.fromEntries(names.slice(index + 1).map((name) => [name, false]));
  return {
    anyOf: names.map((name) => ({ required: [name] })),
    dependentSchemas: Object.fromEntries(
      names.slice(0, -1).map((name, index) => [name, { properties: others(index) }]),
    ),
  };
}

const kinds = Object.keys(kindsOfNotes) as NoteKind[];

/** The JSON Schema of `notes.json`, by which the reader judges: it knows whether it reads notes of a revision or an extension. */
export const notesForm = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "mcpgen notes",
  description: "What the schema of a revision or extension does not say, or has wrong.",
  type: "object",
  properties: {
    $schema: { description: "Location of this schema, for editors." },
    format: { enum: [1], description: "Form of the file." },
    notes: { type: "array", items: { $ref: "#/$defs/note" } },
  },
  required: ["format", "notes"],
  $defs: {
    note: {
      type: "object",
      properties: common,
      required: ["kind", "target", "reason", "link"],
      allOf: kinds.map((kind) => ({ if: isKind([kind]), then: { $ref: `#/$defs/${kind}` } })),
    },
    ...Object.fromEntries(kinds.map((kind) => [kind, schemaOfKind(kind)])),
    ...expressionSchemas,
  },
} satisfies JsonObject;

/**
 * The JSON Schema of `notes.json`, of revisions and of extensions. It is written to docs/notes.schema.json for editors.
 * A file has notes that only extensions have, or notes that only revisions have, but not both.
 */
export const notesSchema: JsonObject = {
  ...notesForm,
  if: {
    properties: {
      notes: { contains: { anyOf: [{ required: ["bases"] }, isKind(extensionKinds)] } },
    },
  },
  then: { properties: { notes: { items: { not: isKind(revisionKinds) } } } },
  // Of an extension, it may be the extension itself that is required.
  allOf: [
    {
      if: { properties: { notes: { contains: isKind(revisionKinds) } } },
      then: {
        properties: {
          notes: { items: { if: isKind(["requires"]), then: { required: ["capability"] } } },
        },
      },
    },
  ],
  $defs: {
    ...notesForm.$defs,
    made: { ...expressionSchemas.made, propertyNames: memberNames },
  },
};
