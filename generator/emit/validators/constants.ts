import { type JsonValue, type SchemaNode, isJsonObject } from "@mcpgen/engine";

/** A schema that accepts `value` alone, in keywords that need no comparison of objects or arrays. */
export function constantSchema(value: JsonValue, pointer: string): SchemaNode {
  if (Array.isArray(value)) {
    const prefixItems = value.map((item) => constantSchema(item, pointer));
    return { pointer, types: ["array"], prefixItems, minItems: value.length, maxItems: value.length };
  }
  if (!isJsonObject(value)) return { pointer, const: { value } };
  const names = Object.keys(value);
  const properties = new Map(names.map((name) => [name, constantSchema(value[name]!, pointer)]));
  return { pointer, types: ["object"], properties, required: names, maxProperties: names.length };
}
