import type { JsonObject, JsonValue, Schema, SchemaNode, TypeName } from "@mcpgen/engine";
import { commentText } from "../../print/text.js";
import { literal, union } from "../../emit/types/print.js";
import { isScalar } from "../../emit/validators/kind.js";
import { withChildren, withNodes } from "../../emit/with-children.js";

/**
 * A longer set of values is printed as its type: a union of thousands costs the compiler much and helps readers little.
 */
const longestEnum = 256;

/** The schema with long sets of values given by their types. */
export function withoutLongSets(schema: Schema): Schema {
  return withNodes(schema, withShortSets);
}

function withShortSets(node: SchemaNode): SchemaNode {
  const changed = withChildren(node, withShortSets);
  const { enum: values, ...rest } = changed;
  if (!values) return changed;
  if (values.length <= longestEnum && JSON.stringify(values).length <= 64 * longestEnum) return changed;
  return { ...rest, types: rest.types ?? [...new Set(values.map(typeName))] };
}

/** The texts of a schema as they are encoded on their way to a type. */
export interface Plain {
  /** The name of a definition's type. */
  readonly typeOf: (definition: string) => string;
  /** The key to write for a member, where its own cannot go through. */
  readonly keyOf: (key: string) => string;
}

/**
 * A node of a type form as json-schema-to-typescript reads it: draft-04, references to `definitions` alone. What is said
 * for people, defaults included, is its description.
 */
export function plainSchema(node: SchemaNode, plain: Plain): JsonObject {
  const said = descriptionOf(node);
  const description: JsonObject = said === "" ? {} : { description: said };
  const deprecated: JsonObject = node.deprecated ? { deprecated: true } : {};
  return { ...description, ...shapeOf(node, plain, said !== ""), ...deprecated };
}

function shapeOf(node: SchemaNode, plain: Plain, isDescribed: boolean): JsonObject {
  const schemas = (nodes: readonly SchemaNode[]): JsonObject[] =>
    nodes.map((each) => plainSchema(each, plain));
  if (node.typeText !== undefined) return { tsType: node.typeText };
  if (node.never) return { tsType: "never" };
  if (node.ref !== undefined) {
    const reference: JsonObject = { $ref: `#/definitions/${plain.typeOf(node.ref)}` };
    return isDescribed ? { allOf: [reference] } : reference;
  }
  if (node.allOf) return { allOf: schemas(node.allOf) };
  if (node.anyOf) return { anyOf: schemas(node.anyOf) };
  if (node.enum)
    return node.enum.every(isScalar)
      ? { enum: [...node.enum] }
      : { tsType: `(${union(node.enum.map(literal))})` };
  if (!node.types) return { tsType: "unknown" };
  if (node.types.length > 1)
    return { anyOf: schemas(node.types.map((type) => ({ pointer: "", types: [type] }))) };
  if (node.types[0] === "object") return objectOf(node, plain);
  return { type: node.types[0]!, ...(node.types[0] === "array" && arrayOf(node, plain)) };
}

function typeName(value: JsonValue): TypeName {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as TypeName);
}

function objectOf(
  { properties, additionalProperties: others, required }: SchemaNode,
  plain: Plain,
): JsonObject {
  const named = [...(properties ?? [])].map(
    ([key, child]) => [plain.keyOf(key), plainSchema(child, plain)] as const,
  );
  if (named.length === 0 && others?.never) return { tsType: "Record<string, never>" };
  const isOpen = others ? others.always === true : named.length === 0;
  return {
    type: "object",
    properties: Object.fromEntries(named),
    ...(required && { required: required.map(plain.keyOf) }),
    additionalProperties: others && !isOpen && !others.never ? plainSchema(others, plain) : isOpen,
  };
}

/** The characters around the items of a tuple that may be absent; no text of a schema has these characters. */
const maybe: readonly [start: JsonObject, end: JsonObject] = [{ tsType: "\u0001" }, { tsType: "\u0002" }];

/** The types that schemas with such items came to, as TypeScript has them: `[string, number?]`. */
export function withMaybes(text: string): string {
  return text.replaceAll("\u0001, ", "(").replaceAll(", \u0002", ")?");
}

function arrayOf({ prefixItems, items, minItems = 0 }: SchemaNode, plain: Plain): JsonObject {
  const schemaOf = (child: SchemaNode): JsonObject => plainSchema(child, plain);
  if (!prefixItems) return items?.never ? { tsType: "[]" } : items ? { items: schemaOf(items) } : {};
  const all = prefixItems.map(schemaOf);
  const given = all.slice(0, minItems);
  const missing = all.slice(minItems).flatMap((item) => [maybe[0], item, maybe[1]]);
  return {
    items: [...given, ...missing],
    additionalItems: items?.never ? false : items ? schemaOf(items) : true,
  };
}

function descriptionOf({ title, description, default: standard }: SchemaNode): string {
  const text = description ?? title ?? "";
  const lines = [text, ...(standard ? [`@default ${shortened(JSON.stringify(standard.value))}`] : [])];
  return commentText(lines.join("\n")).replaceAll("\t", " ").trim();
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`;
}
