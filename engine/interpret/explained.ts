import { Explainer } from "../explain/explain.js";
import { formats } from "../formats/format.js";
import type { Schema } from "../ir/ir.js";
import type { JsonValue } from "../ir/json.js";
import { Program } from "./program.js";

/**
 * An explainer for a schema that is known only at run time. It takes its verdicts on definitions from the interpreter.
 *
 * @param reading whether `format` only describes (the default), or texts that are not of their format are invalid
 */
export function explainerFor(schema: Schema, reading: "annotation" | "assertion" = "annotation"): Explainer {
  const asserts = reading === "assertion";
  const program = new Program(schema, asserts);
  return new Explainer(schema, {
    judge: (name, value) => program.judge(schema.definitions.get(name)!.node, value as JsonValue),
    ...(asserts && { formats }),
  });
}
