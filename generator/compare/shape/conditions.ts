import type { JsonValue, SchemaNode } from "@mcpgen/engine";
import { saysNothing } from "./alternatives.js";
import type { ShapeType } from "./form.js";
import { nodeValue } from "./node-text.js";

/** The content of a condition: a schema, the three of `if`, or the names of members. */
export type Said = SchemaNode | Pick<SchemaNode, "if" | "then" | "else"> | readonly string[];

/** Keywords that limit values by another schema, with the types that they limit. */
const conditionKeywords = [
  { keyword: "not", of: ["boolean", "null", "number", "string", "array", "object"] },
  { keyword: "if", of: ["boolean", "null", "number", "string", "array", "object"] },
  { keyword: "contains", of: ["array"] },
  { keyword: "propertyNames", of: ["object"] },
  { keyword: "dependentSchemas", of: ["object"] },
  { keyword: "dependentRequired", of: ["object"] },
  { keyword: "patternProperties", of: ["object"] },
] as const satisfies readonly { readonly keyword: keyof SchemaNode; readonly of: readonly ShapeType[] }[];

/** A condition's name among the bounds: its keyword, and the key or pattern where it has several. */
function conditionName(keyword: string, key: string): string {
  return `${keyword} ${key}`;
}

/** The keyword of a bound's name, and the key or pattern that stands behind it. */
export function nameParts(name: string): { readonly keyword: string; readonly key: string | undefined } {
  const at = name.indexOf(" ");
  return at < 0 ? { keyword: name, key: undefined } : { keyword: name.slice(0, at), key: name.slice(at + 1) };
}

export function isCondition(name: string): boolean {
  return conditionKeywords.some(({ keyword }) => keyword === nameParts(name).keyword);
}

/** The conditions that a node sets for values of `type`, by name. */
export function* conditionsIn(node: SchemaNode, type: ShapeType): Generator<readonly [string, Said]> {
  for (const { keyword, of } of conditionKeywords) {
    const said = node[keyword];
    if (said === undefined || !(of as readonly ShapeType[]).includes(type)) continue;
    if (said instanceof Map) {
      for (const [key, each] of said as ReadonlyMap<string, SchemaNode | readonly string[]>)
        yield [conditionName(keyword, key), each];
    } else if (keyword === "if") yield ["if", ifOf(node)];
    else if (keyword !== "propertyNames" || !takesAnyKey(said as SchemaNode))
      yield [keyword, said as SchemaNode];
  }
}

function ifOf({ if: condition, then: consequence, else: otherwise }: SchemaNode): Said {
  return {
    ...(condition && { if: condition }),
    ...(consequence && { then: consequence }),
    ...(otherwise && { else: otherwise }),
  };
}

/** Keys are always strings: `propertyNames` that only requires strings allows every key. */
function takesAnyKey({ types, ...rest }: SchemaNode): boolean {
  return saysNothing(rest) && (!types || types.includes("string"));
}

/** A condition as a bound: a list of names, or a schema as JSON. */
export function conditionBound(said: Said): JsonValue {
  return nodeValue(said);
}

/** A node that sets one condition and has no other keyword. */
export function conditionNode(name: string, said: Said): SchemaNode {
  const { keyword, key } = nameParts(name);
  if (keyword === "if") return { pointer: "", ...said };
  return { pointer: "", [keyword]: key === undefined ? said : new Map([[key, said]]) };
}
