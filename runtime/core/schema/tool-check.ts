import type { Judge } from "@mcpgen/protocol/model";
import type { Check } from "../server/tools.js";
import type { JsonSchema } from "./json-schema.js";

/**
 * Makes a check of a validator: it says in a few lines what is wrong with a value that the validator refuses.
 *
 * @param schemaOf gives the schema that the validator was made of, for the explanation; without it, the first wrong
 *   place is told
 */
export function toolCheck(judge: Judge, schemaOf?: () => JsonSchema | undefined): Check {
  return (value) => (judge(value) ? undefined : explained(judge, schemaOf, value));
}

/** What explains is loaded when there is something to explain. */
async function explained(
  judge: Judge,
  schemaOf: (() => JsonSchema | undefined) | undefined,
  value: unknown,
): Promise<string> {
  const { explainRefusal } = await import("./refusal.js");
  return explainRefusal(judge, schemaOf?.(), value);
}
