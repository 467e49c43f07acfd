import { isObject } from "../jsonrpc/message.js";

/** What is wrong with a form: only flat objects of primitives are allowed (elicitation, requested schema). */
export function formProblem(schema: unknown): string | undefined {
  if (!isObject(schema) || schema["type"] !== "object" || !isObject(schema["properties"]))
    return "requestedSchema is not an object schema with properties";
  for (const [name, property] of Object.entries(schema["properties"]))
    if (!isObject(property) || !isPrimitive(property))
      return `requestedSchema.properties.${name}: only strings, numbers, booleans and choices can be asked for`;
  return undefined;
}

function isPrimitive(property: Record<string, unknown>): boolean {
  switch (property["type"]) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
      return true;
    case "array":
      return isObject(property["items"]) && isChoice(property["items"]);
    default:
      return false;
  }
}

/**
 * What is wrong with the content of an answer that accepts, in the sentences that explain arguments of tools. Patterns and
 * formats of the form are not checked.
 *
 * @param schema `requestedSchema` of the form
 */
export async function contentProblem(schema: unknown, content: unknown): Promise<string | undefined> {
  const { schemaProblem } = await import("../schema/refusal.js");
  return schemaProblem(schema, content, "/content");
}

/** Either spelling of a choice: a list of values, or one subschema with a title for each value. */
function isChoice({ enum: values, oneOf, anyOf }: Record<string, unknown>): boolean {
  return Array.isArray(values ?? oneOf ?? anyOf);
}
