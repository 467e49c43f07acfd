import type { JsonObject, JsonValue } from "@mcpgen/engine";

/** A schema of arguments, literals that it accepts, and literals that it refuses for their type. */
export interface SchemaRow {
  readonly name: string;
  readonly schema: JsonObject;
  readonly good: readonly JsonValue[];
  readonly wrong: readonly JsonValue[];
}

const draft = { type: "object", properties: { title: { type: "string" }, body: { type: "string" } } };
const untyped = { properties: { title: { type: "string" }, next: { $ref: "#/$defs/Node" } } };
const placed = { properties: { at: { properties: { street: { type: "string" } } } } };
const furtherPlaced = { properties: { at: { additionalProperties: { type: "string" } } } };
const by = { by: { enum: ["mail", "post"] } };

/** One row for each way in which a schema may describe a value less exactly, or at another place. */
export const schemaRows: readonly SchemaRow[] = [
  {
    name: "a description alone says nothing",
    schema: { properties: { cell: { description: "Any value." } }, required: ["cell"] },
    good: [{ cell: "a" }, { cell: 5 }, { cell: null }, { cell: [1] }, { cell: { a: 1 } }],
    wrong: [{}],
  },
  {
    name: "a limit alone is about values of its type",
    schema: { properties: { a: { minLength: 2 }, b: { minimum: 1 } } },
    good: [
      { a: "ab", b: "x" },
      { a: 1, b: { c: 1 } },
    ],
    wrong: [],
  },
  {
    name: "properties without a type are about objects",
    schema: { properties: { a: { properties: { b: { type: "string" } }, required: ["b"] } } },
    good: [{ a: { b: "x" } }, { a: 5 }, { a: null }, { a: ["x"] }],
    wrong: [{ a: { b: 5 } }, { a: {} }],
  },
  {
    name: "items without a type are about arrays",
    schema: { properties: { a: { items: { type: "string" } } } },
    good: [{ a: ["x"] }, { a: 5 }, { a: { b: 1 } }],
    wrong: [{ a: [5] }],
  },
  {
    name: "an object without members, or nothing",
    schema: { properties: { a: { type: ["object", "null"], additionalProperties: false } } },
    good: [{ a: {} }, { a: null }],
    wrong: [{ a: 5 }, { a: { b: 1 } }],
  },
  {
    name: "a type or an object",
    schema: { properties: { a: { type: ["object", "string"] } } },
    good: [{ a: {} }, { a: { b: 1 } }, { a: "x" }],
    wrong: [{ a: 5 }, { a: true }],
  },
  {
    name: "a constant object",
    schema: { properties: { a: { enum: [{}, [{ b: {} }]] } } },
    good: [{ a: {} }, { a: [{ b: {} }] }],
    wrong: [{ a: 5 }, { a: [{ b: 1 }] }],
  },
  {
    name: "a constant that other keywords refuse",
    schema: { properties: { a: { type: "string", enum: ["x", 1, null] } } },
    good: [{ a: "x" }],
    wrong: [{ a: 1 }, { a: null }],
  },
  {
    name: "not null",
    schema: { properties: { a: { not: { type: "null" } } } },
    good: [{ a: 1 }, { a: "x" }, { a: {} }],
    wrong: [{ a: null }],
  },
  {
    name: "required beside allOf",
    schema: { allOf: [{ $ref: "#/$defs/Draft" }], required: ["title"], $defs: { Draft: draft } },
    good: [{ title: "a" }, { title: "a", body: "b" }],
    wrong: [{}, { body: "b" }, { title: 5 }],
  },
  {
    name: "required inside allOf",
    schema: { properties: { title: { type: "string" } }, allOf: [{ required: ["title"] }] },
    good: [{ title: "a" }],
    wrong: [{}, { title: 5 }],
  },
  {
    name: "required beside a reference",
    schema: {
      properties: { a: { $ref: "#/$defs/Draft", required: ["title"] } },
      $defs: { Draft: draft },
    },
    good: [{ a: { title: "a", body: "b" } }],
    wrong: [{ a: {} }, { a: { title: 5 } }],
  },
  {
    name: "required names that nothing describes",
    schema: { properties: { a: { type: "string" } }, required: ["a", "b"] },
    good: [
      { a: "x", b: 1 },
      { a: "x", b: "y" },
    ],
    wrong: [{ a: "x" }],
  },
  {
    name: "required names, and no other keyword",
    schema: { required: ["a"] },
    good: [{ a: 1 }, { a: "x", b: 2 }],
    wrong: [{}, { b: 2 }],
  },
  {
    name: "one of several required names",
    schema: {
      properties: { a: { type: "string" }, b: { type: "number" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    good: [{ a: "x" }, { b: 1 }, { a: "x", b: 1 }],
    wrong: [{}, { a: 5 }],
  },
  {
    name: "members of two parts",
    schema: { allOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "number" } } }] },
    good: [{ a: "x", b: 1 }, {}],
    wrong: [{ a: 1 }, { b: "x" }],
  },
  {
    name: "members of then and else",
    schema: {
      ...{ properties: by, required: ["by"], if: { properties: { by: { const: "mail" } } } },
      then: { properties: { address: { type: "string" } }, required: ["address"] },
      else: { properties: { street: { type: "string" } } },
    },
    good: [{ by: "mail", address: "a@example.com" }, { by: "post", street: "Main" }, { by: "post" }],
    wrong: [{ by: "mail", address: 5 }, { by: "post", street: 5 }, { by: "fax" }],
  },
  {
    name: "conditions inside allOf",
    schema: {
      properties: by,
      allOf: [
        {
          if: { properties: { by: { const: "mail" } } },
          then: { properties: { address: { type: "string" } } },
        },
        {
          if: { properties: { by: { const: "post" } } },
          then: { properties: { street: { type: "string" } } },
        },
      ],
    },
    good: [
      { by: "mail", address: "a" },
      { by: "post", street: "Main" },
    ],
    wrong: [
      { by: "mail", address: 5 },
      { by: "post", street: 5 },
    ],
  },
  {
    name: "a condition adds members to a member",
    schema: {
      properties: { at: { type: "object", properties: { street: { type: "string" } } }, ...by },
      if: { properties: { by: { const: "post" } } },
      then: { properties: { at: { properties: { zip: { type: "string" } }, required: ["zip"] } } },
    },
    good: [
      { by: "post", at: { street: "Main", zip: "1" } },
      { by: "mail", at: { street: "Main" } },
    ],
    wrong: [{ at: { street: 5 } }, { at: 5 }],
  },
  {
    name: "a condition and a pattern describe a member of a member",
    schema: {
      properties: { at: { if: { type: "number" }, then: { properties: { zip: { type: "string" } } } } },
      patternProperties: { "^a": { properties: { zip: { minLength: 1 } } } },
    },
    good: [{ at: { zip: 5 } }, { at: { zip: "1" } }],
    wrong: [],
  },
  {
    name: "a condition adds members to a member of an arm, of a definition, and of items",
    schema: {
      properties: {
        arm: { oneOf: [placed], if: furtherPlaced },
        definition: { $ref: "#/$defs/Placed", if: furtherPlaced },
        own: { ...placed, $ref: "#/$defs/Further" },
        arms: { oneOf: [placed], anyOf: [{ if: furtherPlaced }, { type: "null" }] },
        idle: { oneOf: [placed], anyOf: [furtherPlaced, {}] },
        inner: { properties: { in: { $ref: "#/$defs/Placed" } }, if: { properties: { in: furtherPlaced } } },
        list: { items: placed, if: { items: furtherPlaced } },
        first: { prefixItems: [placed], anyOf: [{ if: { items: furtherPlaced } }] },
      },
      $defs: { Placed: placed, Further: { if: furtherPlaced } },
    },
    good: [
      { arm: { at: { street: "Main", zip: "1" } } },
      { definition: { at: { street: "Main", zip: "1" } } },
      { own: { at: { street: "Main", zip: "1" } } },
      { arms: { at: { street: "Main", zip: "1" } } },
      { idle: { at: { street: "Main", zip: "1" } } },
      { inner: { in: { at: { street: "Main", zip: "1" } } } },
      { list: [{ at: { street: "Main", zip: "1" } }] },
      { first: [{ at: { street: "Main", zip: "1" } }] },
    ],
    wrong: [
      { arm: { at: { street: 5 } } },
      { definition: { at: { street: 5 } } },
      { own: { at: { street: 5 } } },
      { arms: { at: { street: 5 } } },
      { idle: { at: { street: 5 } } },
      { inner: { in: { at: { street: 5 } } } },
      { list: [{ at: { street: 5 } }] },
      { first: [{ at: { street: 5 } }] },
    ],
  },
  {
    name: "members of dependent schemas",
    schema: {
      properties: { card: { type: "number" } },
      dependentSchemas: { card: { properties: { address: { type: "string" } }, required: ["address"] } },
    },
    good: [{}, { card: 1, address: "a" }],
    wrong: [{ card: 1, address: 5 }],
  },
  {
    name: "dependencies of draft-07",
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { card: { type: "number" }, name: { type: "string" } },
      dependencies: { card: { properties: { address: { type: "string" } } }, name: ["surname"] },
    },
    good: [
      { card: 1, address: "a" },
      { name: "a", surname: "b" },
    ],
    wrong: [{ card: 1, address: 5 }],
  },
  {
    name: "members that every object has",
    schema: {
      properties: {
        constructor: { type: "string" },
        toString: { enum: [1, 2] },
        valueOf: { type: "number" },
      },
      required: ["valueOf"],
    },
    good: [{ valueOf: 1 }, { constructor: "x", valueOf: 1 }, { toString: 2, valueOf: 1 }],
    wrong: [{}, { constructor: 5, valueOf: 1 }, { toString: "x", valueOf: 1 }, { valueOf: "x" }],
  },
  {
    name: "items that must and may be there",
    schema: {
      properties: { a: { prefixItems: [{ type: "string" }, { type: "number" }], minItems: 1, maxItems: 2 } },
    },
    good: [{ a: ["x"] }, { a: ["x", 1] }, { a: 5 }],
    wrong: [{ a: [] }, { a: [1] }, { a: ["x", 1, 2] }],
  },
  {
    name: "patterns of members, and no others",
    schema: {
      properties: {
        a: { type: "object", patternProperties: { "^x": { type: "string" } }, additionalProperties: false },
      },
    },
    good: [{ a: {} }, { a: { xy: "z" } }],
    wrong: [{ a: { xy: 1 } }],
  },
  {
    name: "an object or nothing",
    schema: { properties: { a: { anyOf: [{ type: "object" }, { type: "null" }] } } },
    good: [{ a: {} }, { a: { b: 1 } }, { a: null }],
    wrong: [{ a: 5 }, { a: [1] }, { a: "x" }],
  },
  {
    name: "a constant that keywords around refuse",
    schema: {
      properties: {
        a: { anyOf: [{ const: { b: 1 } }, { const: { c: 1 } }], required: ["b"] },
        d: { $ref: "#/$defs/Choice", maxLength: 1 },
      },
      $defs: { Choice: { enum: ["x", "yy"] } },
    },
    good: [{ a: { b: 1 } }, { d: "x" }],
    wrong: [{ a: { c: 1 } }, { a: { b: 2 } }, { d: 1 }],
  },
  {
    name: "a member that a condition refuses, and an arm describes without its name",
    schema: {
      properties: { c: { type: "string" } },
      oneOf: [{ patternProperties: { "^b": { type: "string" } }, additionalProperties: true }],
      if: { required: ["c"] },
      then: { properties: { a: false } },
    },
    good: [{ a: 1 }, { a: "x" }, { c: "x" }],
    wrong: [{ c: 5 }],
  },
  {
    name: "a list of anything beside a list of constants",
    schema: { properties: { a: { prefixItems: [true], allOf: [{ items: { const: 1.5 } }] } } },
    good: [{ a: [1.5, 1.5] }, { a: [] }],
    wrong: [{ a: [1] }, { a: ["x"] }],
  },
  {
    name: "a list of what a definition takes, which is anything, beside a list of constants",
    schema: {
      properties: {
        a: { prefixItems: [{ $ref: "#/$defs/Any" }], $ref: "#/$defs/Numbers" },
        b: { items: { allOf: [{ $ref: "#/$defs/Any" }] }, $ref: "#/$defs/Numbers" },
      },
      $defs: { Any: { description: "Any value." }, Numbers: { items: { const: 1.5 } } },
    },
    good: [{ a: [1.5, 1.5] }, { b: [1.5] }, { a: 5 }],
    wrong: [{ a: [1] }, { b: ["x"] }],
  },
  {
    name: "constant lists that are too long or too short",
    schema: {
      properties: {
        a: { enum: [[], [1], [1, 2]], maxItems: 1 },
        b: { enum: [[], [1], [1, 2]], minItems: 1 },
      },
    },
    good: [{ a: [] }, { a: [1] }, { b: [1] }, { b: [1, 2] }],
    wrong: [{ a: [1, 2] }, { b: [] }],
  },
  {
    name: "an arm that accepts all",
    schema: { properties: { a: { type: "string" } }, anyOf: [{}, { properties: { b: { type: "number" } } }] },
    good: [{ a: "x" }, { a: "x", b: 1 }],
    wrong: [{ a: 1 }],
  },
  {
    name: "a definition without a type, as an object and as anything",
    schema: { $ref: "#/$defs/Node", $defs: { Node: untyped } },
    good: [{ title: "a", next: { title: "b", next: 5 } }],
    wrong: [{ title: 5 }, { next: { title: 5 } }, { next: { next: { title: 5 } } }],
  },
  {
    name: "constants, and a definition with its own identity",
    schema: {
      properties: {
        a: { enum: [1.5, [], true], oneOf: [{ $ref: "urn:example:Number" }] },
        b: { enum: [{ c: 1 }, { c: "x" }], properties: { c: { $ref: "urn:example:Number" } } },
        d: { $ref: "urn:example:Chosen", type: "number" },
      },
      $defs: {
        Number: { $id: "urn:example:Number", type: "number" },
        Chosen: {
          ...{ $id: "urn:example:Chosen", $ref: "#/$defs/One" },
          $defs: { One: { enum: [1, true] } },
        },
        One: { enum: [2, false] },
      },
    },
    good: [{ a: 1.5 }, { b: { c: 1 } }, { d: 1 }],
    wrong: [{ a: true }, { a: [] }, { b: { c: "x" } }, { d: 2 }, { d: true }],
  },
  {
    name: "constants with what no value is",
    schema: { properties: { a: { enum: [[], [null], "x"], prefixItems: [{ not: {} }] } } },
    good: [{ a: [] }, { a: "x" }],
    wrong: [{ a: [null] }],
  },
  {
    name: "a member that a pattern of another schema describes as well",
    schema: {
      properties: { a: { $ref: "#/$defs/Node" } },
      $defs: {
        Node: {
          properties: { b: { $ref: "#/$defs/Node" } },
          patternProperties: { ".": { properties: { c: { properties: { d: { type: "number" } } } } } },
          additionalProperties: false,
        },
      },
    },
    good: [{ a: { b: { c: { c: { d: 1 } } } } }],
    wrong: [],
  },
  {
    name: "lists inside lists that refer to the definition around",
    schema: {
      properties: { a: { $ref: "#/$defs/Node" } },
      $defs: {
        Node: {
          allOf: [
            {
              properties: { b: { $ref: "#/$defs/Node" } },
              prefixItems: [
                { prefixItems: [{ minimum: 1 }, { $ref: "#/$defs/Node" }] },
                { $ref: "#/$defs/Node", properties: { b: { type: "null" } } },
              ],
            },
          ],
        },
      },
    },
    good: [{ a: { b: {} } }, { a: [[1, []]] }],
    wrong: [{ a: [[], { b: 5 }] }],
  },
  {
    name: "a member with a name, which others describe that give none",
    schema: {
      properties: {
        a: { properties: { c: true }, allOf: [{ $ref: "#/$defs/Marks" }] },
        b: {
          properties: { c: { properties: { e: { type: "number" } } } },
          allOf: [{ $ref: "#/$defs/Open" }],
        },
        d: {
          dependentSchemas: { c: { properties: { c: true } } },
          anyOf: [{ $ref: "#/$defs/Marks" }, { type: "object", additionalProperties: { const: 1 } }],
        },
        f: { anyOf: [{ $ref: "#/$defs/Marks" }, { type: "null" }], oneOf: [{ required: ["c"] }, true] },
        g: { $ref: "#/$defs/Marks" },
      },
      $defs: {
        Marks: { $ref: "#/$defs/EachMark" },
        EachMark: { type: "object", additionalProperties: { const: "x" } },
        Open: { type: "object", additionalProperties: { properties: { f: { const: "x" } } } },
      },
    },
    good: [
      { a: { c: "x" } },
      { a: { c: "x", other: "x" } },
      { b: { c: { e: 1, f: "x" } } },
      { d: { c: "x" } },
      { d: { c: 1 } },
      { f: { other: "x" } },
      { g: { c: "x" } },
    ],
    wrong: [{ a: 5 }, { b: { c: { e: "x" } } }, { g: { c: "y" } }],
  },
];
