import { Explainer } from "../explain/explain.js";
import { formats } from "../formats/format.js";
import type { Schema } from "../ir/ir.js";
import type { JsonValue } from "../ir/json.js";
import { Program } from "./program.js";

/**
 * Makes an explainer for a schema that is known only at run time. The interpreter gives the verdicts on definitions.
 *
 * @param reading `annotation`: `format` is not checked (the default); `assertion`: a text must match its format
 */
export function explainerFor(schema: Schema, reading: "annotation" | "assertion" = "annotation"): Explainer {
  const asserts = reading === "assertion";
  const program = new Program(schema, asserts);
  return new Explainer(schema, {
    judge: (name, value) => program.judge(schema.definitions.get(name)!.node, value as JsonValue),
    ...(asserts && { formats }),
  });
}
