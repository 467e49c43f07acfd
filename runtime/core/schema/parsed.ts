import { isObject, type McpError, type Params } from "@mcpgen/base";
import type { Parse } from "./schema-type.js";

/**
 * Parses params or a result. The schema does not see the members that the protocol adds: `_meta` and `resultType`.
 *
 * @param wrong the error for a value that the schema refuses
 * @returns the new value if the schema makes one, or `value`
 */
export async function parsed(
  parse: Parse,
  value: Params,
  wrong: (problem: string) => McpError,
): Promise<unknown> {
  const found = await parse(withoutEnvelope(value));
  if (typeof found === "string") throw wrong(found);
  return found ? found.value : value;
}

/** The same for a result that must be an object. It keeps its `_meta`. */
export async function parsedResult(
  parse: Parse,
  value: Params,
  wrong: (problem: string) => McpError,
): Promise<Params> {
  const result = await parsed(parse, value, wrong);
  if (!isObject(result)) throw wrong("expected an object");
  return result === value || value._meta === undefined ? result : { ...result, _meta: value._meta };
}

function withoutEnvelope(value: Params): Params {
  if (!isObject(value)) return value;
  const { _meta, resultType, ...own } = value;
  return _meta === undefined && resultType === undefined ? value : (own as Params);
}
