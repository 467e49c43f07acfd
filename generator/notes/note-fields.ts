import type { JsonObject } from "@mcpgen/engine";
import type { NoteKind } from "./note.js";

/** A field of a kind of note. */
export interface Field {
  readonly schema: JsonObject;
  readonly optional?: true;
}

export type Fields = Readonly<Record<string, Field>>;

/** A kind of note: its meaning in one sentence, and the fields that it has beside the common ones. */
export interface KindOfNote {
  readonly description: string;
  readonly fields: Fields;
}

const field = (description: string, schema: JsonObject): Field => ({ schema: { ...schema, description } });

const optional = ({ schema }: Field): Field => ({ schema, optional: true });

const choice = (description: string, choices: readonly string[]): Field =>
  field(description, { enum: [...choices] });

const textLike = (pattern: string, example: string, description: string): Field =>
  field(description, { type: "string", pattern, examples: [example] });

const string = field("A string.", { type: "string" });
const side = choice('"client" or "server".', ["client", "server"]);
const texts: JsonObject = { type: "array", items: { type: "string" } };

const capabilityPath: JsonObject = { type: "string", pattern: "^/", examples: ["/resources/subscribe"] };
const capability = field(
  "A JSON Pointer into the capabilities, such as /resources/subscribe.",
  capabilityPath,
);

/** The member, with its value, that distinguishes a result. */
const markSchema: JsonObject = {
  type: "object",
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: { type: "string" },
};
const mark = field("An object of one string.", markSchema);

/** Names of definitions, or definitions with their own mark and capability. */
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

/** The kinds, with the fields each has beside `kind`, `target`, `reason`, `link`, `carried` and `bases`. */
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
