import type { Judge } from "@mcpgen/protocol/model";
import type { Check, JsonSchema } from "./schema-type.js";

/**
 * Makes a check from a validator. The check returns a few lines that explain why the validator refuses a value.
 *
 * @param schemaOf returns the schema of the validator, for the explanation; without it, the explanation names the first
 *   wrong place only
 */
export function toolCheck(judge: Judge, schemaOf?: () => JsonSchema | undefined): Check {
  return (value) => (judge(value) ? undefined : explained(judge, schemaOf?.(), value));
}

/** Explains why a validator refuses a value. Loads the explainer, which is rarely needed. */
export async function explained(
  judge: Judge,
  schema: JsonSchema | undefined,
  value: unknown,
): Promise<string> {
  const { explainRefusal } = await import("./refusal.js");
  return explainRefusal(judge, schema, value);
}
