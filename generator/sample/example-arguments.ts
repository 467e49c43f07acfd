import { type JsonObject, type JsonValue, type Schema, isJsonObject } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { minimalRoot } from "./sample.js";

/**
 * Arguments to try a tool with: those that are required, with the examples and defaults of the schema where they are valid.
 *
 * @param inputSchema of the tool
 * @param schema the same, read
 * @returns undefined if none were found
 */
export function exampleArguments(inputSchema: JsonObject, schema: Schema): JsonObject | undefined {
  const sample = minimalRoot(schema);
  if (!isJsonObject(sample)) return undefined;
  const { properties, examples } = inputSchema;
  const named = Object.entries(sample).map(([key, value]) => {
    const property = isJsonObject(properties) ? properties[key] : undefined;
    if (!isJsonObject(property)) return [key, value] as const;
    return [key, firstOf(property["examples"]) ?? property["default"] ?? value] as const;
  });
  const candidates = [firstOf(examples), Object.fromEntries(named), sample].filter(isJsonObject);
  return candidates.find((each) => isValid(schema, schema.root!, each));
}

function firstOf(examples: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(examples) ? examples[0] : undefined;
}
