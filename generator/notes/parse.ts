import { type JsonObject, isJsonObject, pointer } from "@mcpgen/engine";
import type { NoteKind, Note } from "./note.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { errorOfFaults, FileForm } from "../files/file-form.js";
import type { JsonFile } from "../files/json-file.js";
import { type Malformed, readMembers, expressionSchemas } from "./expression.js";

/** A field of a kind of note. */
interface Field {
  readonly schema: JsonObject;
  readonly optional?: true;
}

type Fields = Readonly<Record<string, Field>>;

/** A kind of note: its meaning in one sentence, and its fields besides the common ones. */
interface KindOfNote {
  readonly description: string;
  readonly fields: Fields;
}

const field = (description: string, schema: JsonObject): Field => ({ schema: { ...schema, description } });

const optional = ({ schema }: Field): Field => ({ schema, optional: true });

const choice = (description: string, choices: readonly string[]): Field =>
  field(description, { enum: [...choices] });

const textLike = (pattern: string, example: string, description: string): Field =>
  field(description, { type: "string", pattern, examples: [example] });

/** Any string, also an empty one: a text that people read has its pattern. */
const string = field("A string.", { type: "string" });
const side = choice('"client" or "server".', ["client", "server"]);
const texts: JsonObject = { type: "array", items: { type: "string" } };

const capabilityPath: JsonObject = { type: "string", pattern: "^/", examples: ["/resources/subscribe"] };
const capability = field(
  "A JSON Pointer into the capabilities, such as /resources/subscribe.",
  capabilityPath,
);

/** The member and value that distinguish a result. */
const markSchema: JsonObject = {
  type: "object",
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: { type: "string" },
};
const mark = field("An object of one string.", markSchema);

/** Names of definitions, or definitions with separate mark and capability. */
const alternatives = field(
  'An array of definition names, or of { "definition": …, "mark": { member: text }, "capability": JSON Pointer }, of which the last two are optional.',
  {
    type: "array",
    items: {
      anyOf: [
        { type: "string" },
        {
          type: "object",
          properties: { definition: { type: "string" }, mark: markSchema, capability: capabilityPath },
          required: ["definition"],
          additionalProperties: false,
        },
      ],
    },
  },
);

/** Members by expressions; `readMembers` reads the expressions. */
const made = field("An object with an expression for each member to make.", {
  $ref: "#/$defs/made",
  minProperties: 1,
});

/** The fields of an outcome. */
interface OutcomeFields {
  /** Exactly one of these fields is required. */
  readonly needs: readonly string[];
  /** These fields are optional. */
  readonly may: readonly string[];
}

/** The possible outcomes of a step. */
const outcomes: { readonly [how: string]: OutcomeFields } = {
  drop: { needs: [], may: [] },
  text: { needs: ["text", "into"], may: [] },
  refuse: { needs: ["code"], may: [] },
  fill: { needs: ["value"], may: [] },
  keep: { needs: [], may: ["into"] },
  lists: { needs: ["members"], may: [] },
};

/** All fields that belong to an outcome. */
const outcomeFields: readonly string[] = [
  ...new Set(Object.values(outcomes).flatMap(({ needs, may }) => [...needs, ...may])),
];

/** The fields of a decision about values that the other revision cannot express. */
const stepFields: Fields = {
  previous: string,
  how: choice(`One of ${Object.keys(outcomes).join(", ")}.`, Object.keys(outcomes)),
  code: optional(textLike("^[a-z][a-z0-9-]*$", "no-such-value", "A name in lower case, with hyphens.")),
  text: optional(string),
  into: optional(string),
  members: optional(
    field("An object of strings.", { type: "object", additionalProperties: { type: "string" } }),
  ),
  value: optional(field("A JSON value.", {})),
  cases: optional(
    field('An array of { "of": a text, number, boolean or null, "value": … }.', {
      type: "array",
      items: {
        type: "object",
        properties: { of: { type: ["string", "number", "boolean", "null"] }, value: {} },
        required: ["of", "value"],
        additionalProperties: false,
      },
    }),
  ),
};

/**
 * The kinds of notes, each with its fields besides `kind`, `target`, `reason`, `link`, `carried` and `bases`.
 */
export const kindsOfNotes: { readonly [K in NoteKind]: KindOfNote } = {
  errata: {
    description: "The schema is wrong here: `becomes` replaces the node, `type` only the printed type.",
    fields: {
      becomes: optional(field("A schema.", { type: ["object", "boolean"] })),
      type: optional(string),
    },
  },
  extends: { description: "The definition extends another one.", fields: { base: string } },
  pairing: {
    description: "The definition that answers the method.",
    fields: {
      result: string,
      alternatives: optional(alternatives),
      alternativeCapability: optional(capability),
      alternativeMark: optional(mark),
    },
  },
  sender: {
    description: "The side that sends the method.",
    fields: { sender: choice('"client", "server" or "both".', ["client", "server", "both"]) },
  },
  capability: {
    description: "The capability that gates the method.",
    fields: {
      of: side,
      capability,
      parts: optional(field("An array of members of the capability.", texts)),
    },
  },
  header: {
    description: "An HTTP header that repeats a part of the request.",
    fields: {
      header: textLike(
        "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
        "Mcp-Name",
        "A name of an HTTP header: letters, digits and hyphens, such as Mcp-Name.",
      ),
      from: field("A JSON Pointer or null.", {
        type: ["string", "null"],
        pattern: "^(?:/|$)",
        examples: ["/params/name", null],
      }),
    },
  },
  cacheable: { description: "Results of the method carry cache hints.", fields: {} },
  invalidates: {
    description: "The notification drops cached results of these methods.",
    fields: { methods: field("An array of methods.", { ...texts, minItems: 1 }) },
  },
  partial: {
    description: "The list may leave entries out.",
    fields: {
      member: textLike("^/", "/complete", "A JSON Pointer into the result, such as /complete."),
      means: optional(field("A boolean, a number or a string.", { type: ["boolean", "number", "string"] })),
      item: optional(
        textLike(
          "^/\\$defs/[^/]+$",
          "/$defs/ToolReference",
          "The JSON Pointer of a definition, such as /$defs/ToolReference.",
        ),
      ),
      get: optional(string),
    },
  },
  multiRoundTrip: {
    description: "The method may be answered with a request for input.",
    fields: {},
  },
  listening: {
    description: "The request is answered only when its stream of notifications ends.",
    fields: {},
  },
  subscription: {
    description: "A subscription selects the notification by a member of its filter.",
    fields: {
      filter: textLike(
        "^/",
        "/$defs/Filter/properties/toolsListChanged",
        "A JSON Pointer of a member of the filter, such as /$defs/Filter/properties/toolsListChanged.",
      ),
      key: optional(string),
    },
  },
  requires: {
    description: "A side must have declared the capability (of an extension: or the extension).",
    fields: { of: side, capability: optional(capability), error: optional(string) },
  },
  augments: {
    description: "The method of the base may also be answered with this definition.",
    fields: { result: string, mark: optional(mark) },
  },
  member: {
    description: "Objects of the base have a member that the definition describes.",
    fields: {
      member: textLike(
        "^/",
        "/_meta/com.example~1color",
        "A JSON Pointer into the object, such as /_meta/com.example~1color.",
      ),
      definition: string,
      required: optional(field("True or false.", { type: "boolean" })),
    },
  },
  carries: { description: "The place holds the result of a method.", fields: { of: string } },
  channel: {
    description: "The method travels on the channel of the extension.",
    fields: { sender: string, receiver: string, message: optional(string), result: optional(string) },
  },
  transport: { description: "A fact about HTTP that holds for the revision.", fields: {} },
  owned: { description: "The protocol machinery fills in the property.", fields: {} },
  deprecated: {
    description: "The definition, property or method is deprecated.",
    fields: { since: string, instead: optional(string) },
  },
  error: {
    description: "The name of an error code.",
    fields: { name: string, http: optional(field("An HTTP status.", { type: "integer" })) },
  },
  open: { description: "The union, set of strings or object may grow.", fields: {} },
  renamed: {
    description: "The member had another name in the revision before.",
    fields: { previous: string, from: string },
  },
  wrapped: {
    description: "The members were inside one member in the revision before.",
    fields: { previous: string, in: string },
  },
  reshaped: {
    description: "Members are made by expressions on the way to the revision before, and from there.",
    fields: { previous: string, lift: optional(made), lower: optional(made) },
  },
  lower: {
    description: "What becomes of a value that has no form in the revision before.",
    fields: stepFields,
  },
  lift: {
    description: "What becomes of a value of the revision before that has no form in this one.",
    fields: stepFields,
  },
};

/** Kinds of notes that only extensions have. */
export const extensionKinds: ReadonlySet<NoteKind> = new Set(["augments", "member", "carries", "channel"]);

/** Kinds of notes that only revisions have. */
export const revisionKinds: ReadonlySet<NoteKind> = new Set(["transport"]);

interface ParseOptions {
  /** Set for notes of an extension: its bases. */
  readonly bases?: readonly string[];
}

/** A note as written in the file. */
interface Written {
  readonly kind: NoteKind;
  readonly target: string | readonly string[];
  readonly reason: string;
  readonly link: string;
  readonly carried?: boolean;
  readonly bases?: readonly string[];
  /** Only in some kinds. */
  readonly capability?: string;
  readonly lift?: JsonObject;
  readonly lower?: JsonObject;
}

/**
 * Reads the notes of a notes file.
 *
 * @throws CodedError MG1201 with the place, if the file does not have the form in docs/notes.md
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

  const entries = isJsonObject(value) && Array.isArray(value["notes"]) ? value["notes"] : [];
  const error = errorOfFaults(form.faults(value), (at) => ({ file, pointer: at }));
  if (error) throw error;
  return (entries as unknown as readonly Written[]).map((written, index) => {
    const at = pointer("/notes", index);
    expectOwner(written, at, bases, malformed);
    expectExpressions(written, at, malformed);
    const { kind, target, reason, link, carried = false, bases: limited, ...fields } = written;
    const targets = typeof target === "string" ? [target] : target;
    return {
      ...{ kind, targets, reason, link, carried, pointer: at },
      ...fields,
      ...(limited && { bases: limited }),
    } as Note;
  });
}

/** Checks the expressions of a note for faults that the schema cannot find. */
function expectExpressions({ kind, lift, lower }: Written, at: string, malformed: Malformed): void {
  if (kind !== "reshaped") return;
  for (const [way, members] of Object.entries({ lift, lower }))
    if (members) readMembers(members, pointer(at, way), malformed);
}

/** Rejects notes that are only for revisions, or only for extensions. @param bases bases of the extension */
function expectOwner(
  { kind, capability, bases: limited = [] }: Written,
  at: string,
  bases: readonly string[] | undefined,
  malformed: Malformed,
): void {
  if (!bases && kind === "requires" && capability === undefined)
    throw malformed(
      at,
      'a note of kind requires needs "capability" in a revision: which one a side declares',
    );
  if ((bases ? revisionKinds : extensionKinds).has(kind))
    throw malformed(`${at}/kind`, `notes of kind ${kind} belong to ${bases ? "revisions" : "extensions"}`);
  if (!bases && limited.length > 0) throw malformed(`${at}/bases`, 'notes of a revision have no "bases"');
  const stray = limited.find((base) => !bases!.includes(base));
  if (stray !== undefined)
    throw malformed(
      `${at}/bases`,
      `${JSON.stringify(stray)} is no base of the extension`,
      `Its extension.json has the bases ${bases!.join(", ")}.`,
    );
}

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

export const isKind = (kinds: Iterable<NoteKind>): JsonObject => ({
  properties: { kind: { enum: [...kinds] } },
  required: ["kind"],
});

/** The schema of one kind of note, without further fields. */
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

/** The schema of an outcome: the field it requires, and no field of another outcome. */
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

/** Exactly one of some keys. In this form, an error names a key rather than the whole object. */
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

/**
 * The form of `notes.json` for the reader, which knows whether the notes belong to a revision or an
 * extension.
 */
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

const form = new FileForm(notesForm, { unknownKey: "MG1201", wrongValue: "MG1201" });
