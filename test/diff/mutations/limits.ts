import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Random } from "../../../generator/sample/values.js";
import { type Make, both, object } from "./mutation.js";

const text = { type: "string" };

/** Pairs of schemas, the second with a tighter limit. */
const limits: readonly ((random: Random) => readonly [JsonValue, JsonValue])[] = [
  (random) => [
    { type: "number" },
    {
      type: "number",
      [random.pick(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])]: random.below(50),
    },
  ],
  () => [
    { type: "integer", minimum: 0 },
    { type: "integer", minimum: 1 },
  ],
  (random) => {
    const [inside, outside] = random.pick([
      ["minimum", "exclusiveMinimum"],
      ["maximum", "exclusiveMaximum"],
    ] as const);
    const end = random.below(50);
    return [
      { type: "number", [inside]: end },
      { type: "number", [outside]: end },
    ];
  },
  () => [
    { type: "number", exclusiveMaximum: 10 },
    { type: "number", maximum: 9 },
  ],
  () => [
    { type: "number", maximum: 10 },
    { type: "number", maximum: 9 },
  ],
  () => [
    { type: "number", multipleOf: 2 },
    { type: "number", multipleOf: 4 },
  ],
  (random) => [{ type: "string" }, { type: "string", minLength: 1 + random.below(5) }],
  () => [
    { type: "string", maxLength: 20 },
    { type: "string", maxLength: 5 },
  ],
  (random) => [{ type: "string" }, { type: "string", pattern: random.pick(["^[a-z]+$", "^\\d+$", "^x"]) }],
  (random) => [
    { type: "array", items: { type: "string" } },
    { type: "array", items: { type: "string" }, maxItems: random.below(4) },
  ],
  () => [
    { type: "array", minItems: 1 },
    { type: "array", minItems: 2 },
  ],
  () => [
    { type: "array", items: { type: "string" } },
    { type: "array", items: { type: "string" }, uniqueItems: true },
  ],
  () => [{ type: "object" }, { type: "object", minProperties: 1 }],
  () => [
    { type: "object", maxProperties: 5 },
    { type: "object", maxProperties: 2 },
  ],
];

/** Pairs of schemas with a condition that is stricter in the second. */
const changedConditions: readonly ((random: Random) => readonly [JsonValue, JsonValue])[] = [
  () => [
    { type: "string", not: { enum: ["a"] } },
    { type: "string", not: { enum: ["a", "b"] } },
  ],
  () => [
    { type: "array", items: text, contains: { type: "string", minLength: 1 } },
    { type: "array", items: text, contains: { type: "string", minLength: 3 } },
  ],
  ...[
    [{ dependentRequired: { a: ["b"] } }, { dependentRequired: { a: ["b", "c"] } }],
    [
      { dependentSchemas: { a: { required: ["b"] } } },
      { dependentSchemas: { a: { required: ["b"], properties: { b: { minLength: 3 } } } } },
    ],
    [
      { if: { required: ["a"] }, then: { required: ["b"] } },
      { if: { required: ["a"] }, then: { required: ["b", "c"] } },
    ],
    [{ patternProperties: { "^x-": {} } }, { patternProperties: { "^x-": { type: "number" } } }],
    [{ propertyNames: { maxLength: 20 } }, { propertyNames: { maxLength: 2 } }],
  ].map(([old, next]): ((random: Random) => readonly [JsonValue, JsonValue]) => () => {
    const properties = { a: text, b: text, c: text };
    return [object(properties, [], old as JsonObject), object(properties, [], next as JsonObject)];
  }),
];

/** Limits that depend on other members or on the keys. */
const conditions: readonly ((random: Random) => readonly [JsonValue, JsonValue])[] = [
  () => [text, { type: "string", not: { const: "text" } }],
  () => [
    { type: "array", items: text },
    { type: "array", items: text, contains: { const: "x" } },
  ],
  () => [
    { type: "array", contains: text, minContains: 1 },
    { type: "array", contains: text, minContains: 2 },
  ],
  ...[
    { dependentRequired: { a: ["b"] } },
    { dependentSchemas: { a: { required: ["b"] } } },
    { if: { required: ["a"] }, then: { required: ["b"] } },
    { patternProperties: { "^x-": text } },
    { propertyNames: { pattern: "^[a-z]+$" } },
  ].map((more): ((random: Random) => readonly [JsonValue, JsonValue]) => () => {
    const properties = { a: text, b: text };
    return [object(properties, []), object(properties, [], more as JsonObject)];
  }),
  ...changedConditions,
  () => {
    const arms: JsonValue = [text, { type: ["string", "number"] }];
    return [{ anyOf: arms }, { oneOf: arms }];
  },
];

export const limitChanges: readonly Make[] = [
  ...conditions.flatMap((limit) => both("bound-tightened", "bound-loosened", limit)),
  ...limits.flatMap((limit) => both("bound-tightened", "bound-loosened", limit)),
  () => ({
    old: { type: "string" },
    new: { type: "string", format: "uri" },
    rule: "bound-tightened",
    when: "the limit is a format",
  }),
  () => ({ old: { type: "string", format: "uri" }, new: { type: "string" }, rule: "bound-loosened" }),
];
