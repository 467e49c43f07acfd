import fc from "fast-check";
import type { JsonValue } from "@mcpgen/engine";

/** A schema, and the part of it that types can say: a value that the part refuses has a wrong type. */
export interface TypedSchema {
  readonly schema: SchemaObject;
  readonly typed: SchemaObject;
}
type SchemaObject = { readonly [keyword: string]: JsonValue };
type Pair = readonly [schema: JsonValue, typed: JsonValue];

const names = ["a", "b", "c"] as const;
const definitions = ["A", "B"] as const;
const name = fc.constantFrom(...names);
const nameList = fc.uniqueArray(name, { maxLength: 2 });

const scalar = fc.constantFrom<JsonValue>(null, true, 0, 1.5, "", "x");
const type = fc.constantFrom("array", "boolean", "integer", "null", "number", "object", "string");

export const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<JsonValue>,
  ),
})).value;

/** Keywords that are the same in both. */
const same = (keywords: fc.Arbitrary<SchemaObject>): fc.Arbitrary<Pair> =>
  keywords.map((each) => [each, each] as const);
/** Keywords that types do not say. */
const unsaid = (keywords: fc.Arbitrary<SchemaObject>): fc.Arbitrary<Pair> =>
  keywords.map((each) => [each, {}] as const);
const joined = (pairs: readonly Pair[]): Pair => [
  Object.assign({}, ...pairs.map(([schema]) => schema)) as JsonValue,
  Object.assign({}, ...pairs.map(([, typed]) => typed)) as JsonValue,
];
const asFloats = (types: readonly string[]): string[] => [
  ...new Set(types.map((each) => (each === "integer" ? "number" : each))),
];

const schemas = fc.letrec<{ schema: Pair; applicator: Pair }>((tie) => {
  const schema = tie("schema");
  const lists = (keyword: string, typedAs = keyword): fc.Arbitrary<Pair> =>
    fc
      .array(schema, { minLength: 1, maxLength: 3 })
      .map((pairs) => [
        { [keyword]: pairs.map(([each]) => each) },
        { [typedAs]: pairs.map(([, each]) => each) },
      ]);
  const maps = (keyword: string): fc.Arbitrary<Pair> =>
    fc
      .dictionary(name, schema, { minKeys: 1, maxKeys: 2, noNullPrototype: true })
      .map((pairs) => [
        { [keyword]: Object.fromEntries(Object.entries(pairs).map(([key, [each]]) => [key, each])) },
        { [keyword]: Object.fromEntries(Object.entries(pairs).map(([key, [, each]]) => [key, each])) },
      ]);
  const one = (keyword: string): fc.Arbitrary<Pair> =>
    schema.map(([each, typed]) => [{ [keyword]: each }, { [keyword]: typed }]);
  const unsaidMember = (keyword: string): fc.Arbitrary<Pair> =>
    schema.map(([each]) => [{ [keyword]: each }, {}]);
  const types = type.map((each): Pair => [{ type: each }, { type: asFloats([each]) }]);
  const assertions = fc.oneof(
    types,
    types,
    fc
      .uniqueArray(type, { minLength: 1, maxLength: 3 })
      .map((each): Pair => [{ type: each }, { type: asFloats(each) }]),
    same(fc.record({ const: value })),
    same(fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 3 }) })),
    same(fc.record({ required: nameList })),
    unsaid(fc.record({ minimum: fc.constantFrom(0, 1) })),
    unsaid(fc.record({ minLength: fc.constant(1) })),
    unsaid(fc.record({ minItems: fc.constant(1) })),
    unsaid(
      fc.record({ dependentRequired: fc.dictionary(name, nameList, { maxKeys: 1, noNullPrototype: true }) }),
    ),
    unsaid(fc.record({ description: fc.constant("Says something.") })),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 4 },
      { weight: 3, arbitrary: assertions },
      { weight: 1, arbitrary: fc.constantFrom<Pair>([true, true], [false, false], [{}, {}]) },
      {
        weight: 2,
        arbitrary: same(fc.constantFrom(...definitions).map((each) => ({ $ref: `#/$defs/${each}` }))),
      },
      { weight: 6, arbitrary: fc.tuple(assertions, tie("applicator")).map(joined) },
      { weight: 2, arbitrary: fc.tuple(tie("applicator"), tie("applicator"), assertions).map(joined) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            same(fc.constantFrom(...definitions).map((each) => ({ $ref: `#/$defs/${each}` }))),
            tie("applicator"),
          )
          .map(joined),
      },
    ),
    applicator: fc.oneof(
      { maxDepth: 4 },
      maps("properties"),
      maps("properties"),
      fc
        .tuple(maps("properties"), same(fc.record({ type: fc.constant("object"), required: nameList })))
        .map(joined),
      fc.tuple(maps("properties"), unsaidMember("additionalProperties")).map(joined),
      // Alone beside the type, it is the type of all members.
      schema.map(([each, typed]): Pair => [
        { type: "object", additionalProperties: each },
        { type: "object", additionalProperties: typed },
      ]),
      one("items"),
      lists("prefixItems"),
      lists("allOf"),
      lists("anyOf"),
      lists("oneOf", "anyOf"),
      unsaidMember("not"),
      fc
        .tuple(schema, schema, schema)
        .map(([[test], [then], [otherwise]]): Pair => [{ if: test, then, else: otherwise }, {}]),
      fc
        .dictionary(name, schema, { minKeys: 1, maxKeys: 1, noNullPrototype: true })
        .map((pairs): Pair => [
          { dependentSchemas: Object.fromEntries(Object.entries(pairs).map(([key, [each]]) => [key, each])) },
          {},
        ]),
    ),
  };
});

/** Objects, as arguments are, with two definitions that may refer to each other. */
export const typedSchema: fc.Arbitrary<TypedSchema> = fc
  .tuple(schemas.applicator, schemas.applicator, schemas.schema, schemas.schema)
  .map(([one, two, a, b]) => {
    const [schema, typed] = joined([two, one, [{ type: "object" }, { type: "object" }]]);
    const whole = (side: 0 | 1, own: JsonValue): SchemaObject => ({
      ...(own as SchemaObject),
      $defs: { A: a[side], B: b[side] },
    });
    return { schema: whole(0, schema), typed: withoutSignatures(whole(1, typed), true) as SchemaObject };
  });

/** Without types of further members, except where nothing else is said of the object. */
function withoutSignatures(schema: JsonValue, inPlace: boolean): JsonValue {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const others = Object.keys(schema).some(
    (key) => !["type", "additionalProperties", "description"].includes(key),
  );
  const kept = Object.entries(schema).filter(
    ([key]) => key !== "additionalProperties" || !(others || inPlace),
  );
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutSignaturesIn(key, child)]));
}

function withoutSignaturesIn(keyword: string, value: JsonValue): JsonValue {
  if (["items", "additionalProperties"].includes(keyword)) return withoutSignatures(value, false);
  const inPlace = ["allOf", "anyOf", "$defs"].includes(keyword);
  if (!inPlace && !["properties", "prefixItems"].includes(keyword)) return value;
  if (Array.isArray(value)) return value.map((each) => withoutSignatures(each, inPlace));
  const members = Object.entries(value as SchemaObject);
  return Object.fromEntries(members.map(([key, child]) => [key, withoutSignatures(child, inPlace)]));
}
