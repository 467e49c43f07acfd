import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "@mcpgen/engine";

/** Verdicts of ajv, which reads the same document and shares no code with us; by definition name. */
export function oracleOf(document: JsonObject): ReadonlyMap<string, (value: unknown) => boolean> {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "schema");
  const names = Object.keys(document["$defs"] as JsonObject);
  return new Map(
    names.map((name) => {
      const token = name.replaceAll("~", "~0").replaceAll("/", "~1");
      const validate = ajv.getSchema(`schema#/$defs/${encodeURIComponent(token)}`)!;
      return [name, (value: unknown) => validate(value) as boolean];
    }),
  );
}
