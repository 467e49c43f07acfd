import fc from "fast-check";
import type { JsonObject, JsonValue } from "@mcpgen/engine";

/** Names with a special meaning elsewhere: keywords as properties, and members that objects inherit. */
const keys = ["a", "b", "definitions", "required", "properties", "enum", "items", "__proto__", "constructor"];

export const key = fc.constantFrom(...keys);
const scalar: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue[]>(null, true, 0, 1, 1.5, "", "a", "b");

/** Few values, so that random schemas and instances often have the same. */
export const instance: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    objectOf(tie("value"), 3),
  ),
})).value;

function objectOf(value: fc.Arbitrary<JsonValue>, maxKeys: number): fc.Arbitrary<JsonObject> {
  return fc
    .uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: maxKeys })
    .map((entries) => Object.fromEntries(entries) as JsonObject);
}

const names = fc.uniqueArray(key, { maxLength: 2 });
const count = fc.nat(2);
const type = fc.constantFrom("array", "boolean", "integer", "null", "number", "object", "string");

const definitions = ["A", "B/c", "d e"];

/** Schema documents of the dialect; definitions refer only to later ones, so that none is circular. */
export function schemaDocument(dialect: "draft-07" | "2020-12"): fc.Arbitrary<JsonObject> {
  const holder = dialect === "draft-07" ? "definitions" : "$defs";
  return fc
    .tuple(...definitions.map((_, index) => schemaOf(dialect, index + 1)), schemaOf(dialect, 0))
    .map((schemas) => ({
      $schema:
        dialect === "draft-07"
          ? "http://json-schema.org/draft-07/schema#"
          : "https://json-schema.org/draft/2020-12/schema",
      allOf: [schemas.at(-1)!, ...definitions.map((_, index) => ({ $ref: reference(holder, index) }))],
      [holder]: Object.fromEntries(definitions.map((name, index) => [name, schemas[index]!])),
    }));
}

function reference(holder: string, index: number): string {
  return `#/${holder}/${encodeURIComponent(definitions[index]!.replaceAll("/", "~1"))}`;
}

function schemaOf(dialect: "draft-07" | "2020-12", from: number): fc.Arbitrary<JsonValue> {
  return fc.letrec<{ schema: JsonValue }>((tie) => {
    const schema = tie("schema");
    const schemas = fc.array(schema, { minLength: 1, maxLength: 3 });
    const own =
      dialect === "draft-07"
        ? {
            items: fc.oneof(schema, fc.array(schema, { minLength: 1, maxLength: 2 })),
            additionalItems: schema,
            dependencies: objectOf(fc.oneof(schema, names), 2),
          }
        : {
            items: schema,
            prefixItems: schemas,
            dependentSchemas: objectOf(schema, 2),
            dependentRequired: objectOf(names, 2),
          };
    const object = fc.record<JsonObject>(
      {
        type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
        enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 }),
        const: instance,
        properties: objectOf(schema, 3),
        additionalProperties: schema,
        required: names,
        minItems: count,
        maxProperties: count,
        minimum: count,
        anyOf: schemas,
        oneOf: schemas,
        not: schema,
        description: fc.constant("prose"),
        default: instance,
        ...own,
        ...(from < definitions.length && {
          $ref: fc
            .integer({ min: from, max: definitions.length - 1 })
            .map((index) => reference(dialect === "draft-07" ? "definitions" : "$defs", index)),
        }),
      },
      { requiredKeys: [] },
    );
    // Most keywords are left out of most schemas; otherwise hardly any value would be valid.
    const sparse = fc
      .tuple(object, fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }))
      .map(([all, kept]) => {
        const present = Object.entries(all);
        return Object.fromEntries(
          present.filter((_, index) => kept.some((choice) => choice % present.length === index)),
        ) as JsonObject;
      });
    return { schema: fc.oneof({ maxDepth: 4, depthSize: "small" }, fc.boolean(), sparse) };
  }).schema;
}
