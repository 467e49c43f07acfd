import fc from "fast-check";
import type { JsonValue } from "@mcpgen/engine";

/**
 * A schema, and the part of it that a TypeScript type can express: a value that this part refuses must be a type error.
 */
export interface TypedSchema {
  readonly schema: SchemaObject;
  readonly typed: SchemaObject;
}
export type SchemaObject = { readonly [keyword: string]: JsonValue };
type Keywords = fc.Arbitrary<SchemaObject>;

const name = fc.constantFrom("a", "b", "c");
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

const one = (keyword: string, content: fc.Arbitrary<JsonValue>): Keywords =>
  content.map((each) => ({ [keyword]: each }));
const together = (...keywords: Keywords[]): Keywords =>
  fc.tuple(...keywords).map((each) => Object.assign({}, ...each) as SchemaObject);
const mapOf = (content: fc.Arbitrary<JsonValue>, maxKeys: number): fc.Arbitrary<JsonValue> =>
  fc.dictionary(name, content, { minKeys: 1, maxKeys, noNullPrototype: true }) as fc.Arbitrary<JsonValue>;

const reference = one("$ref", fc.constantFrom("#/$defs/A", "#/$defs/B"));

/** Keywords without subschemas. */
const assertions = fc.oneof(
  one("type", type),
  one("type", type),
  one("type", fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
  one("const", value),
  one("enum", fc.array(value, { minLength: 1, maxLength: 3 })),
  one("required", nameList),
  one("minimum", fc.constantFrom(0, 1)),
  one("minLength", fc.constant(1)),
  one("minItems", fc.constant(1)),
  one("dependentRequired", mapOf(nameList, 1)),
  one("description", fc.constant("Says something.")),
);

const schemas = fc.letrec<{ schema: JsonValue; applicator: SchemaObject }>((tie) => {
  const schema = tie("schema");
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const properties = one("properties", mapOf(schema, 2));
  const closed = fc.constantFrom<JsonValue>(false, true, { type: "string" });
  const patterns = fc.dictionary(fc.constantFrom("^a", "^[bc]$", "."), schema, {
    ...{ minKeys: 1, maxKeys: 2, noNullPrototype: true },
  }) as fc.Arbitrary<JsonValue>;
  return {
    schema: fc.oneof(
      { maxDepth: 4 },
      { weight: 3, arbitrary: assertions },
      { weight: 1, arbitrary: fc.constantFrom<JsonValue>(true, false, {}) },
      { weight: 2, arbitrary: reference },
      { weight: 6, arbitrary: together(assertions, tie("applicator")) },
      { weight: 2, arbitrary: together(tie("applicator"), tie("applicator"), assertions) },
      { weight: 2, arbitrary: together(reference, tie("applicator")) },
    ),
    applicator: fc.oneof(
      { maxDepth: 4 },
      properties,
      properties,
      together(properties, one("type", fc.constant("object")), one("required", nameList)),
      together(properties, one("additionalProperties", schema)),
      // With `type` as the only other keyword, this schema is the type of all members.
      together(one("type", fc.constant("object")), one("additionalProperties", schema)),
      together(
        one("type", fc.constant("object")),
        one("patternProperties", patterns),
        one("additionalProperties", closed),
      ),
      one("patternProperties", patterns),
      together(
        properties,
        one("patternProperties", patterns),
        one("additionalProperties", fc.constant(false)),
      ),
      together(properties, one("unevaluatedProperties", closed)),
      one(
        "propertyNames",
        fc.constantFrom<JsonValue>({ enum: ["a", "b"] }, { maxLength: 1 }, { pattern: "^a" }),
      ),
      one("items", schema),
      one("prefixItems", list),
      fc.tuple(list, schema, fc.nat(3), fc.nat(2)).map(([prefixItems, items, minItems, more]) => ({
        ...{ prefixItems, items, minItems },
        maxItems: minItems + more,
      })),
      together(one("contains", one("type", type)), one("minContains", fc.nat(2))),
      together(one("prefixItems", list), one("unevaluatedItems", closed)),
      one("allOf", list),
      one("anyOf", list),
      one("oneOf", list),
      one("not", schema),
      together(one("if", schema), one("then", schema), one("else", schema)),
      together(one("if", schema), one("then", schema)),
      together(one("if", schema), one("else", schema)),
      one("dependentSchemas", mapOf(schema, 1)),
    ),
  };
});

/** Schemas of objects (arguments are objects), with two definitions that may refer to each other. */
export const typedSchema: fc.Arbitrary<TypedSchema> = fc
  .tuple(schemas.applicator, schemas.applicator, schemas.schema, schemas.schema)
  .map(([one, two, A, B]) => {
    const schema: SchemaObject = { ...two, ...one, type: "object", $defs: { A, B } };
    return { schema, typed: typedPart(schema, true) as SchemaObject };
  });

/** Keywords whose subschemas a type can express: of parts of the value (`inside`), or of the value (`inPlace`). */
const inside = new Set(["items", "prefixItems", "properties"]);
const inPlace = new Set(["$defs", "allOf", "anyOf"]);

/**
 * Returns the part of a schema that a TypeScript type can express.
 *
 * @param isShared whether other schemas may describe the same value; if so, the types of undeclared members are left
 *   out
 */
function typedPart(schema: JsonValue, isShared: boolean): JsonValue {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const { type, allOf, oneOf, prefixItems, minItems, maxItems } = schema as { [keyword: string]: JsonValue };
  const kept: { [keyword: string]: JsonValue } = {};
  for (const [keyword, content] of Object.entries(schema)) {
    if (["$ref", "required"].includes(keyword)) kept[keyword] = content;
    if (inside.has(keyword) || inPlace.has(keyword))
      kept[keyword] = partsIn(
        keyword,
        content,
        inPlace.has(keyword) || (keyword === "properties" && "patternProperties" in schema),
      );
  }
  if (type !== undefined)
    kept["type"] = [
      ...new Set([type as string].flat().map((each) => (each === "integer" ? "number" : each))),
    ];
  const parts: JsonValue[] = allOf === undefined ? [] : [...(kept["allOf"] as JsonValue[])];
  if (oneOf !== undefined) parts.push({ anyOf: partsIn("anyOf", oneOf, true) });
  if ("const" in schema) parts.push(typeOfValue(schema["const"]!));
  if ("enum" in schema) parts.push({ anyOf: (schema["enum"] as JsonValue[]).map(typeOfValue) });
  if (parts.length > 0) kept["allOf"] = parts;
  if (Array.isArray(prefixItems)) {
    if (typeof minItems === "number") kept["minItems"] = Math.min(minItems, prefixItems.length);
    if (typeof maxItems === "number" && maxItems <= prefixItems.length) kept["maxItems"] = maxItems;
  }
  const others = isShared ? undefined : typeOfOthers(schema);
  return { ...kept, ...(others !== undefined && { additionalProperties: others }) };
}

function partsIn(keyword: string, content: JsonValue, isShared: boolean): JsonValue {
  if (keyword === "items") return typedPart(content, isShared);
  if (Array.isArray(content)) return content.map((each) => typedPart(each, isShared));
  const members = Object.entries(content as SchemaObject);
  return Object.fromEntries(members.map(([key, child]) => [key, typedPart(child, isShared)]));
}

/** Returns the schema of a constant's type: objects with additional members have this type, too. */
function typeOfValue(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return { const: value };
  if (Array.isArray(value)) {
    const length = { minItems: value.length, maxItems: value.length };
    return { type: "array", ...length, ...(value.length > 0 && { prefixItems: value.map(typeOfValue) }) };
  }
  const properties = Object.entries(value).map(([name, member]) => [name, typeOfValue(member)]);
  return {
    type: "object",
    required: Object.keys(value),
    properties: Object.fromEntries(properties) as JsonValue,
  };
}

/** Returns the type of all members, if the schema has no other keyword for objects. */
function typeOfOthers({
  type: _type,
  description: _description,
  additionalProperties: others,
  patternProperties: patterns,
  ...rest
}: SchemaObject): JsonValue | undefined {
  if (Object.keys(rest).length > 0 || others === undefined) return undefined;
  const all = [...Object.values((patterns as SchemaObject | undefined) ?? {}), others];
  return { anyOf: all.map((each) => typedPart(each, false)) };
}
