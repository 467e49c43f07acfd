import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonValue, Schema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";

/** Verdicts of ajv on the definitions of a document written as plain JSON. */
export function ajvFor(definitions: object): (name: string, value: JsonValue) => boolean {
  // Without `ownProperties` ajv takes inherited members, such as `constructor`, for present.
  const options = { strict: false, validateFormats: false, ownProperties: true };
  // The dialect's own schemas are not needed, and take longer to compile than what is tested.
  const ajv = new Ajv2020({ ...options, meta: false, validateSchema: false });
  ajv.addSchema({ $defs: definitions }, "document");
  return (name, value) => {
    const token = encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
    return ajv.validate({ $ref: `document#/$defs/${token}` }, value);
  };
}

/** Verdicts of the engine's interpreter. */
export function interpreterFor(schema: Schema): (name: string, value: JsonValue) => boolean {
  return (name, value) => isValid(schema, schema.definitions.get(name)!.node, value);
}
