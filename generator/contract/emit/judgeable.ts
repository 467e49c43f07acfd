import { type JsonObject, type Schema, SchemaError } from "@mcpgen/engine";
import { emitValidators } from "../../emit/validators/emit.js";
import { mergeSchemas } from "./merge.js";

/**
 * Sees whether validators can be printed of a schema. Only keywords that take what is left can make too much of one,
 * so that for all others there is nothing to see.
 *
 * @param written what `schema` was read from
 * @throws SchemaError for the schema as a whole
 */
export function expectJudgeable(schema: Schema, written: JsonObject): void {
  if (!JSON.stringify(written).includes('"unevaluated')) return;
  try {
    emitValidators({
      ...{ origin: "", folder: "", importExtension: "js", render: () => "" },
      schema: mergeSchemas(new Map([["Value", schema]])),
      ...{ formats: "annotation", judgesOnly: true },
    });
  } catch (error) {
    // Its place is one in what is printed from.
    if (error instanceof SchemaError) throw new SchemaError(error.code, "", error.message);
    throw error;
  }
}
