import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";

/** Whether a schema takes a value, by ajv. */
export type Verdict = (value: JsonValue) => boolean;

const options = { strict: false, validateFormats: false, validateSchema: false, logger: false } as const;

/** The judge of a schema, of the dialect that its `$schema` names; without one, of 2020-12. */
export function verdictOf({ $schema, ...schema }: JsonObject): Verdict {
  const dialect = String($schema ?? "");
  const Judge = /draft-0[467]/.test(dialect) ? Ajv : dialect.includes("2019-09") ? Ajv2019 : Ajv2020;
  const validate = new Judge(options).compile(schema);
  return (value) => validate(value) as boolean;
}
