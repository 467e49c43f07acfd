import fc from "fast-check";
import type { JsonValue } from "@mcpgen/engine";

/** Few names, so that values often have the members that schemas describe. Some are inherited names. */
const names = ["a", "b", "type", "constructor", "__proto__", "x-y/z"] as const;
/** Names that need escapes or other quotes, or are wider than their number of code units. */
const oddNames = [
  'say "a"',
  `"it's"`,
  "\u202ea\u2066",
  "\u2028",
  "\u{1F600}",
  "\u{1F1E9}\u{1F1EA}",
  "\u6f22",
  "\0",
] as const;
const definitionNames = ["A", "B", "Error", "tree"] as const;
const tags = ["one", "two", "three", 'fo"ur', "\u202efive"] as const;

const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...names) },
  { weight: 1, arbitrary: fc.constantFrom(...oddNames) },
);
const small = fc.integer({ min: 0, max: 3 });

/** Makes own members for all names: `__proto__` in a literal would set the prototype. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return JSON.parse(
    `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`,
  ) as Record<string, unknown>;
}

function records<T>(values: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<Record<string, unknown>> {
  return fc.uniqueArray(fc.tuple(name, values), { maxLength, selector: ([key]) => key }).map(objectOf);
}

const scalar = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    true,
    false,
    0,
    1,
    2,
    2.5,
    -1,
    "",
    "one",
    "two",
    "three",
    "aa",
    "\u{1F600}a",
    'fo"ur',
    "\u202efive",
    1e20,
  ),
);

export const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    records(tie("value"), 4) as fc.Arbitrary<JsonValue>,
    fc
      .tuple(fc.constantFrom(...tags), records(tie("value"), 2))
      .map(([tag, rest]) => ({ ...rest, type: tag }) as JsonValue),
  ),
})).value;

const type = fc.constantFrom("array", "boolean", "integer", "null", "number", "object", "string");

const assertions = fc.oneof(
  fc.record({ type }),
  fc.record({ type: fc.uniqueArray(type, { minLength: 1, maxLength: 3 }) }),
  fc.record({ const: value }),
  fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 4 }) }),
  fc.record(
    {
      minimum: small,
      maximum: small,
      exclusiveMinimum: small,
      exclusiveMaximum: small,
      multipleOf: fc.constantFrom(1, 2, 0.5),
    },
    { requiredKeys: [] },
  ),
  fc.record(
    {
      minLength: small,
      maxLength: small,
      pattern: fc.constantFrom("^a", "o", "^.$", "/", "\u202e?a", "[\u{E0001}\0]"),
    },
    { requiredKeys: [] },
  ),
  fc.record({ minItems: small, maxItems: small, uniqueItems: fc.boolean() }, { requiredKeys: [] }),
  fc.record({ minProperties: small, maxProperties: small }, { requiredKeys: [] }),
  fc.record({ required: fc.uniqueArray(name, { maxLength: 2 }) }),
  fc.record({ dependentRequired: records(fc.uniqueArray(name, { maxLength: 2 }), 2) }),
);

const reference = fc.constantFrom(...definitionNames).map((target) => ({ $ref: `#/$defs/${target}` }));

interface Schemas {
  schema: unknown;
  applicator: object;
  arm: object;
}

const schemas = fc.letrec<Schemas>((tie) => {
  const schema = tie("schema");
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const arms = fc.array(fc.oneof(tie("arm"), schema), { minLength: 1, maxLength: 4 });
  const object = fc.record(
    {
      type: fc.constant("object"),
      properties: records(schema, 3),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: schema,
    },
    { requiredKeys: ["type", "properties"] },
  );
  return {
    schema: fc.oneof(
      { maxDepth: 4 },
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 4, arbitrary: assertions },
      { weight: 2, arbitrary: reference },
      {
        weight: 8,
        arbitrary: fc
          .tuple(tie("applicator"), fc.option(assertions, { nil: {} }))
          .map(([a, b]) => Object.assign({}, b, a)),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(tie("applicator"), tie("applicator"), reference)
          .map(([a, b, c]) => Object.assign({}, c, b, a)),
      },
    ),
    applicator: fc.oneof(
      { maxDepth: 4 },
      object,
      object,
      fc.record({ properties: records(schema, 3) }),
      fc.record(
        {
          patternProperties: fc
            .constantFrom("^a", "o", "^.$")
            .chain((pattern) => schema.map((child) => ({ [pattern]: child }))),
          properties: records(schema, 2),
          additionalProperties: schema,
        },
        { requiredKeys: ["patternProperties"] },
      ),
      fc.record({ propertyNames: schema }),
      fc.record({ dependentSchemas: records(schema, 2) }),
      fc.record({ prefixItems: list, items: schema }, { requiredKeys: [] }),
      fc.record({ type: fc.constant("array"), items: schema }),
      fc.record({ contains: schema, minContains: small, maxContains: small }, { requiredKeys: ["contains"] }),
      fc.record({ anyOf: arms }),
      fc.record({ anyOf: arms }),
      fc.record({ oneOf: arms }),
      fc.record({ allOf: list }),
      fc.record({ not: schema }),
      fc
        .tuple(tie("applicator"), fc.constantFrom("unevaluatedProperties", "unevaluatedItems"), schema)
        .map(([other, keyword, rest]) => Object.assign({}, other, { [keyword]: rest })),
      fc.record({ if: schema, then: schema, else: schema }, { requiredKeys: ["if"] }),
    ),
    arm: fc
      .record({
        tag: fc.constantFrom(...tags),
        properties: records(schema, 2),
        required: fc.uniqueArray(name, { maxLength: 1 }),
      })
      .map(({ tag, properties, required }) => ({
        type: "object",
        properties: { ...properties, type: { const: tag } },
        required: [...new Set([...required, "type"])],
      })),
  };
});

/** Four definitions that may refer to each other. */
export const definitions: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(...definitionNames.map(() => schemas.schema))
  .map((bodies) => Object.fromEntries(definitionNames.map((key, index) => [key, bodies[index]])));
