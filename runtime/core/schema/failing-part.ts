import { isObject } from "../jsonrpc/message.js";

/** Keywords of JSON Schema, zod and valibot whose value has a subschema for each member of an object. */
const membersOf = /^(properties|shape|entries)$/;

/** Those that hold the schema of items, or of members with any name. */
const itemsOf = /^(items?|prefixItems|element|rest|additionalProperties|valueType|value)$/;

/** Most parts that are looked at. */
const mostParts = 1_000;

/**
 * The place of a part that fails, none of whose own parts fails: `address.lines[]`; empty for the schema itself.
 *
 * @param fails whether a part, or a part of it, fails; it is called with values that are no schema, too
 */
export function placeOfFailure(schema: unknown, fails: (part: unknown) => boolean): string {
  const pending: (readonly [step: string, part: unknown])[] = [["", schema]];
  const seen = new Set<unknown>([schema]);
  for (const [place, part] of pending) {
    const failing = partsOf(part).filter(([, inner]) => fails(inner));
    if (failing.length === 0) return place.replace(/^\./, "");
    // The loop goes on with what is added here; a schema that refers to itself is added once.
    for (const [step, inner] of failing)
      if (!seen.has(inner) && seen.size < mostParts) {
        seen.add(inner);
        pending.push([place + step, inner]);
      }
  }
  return "";
}

/** Subschemas, and other values that stand where subschemas may. */
function partsOf(schema: unknown): (readonly [step: string, part: unknown])[] {
  if (!isObject(schema)) return [];
  // Schemas of zod have their parts there.
  const { def = schema } = schema;
  return Object.entries(def as object).flatMap(([keyword, value]: [string, unknown]) => {
    if (membersOf.test(keyword) && isObject(value))
      return Object.entries(value).map(([name, part]) => [stepTo(name), part] as const);
    const step = itemsOf.test(keyword) ? "[]" : "";
    return (Array.isArray(value) ? value : [value]).map((part: unknown) => [step, part] as const);
  });
}

function stepTo(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
