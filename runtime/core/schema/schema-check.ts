import {
  type JsonValue,
  type PatternBudget,
  type Schema,
  SchemaError,
  isValid,
  readDocument,
} from "@mcpgen/engine/interpreter";
import type { Judge } from "@mcpgen/protocol/model";
import { isObject, isPromise, McpError } from "@mcpgen/base";
import { explainRefusal } from "./refusal.js";
import type { Check, Checked, JsonSchema, Parse, PreparingRequest, ToolSchema } from "./schema-type.js";
import { type Side, isStandard, jsonSchemaOf, parserOf, shapeProblem } from "./standard-schema.js";

/** A schema as it is sent to clients, and its check. */
export interface CheckedSchema {
  readonly schema: JsonSchema;
  readonly check: Parse;
}

/**
 * Makes a check from a schema that is known only at run time.
 *
 * @param place the name of the schema in errors
 * @param side the side of the schema that is sent to clients
 * @param root the `type` that the schema must have at its root
 * @param patternBudget the work allowed for judging its patterns; default: the budget of one document
 * @throws {McpError} `invalid-definition`: the value is no schema, or the engine does not support it
 */
export function schemaCheck(
  given: ToolSchema,
  place: string,
  side: Side,
  root?: "object",
  patternBudget?: PatternBudget,
): CheckedSchema {
  const shape = isStandard(given) ? undefined : shapeProblem(given);
  if (shape !== undefined) throw invalid(place, shape);
  const schema = isStandard(given) ? jsonSchemaOf(given, side, place) : given;
  if (!isObject(schema)) throw invalid(place, "expected a JSON Schema object");
  if (root !== undefined && schema["type"] !== root)
    throw invalid(
      place,
      `expected "type": ${JSON.stringify(root)} at the root, got ${JSON.stringify(schema["type"]) ?? "no type"}`,
    );
  // The library checks the value alone: its JSON Schema may hold patterns that only the library can match.
  if (isStandard(given)) return { schema, check: parserOf(given) };
  return { schema, check: reading(schema, place, patternBudget) };
}

/** @throws {McpError} `invalid-definition` */
function reading(schema: JsonSchema, place: string, patternBudget: PatternBudget | undefined): Check {
  let read: Schema;
  try {
    read = readDocument(schema as JsonValue, patternBudget && { patternBudget });
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw invalid(`${place}${error.pointer}`, error.message, error);
  }
  const { root } = read;
  if (root === undefined) return () => undefined;
  const accepts = (value: unknown): boolean => value !== undefined && isValid(read, root, value as JsonValue);
  return (value) => (accepts(value) ? undefined : explainRefusal(accepts, schema, value));
}

/**
 * Makes a check from a validator. The check returns a few lines that explain why the validator refuses a value.
 *
 * @param schemaOf returns the schema of the validator, for the explanation; without it, the explanation names the first
 *   wrong place only
 */
export function toolCheck(judge: Judge, schemaOf?: () => JsonSchema | undefined): Check {
  return (value) => (judge(value) ? undefined : explainRefusal(judge, schemaOf?.(), value));
}

/** A check that gives the values that another one refuses to `refused`, with what is wrong with them. */
export function orElse(
  check: Parse,
  refused: (problem: string, value: unknown, request?: PreparingRequest) => Promise<Checked>,
): Parse {
  return (value, request) => {
    const found = check(value, request);
    if (found === undefined) return found;
    const settle = (later: Checked): Checked | Promise<Checked> =>
      typeof later === "string" ? refused(later, value, request) : later;
    return isPromise(found) ? found.then(settle) : settle(found);
  };
}

function invalid(place: string, problem: string, cause?: SchemaError): McpError {
  return new McpError("invalid-definition", `${place}: ${problem}.`, { cause });
}
