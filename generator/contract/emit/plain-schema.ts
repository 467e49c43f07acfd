import type { JsonObject, JsonValue, Schema, SchemaNode, TypeName } from "@mcpgen/engine";
import { commentText } from "../../print/text.js";
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
 * A node as json-schema-to-typescript reads it (draft-04, references to `definitions` alone), with only what types
 * can say; what is said for people, defaults included, is its description.
 */
export function plainSchema(node: SchemaNode, plain: Plain): JsonObject {
  if (node.never) return { tsType: "never" };
  const said = descriptionOf(node);
  const description: JsonObject = said === "" ? {} : { description: said };
  const own = ownKeywords(node, plain);
  if (node.ref === undefined) return { ...description, ...own };
  const reference: JsonObject = { $ref: `#/definitions/${plain.typeOf(node.ref)}` };
  const rest = Object.keys(own).length > 0 ? [own] : [];
  return said === "" && rest.length === 0 ? reference : { ...description, allOf: [reference, ...rest] };
}

function ownKeywords(node: SchemaNode, plain: Plain): JsonObject {
  return {
    ...valuesOf(node),
    ...objectOf(node, plain),
    ...arrayOf(node, plain),
    ...lists(node, plain),
    ...(node.deprecated && { deprecated: true }),
  };
}

function lists(node: SchemaNode, plain: Plain): JsonObject {
  const keywords = ["allOf", "anyOf", "oneOf"] as const;
  return Object.fromEntries(
    keywords.flatMap((keyword) => {
      // An arm that only forbids or counts has no influence on the type.
      const arms = node[keyword]?.map((arm) => plainSchema(arm, plain)).filter(says) ?? [];
      const all = keyword === "allOf" || arms.length === node[keyword]?.length;
      return arms.length > 0 && all ? [[keyword, arms]] : [];
    }),
  );
}

function says(schema: JsonObject): boolean {
  return Object.keys(schema).some((key) => key !== "description");
}

function valuesOf({ types, const: only, enum: values }: SchemaNode): JsonObject {
  if (only) return { enum: [only.value] };
  if (values) return { enum: [...values] };
  if (!types) return {};
  return { type: types.length === 1 ? types[0]! : [...types] };
}

function typeName(value: JsonValue): TypeName {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as TypeName);
}

function objectOf(node: SchemaNode, plain: Plain): JsonObject {
  const { properties, patternProperties, additionalProperties, required, types } = node;
  const isObject = types?.includes("object") ?? false;
  if (!properties && !patternProperties && !additionalProperties && !isObject) return {};
  const named = [...(properties ?? [])].map(
    ([key, child]) => [plain.keyOf(key), plainSchema(child, plain)] as const,
  );
  const others = othersOf(node, plain);
  if (named.length === 0 && others === false) return { tsType: "Record<string, never>" };
  return {
    properties: Object.fromEntries(named),
    ...(required && { required: required.map(plain.keyOf) }),
    additionalProperties: others,
  };
}

/** The type of undeclared members: a type has one signature for all of them. */
function othersOf(
  { properties, patternProperties, additionalProperties }: SchemaNode,
  plain: Plain,
): JsonValue {
  const hasNames = (properties?.size ?? 0) > 0;
  const patterns = [...(patternProperties?.values() ?? [])].filter(({ never }) => !never);
  if (!additionalProperties || additionalProperties.always)
    // Undescribed members are no part of the type, unless there is nothing else.
    return additionalProperties?.always === true || patterns.length > 0 || !hasNames;
  const allowed = additionalProperties.never ? patterns : [...patterns, additionalProperties];
  if (allowed.length === 0) return false;
  // A signature would have to hold for the named members, too.
  if (hasNames) return true;
  const [only, ...more] = allowed.map((child) => plainSchema(child, plain));
  return more.length === 0 ? only! : { anyOf: [only!, ...more] };
}

/** The characters around the items of a tuple that may be absent; no text of a schema has these characters. */
const maybe: readonly [start: JsonObject, end: JsonObject] = [{ tsType: "\u0001" }, { tsType: "\u0002" }];

/** The types that schemas with such items came to, as TypeScript has them: `[string, number?]`. */
export function withMaybes(text: string): string {
  return text.replaceAll("\u0001, ", "(").replaceAll(", \u0002", ")?");
}

function arrayOf({ prefixItems, items, minItems = 0 }: SchemaNode, plain: Plain): JsonObject {
  const schemaOf = (child: SchemaNode): JsonObject => plainSchema(child, plain);
  if (!prefixItems) return items && !items.never ? { items: schemaOf(items) } : {};
  const others = items?.never ? false : items && !items.always ? schemaOf(items) : true;
  const all = prefixItems.map(schemaOf);
  const given = all.slice(0, minItems);
  const missing = all.slice(minItems).flatMap((item) => [maybe[0], item, maybe[1]]);
  return { items: [...given, ...missing], additionalItems: others };
}

function descriptionOf({ title, description, default: standard }: SchemaNode): string {
  const text = description ?? title ?? "";
  const lines = [text, ...(standard ? [`@default ${shortened(JSON.stringify(standard.value))}`] : [])];
  return commentText(lines.join("\n")).replaceAll("\t", " ").trim();
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`;
}
