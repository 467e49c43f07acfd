import {
  type JsonValue,
  type Opening,
  type SchemaNode,
  jsonObject,
  pointer,
  referenceTo,
} from "@mcpgen/engine";
import { scannedFormat } from "../texts/scanned.js";

/** Keywords whose value is a number, a text, a list of values or `true`. */
const plain = [
  ...(["enum", "minProperties", "maxProperties", "minItems", "maxItems", "uniqueItems"] as const),
  ...(["minContains", "maxContains", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] as const),
  ...(["multipleOf", "minLength", "maxLength", "pattern", "required"] as const),
] as const;

const single = [
  ...(["not", "if", "then", "else", "additionalProperties", "unevaluatedProperties"] as const),
  ...(["propertyNames", "items", "unevaluatedItems", "contains"] as const),
] as const;

const listed = ["allOf", "anyOf", "oneOf", "prefixItems"] as const;

const named = ["properties", "patternProperties", "dependentSchemas"] as const;

/**
 * A node as output contains it, which `readWritten` of the engine reads: the keywords of JSON Schema that judge a value,
 * and `x-open`.
 *
 * @param openingOf what the open reading of a node accepts beside what the node lists
 */
export function writtenNode(
  node: SchemaNode,
  openingOf: (node: SchemaNode) => Opening | undefined,
): JsonValue {
  if (node.always ?? node.never) return node.always === true;
  const inner = (child: SchemaNode): JsonValue => writtenNode(child, openingOf);
  const { ref, types, const: constant, dependentRequired } = node;
  const keywords: [name: string, value: JsonValue | undefined][] = [
    ["$ref", ref === undefined ? undefined : referenceTo(pointer("/$defs", ref))],
    ["type", types?.length === 1 ? types[0] : (types as JsonValue | undefined)],
    ["const", constant?.value],
    ...plain.map((name) => [name, node[name] as JsonValue | undefined] as [string, JsonValue | undefined]),
    ...single.map((name) => [name, node[name] && inner(node[name])] as [string, JsonValue | undefined]),
    ...listed.map((name) => [name, node[name]?.map(inner)] as [string, JsonValue | undefined]),
    ...named.map((name) => [name, written(node[name], inner)] as [string, JsonValue | undefined]),
    ["dependentRequired", written(dependentRequired, (names) => [...names])],
    ["format", scannedFormat(node)],
    ["x-open", node.open && (openingOf(node) as JsonValue | undefined)],
  ];
  return jsonObject(keywords.filter((keyword): keyword is [string, JsonValue] => keyword[1] !== undefined));
}

function written<Value>(
  map: ReadonlyMap<string, Value> | undefined,
  write: (value: Value) => JsonValue,
): JsonValue | undefined {
  return map && jsonObject([...map].map(([name, value]) => [name, write(value)] as const));
}
