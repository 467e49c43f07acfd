import { filled, hasDefaults, withoutOptionalNulls } from "@mcpgen/engine/explain";
import { type CheckedSchema, orElse, schemaCheck } from "./schema-check.js";
import type { Check, JsonSchema, Parse, ToolSchema } from "./schema-type.js";
import { isStandard } from "./standard-schema.js";

// Prepares the arguments of a call for the handler: checks, defaults, nulls.

/**
 * The schema of the arguments of a tool or a prompt. Its check fills in the defaults of JSON Schema; a library fills in
 * its own defaults. Null counts as absent for optional arguments.
 *
 * @param place the name of the schema in errors
 * @throws {McpError} `invalid-definition`
 */
export function argumentsCheck(given: ToolSchema, place: string): CheckedSchema {
  const checked = schemaCheck(given, place, "input", "object");
  const { schema, check } = checked;
  const isFilled = isStandard(given) || !hasDefaults(schema);
  const filling = isFilled ? check : withDefaults(check as Check, () => schema);
  return { schema, check: withoutNulls(filling, () => schema) };
}

/**
 * A check that treats null of an optional member as absent if its schema does not accept null: hosts in the strict mode
 * of OpenAI make each argument required and nullable. Only refused values are searched for nulls.
 *
 * @param schemaOf returns the schema; it is called with each value that is refused
 */
export function withoutNulls(check: Parse, schemaOf: () => JsonSchema | undefined): Parse {
  return orElse(check, async (problem, value, request) => {
    if (request?.connection.definition.nulls === "reject") return problem;
    const schema = schemaOf();
    const rest = schema && withoutOptionalNulls(schema, value);
    if (!rest) return problem;
    const found = await check(rest.value, request);
    if (request) {
      const { method, params, id: requestId } = request.request;
      const name = params?.["name"] as string | undefined;
      request.connection.emit({ type: "nulls-ignored", method, name, requestId, members: rest.nulls });
    }
    return found ?? { value: rest.value };
  });
}

/**
 * A check that fills in the defaults of a JSON Schema for absent members in `properties`, at every depth that
 * `properties`, `items`, `prefixItems`, `allOf` and a `$ref` within the schema reach. Defaults inside an alternative
 * (`anyOf`, `oneOf`, `if`) are ignored, because only the check shows which alternative applies. If the schema refuses a
 * value with its defaults, the value is checked as it was sent, so that a wrong default cannot make a call fail.
 *
 * @param schemaOf returns the schema; it is called with each value
 */
export function withDefaults(check: Check, schemaOf: () => JsonSchema | undefined): Parse {
  return (value, request) => {
    const { argumentDefaults = true } = request?.connection.definition ?? {};
    const root = argumentDefaults ? schemaOf() : undefined;
    const given = root ? filled(root, value) : value;
    return given !== value && check(given) === undefined ? { value: given } : check(value);
  };
}
