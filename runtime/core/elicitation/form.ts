import { isObject } from "../peer/message.js";

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
      return isObject(property["items"]) && choicesOf(property["items"]) !== undefined;
    default:
      return false;
  }
}

/** What is wrong with the content a user is said to have filled in. */
export function contentProblem(schema: unknown, content: Record<string, unknown>): string | undefined {
  const { properties, required = [] } = schema as {
    properties: Record<string, Record<string, unknown>>;
    required?: readonly string[];
  };
  for (const name of required) if (!Object.hasOwn(content, name)) return `content.${name} is missing`;
  for (const [name, value] of Object.entries(content)) {
    if (!Object.hasOwn(properties, name)) continue;
    const problem = valueProblem(properties[name]!, value);
    if (problem !== undefined) return `content.${name}: expected ${problem}, got ${JSON.stringify(value)}`;
  }
  return undefined;
}

/** What was expected in place of `value`. */
function valueProblem(property: Record<string, unknown>, value: unknown): string | undefined {
  if (property["type"] === "array") return listProblem(property, value);
  const choices = choicesOf(property);
  if (choices)
    return choices.includes(value)
      ? undefined
      : `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
  switch (property["type"]) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "a boolean";
    case "string":
      return typeof value === "string"
        ? boundProblem(property, "Length", [...value].length, "characters")
        : "a string";
    default:
      return numberProblem(property, value);
  }
}

function numberProblem(property: Record<string, unknown>, value: unknown): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "a number";
  if (property["type"] === "integer" && !Number.isInteger(value)) return "an integer";
  const { minimum, maximum } = property;
  if (typeof minimum === "number" && value < minimum) return `at least ${minimum}`;
  if (typeof maximum === "number" && value > maximum) return `at most ${maximum}`;
  return undefined;
}

function listProblem(property: Record<string, unknown>, value: unknown): string | undefined {
  if (!Array.isArray(value)) return "a list";
  const choices = choicesOf(property["items"] as Record<string, unknown>) ?? [];
  if (value.some((item) => !choices.includes(item)))
    return `some of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
  return boundProblem(property, "Items", value.length, "items");
}

function boundProblem(
  property: Record<string, unknown>,
  what: string,
  size: number,
  unit: string,
): string | undefined {
  const least = property[`min${what}`];
  const most = property[`max${what}`];
  if (typeof least === "number" && size < least) return `at least ${least} ${unit}`;
  if (typeof most === "number" && size > most) return `at most ${most} ${unit}`;
  return undefined;
}

/** The values a choice leaves, in either of its spellings. */
function choicesOf(property: Record<string, unknown>): readonly unknown[] | undefined {
  const { enum: values, oneOf, anyOf } = property;
  if (Array.isArray(values)) return values;
  const titled = oneOf ?? anyOf;
  return Array.isArray(titled)
    ? titled.map((choice: unknown) => (isObject(choice) ? choice["const"] : undefined))
    : undefined;
}
