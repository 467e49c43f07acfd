import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { NoteKind } from "./note.js";

/** The values of a field: for the reader, and as a JSON Schema for editors. */
export interface Field {
  readonly expected: string;
  readonly check: (value: JsonValue) => boolean;
  /** The same as `check`, as a JSON Schema. */
  readonly schema: JsonObject;
  readonly optional?: true;
}

export type Fields = Readonly<Record<string, Field>>;

/** A kind of note: its meaning in one sentence, and the fields that it has beside the common ones. */
export interface KindOfNote {
  readonly description: string;
  readonly fields: Fields;
}

const isText = (value: JsonValue): value is string => typeof value === "string";
const string: Field = { expected: "a string", check: isText, schema: { type: "string" } };
const side = choice('"client" or "server"', ["client", "server"]);
const texts = {
  check: (value: JsonValue): boolean => Array.isArray(value) && value.every(isText),
  schema: { type: "array", items: { type: "string" } },
};
const someTexts = {
  check: (value: JsonValue): boolean => texts.check(value) && (value as readonly string[]).length > 0,
  schema: { ...texts.schema, minItems: 1 },
};
const pointer = textLike("^/", "a JSON Pointer into the capabilities, such as /resources/subscribe");

/** The member, with its value, that distinguishes a result. */
const mark: Field = {
  expected: "an object of one string",
  check: (value) =>
    isJsonObject(value) &&
    Object.values(value)
      .map((member) => typeof member)
      .join() === "string",
  schema: {
    type: "object",
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: { type: "string" },
  },
};

/** Names of definitions, or definitions with their own mark and capability. */
const alternatives: Field = {
  expected:
    'an array of definition names, or of { "definition": …, "mark": { member: text }, "capability": JSON Pointer }, of which the last two are optional',
  check: (value) => Array.isArray(value) && value.every((each) => isText(each) || isAlternative(each)),
  schema: {
    type: "array",
    items: {
      anyOf: [
        { type: "string" },
        {
          type: "object",
          properties: {
            definition: { type: "string" },
            mark: mark.schema,
            capability: pointer.schema,
          },
          required: ["definition"],
          additionalProperties: false,
        },
      ],
    },
  },
};

function isAlternative(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { definition, mark: own, capability, ...others } = value;
  return (
    definition !== undefined &&
    isText(definition) &&
    (own === undefined || mark.check(own)) &&
    (capability === undefined || pointer.check(capability)) &&
    Object.keys(others).length === 0
  );
}

function choice(expected: string, choices: readonly string[]): Field {
  return {
    expected,
    check: (value) => isText(value) && choices.includes(value),
    schema: { enum: [...choices] },
  };
}

function textLike(pattern: string, expected: string): Field {
  const expression = new RegExp(pattern, "u");
  return {
    expected,
    check: (value) => isText(value) && expression.test(value),
    schema: { type: "string", pattern },
  };
}

/** Members by expressions; `readMembers` reads the expressions. */
const made: Field = {
  expected: "an object with an expression for each member to make",
  check: (value) => isJsonObject(value) && Object.keys(value).length > 0,
  schema: { $ref: "#/$defs/made", minProperties: 1 },
};

function optional(field: Field): Field {
  return { ...field, optional: true };
}

/** The fields of an outcome. */
interface OutcomeFields {
  /** It needs exactly one of these. */
  readonly needs: readonly string[];
  /** It may have these. */
  readonly may: readonly string[];
}

/** The outcomes of a step. */
export const outcomes: { readonly [how: string]: OutcomeFields } = {
  drop: { needs: [], may: [] },
  text: { needs: ["text", "into"], may: [] },
  refuse: { needs: ["code"], may: [] },
  fill: { needs: ["value"], may: [] },
  keep: { needs: [], may: ["into"] },
  lists: { needs: ["members"], may: [] },
};

/** The fields that belong to outcomes. */
export const outcomeFields: readonly string[] = [
  ...new Set(Object.values(outcomes).flatMap(({ needs, may }) => [...needs, ...may])),
];

/** The fields of a decision about values at another revision. */
export const stepFields: Fields = {
  previous: string,
  how: choice(`one of ${Object.keys(outcomes).join(", ")}`, Object.keys(outcomes)),
  code: optional(textLike("^[a-z][a-z0-9-]*$", "a name in lower case, with hyphens")),
  text: optional(string),
  into: optional(string),
  members: optional({
    expected: "an object of strings",
    check: (value) => isJsonObject(value) && Object.values(value).every(isText),
    schema: { type: "object", additionalProperties: { type: "string" } },
  }),
  value: optional({ expected: "a JSON value", check: () => true, schema: {} }),
  cases: optional({
    expected: 'an array of { "of": a text, number, boolean or null, "value": … }',
    check: (value) => Array.isArray(value) && value.every(isCase),
    schema: {
      type: "array",
      items: {
        type: "object",
        properties: { of: { type: ["string", "number", "boolean", "null"] }, value: {} },
        required: ["of", "value"],
        additionalProperties: false,
      },
    },
  }),
};

function isCase(entry: JsonValue): boolean {
  if (!isJsonObject(entry) || Object.keys(entry).sort().join() !== "of,value") return false;
  return typeof entry["of"] !== "object" || entry["of"] === null;
}

/** The kinds, with the fields each has beside `kind`, `target`, `reason`, `link`, `carried` and `bases`. */
export const kindsOfNotes: { readonly [K in NoteKind]: KindOfNote } = {
  errata: {
    description: "The schema is wrong here: `becomes` replaces the node, `type` only the printed type.",
    fields: {
      becomes: optional({
        expected: "a schema",
        check: (value) => isJsonObject(value) || typeof value === "boolean",
        schema: { type: ["object", "boolean"] },
      }),
      type: optional(string),
    },
  },
  extends: { description: "The definition extends another one.", fields: { base: string } },
  pairing: {
    description: "The definition that answers the method.",
    fields: {
      result: string,
      alternatives: optional(alternatives),
      alternativeCapability: optional(pointer),
      alternativeMark: optional(mark),
    },
  },
  sender: {
    description: "The side that sends the method.",
    fields: { sender: choice('"client", "server" or "both"', ["client", "server", "both"]) },
  },
  capability: {
    description: "The capability that gates the method.",
    fields: {
      of: side,
      capability: pointer,
      parts: optional({ expected: "an array of members of the capability", ...texts }),
    },
  },
  header: {
    description: "An HTTP header that repeats a part of the request.",
    fields: {
      header: textLike(
        "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
        "a name of an HTTP header: letters, digits and hyphens, such as Mcp-Name",
      ),
      from: {
        expected: "a JSON Pointer or null",
        check: (value) => value === null || (isText(value) && /^(?:\/|$)/.test(value)),
        schema: { type: ["string", "null"], pattern: "^(?:/|$)" },
      },
    },
  },
  cacheable: { description: "Results of the method carry cache hints.", fields: {} },
  invalidates: {
    description: "The notification drops cached results of these methods.",
    fields: { methods: { expected: "an array of methods", ...someTexts } },
  },
  partial: {
    description: "The list may leave entries out.",
    fields: {
      member: textLike("^/", "a JSON Pointer into the result, such as /complete"),
      means: optional({
        expected: "a boolean, a number or a string",
        check: (value) => ["boolean", "number", "string"].includes(typeof value),
        schema: { type: ["boolean", "number", "string"] },
      }),
      item: optional(
        textLike("^/\\$defs/[^/]+$", "the JSON Pointer of a definition, such as /$defs/ToolReference"),
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
        "a JSON Pointer of a member of the filter, such as /$defs/Filter/properties/toolsListChanged",
      ),
      key: optional(string),
    },
  },
  requires: {
    description: "A side must have declared the capability (of an extension: or the extension).",
    fields: { of: side, capability: optional(pointer), error: optional(string) },
  },
  augments: {
    description: "The method of the base may also be answered with this definition.",
    fields: { result: string, mark: optional(mark) },
  },
  member: {
    description: "Objects of the base have a member that the definition describes.",
    fields: {
      member: textLike("^/", "a JSON Pointer into the object, such as /_meta/com.example~1color"),
      definition: string,
      required: optional({
        expected: "true or false",
        check: (value) => typeof value === "boolean",
        schema: { type: "boolean" },
      }),
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
    fields: {
      name: string,
      http: optional({
        expected: "an HTTP status",
        check: (value) => Number.isInteger(value),
        schema: { type: "integer" },
      }),
    },
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
