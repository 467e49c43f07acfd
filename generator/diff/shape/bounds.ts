import { type JsonValue, type SchemaNode, canonicalText } from "@mcpgen/engine";
import type { Bounds, Conjunction, ShapeType } from "./form.js";
import { saysNothing } from "./alternatives.js";
import { nodeText } from "./node-text.js";

/** How the same keyword in two nodes of a conjunction adds up. */
type Joined = "greatest" | "least" | "both";

interface BoundKeyword {
  readonly of: ShapeType;
  readonly joined: Joined;
  /** The value that limits nothing. */
  readonly idle?: JsonValue;
}

/** Keywords that limit values of one type. */
export const boundKeywords: ReadonlyMap<string, BoundKeyword> = new Map<string, BoundKeyword>([
  ["minLength", { of: "string", joined: "greatest", idle: 0 }],
  ["maxLength", { of: "string", joined: "least" }],
  ["pattern", { of: "string", joined: "both" }],
  ["format", { of: "string", joined: "both" }],
  ["minimum", { of: "number", joined: "greatest" }],
  ["exclusiveMinimum", { of: "number", joined: "greatest" }],
  ["maximum", { of: "number", joined: "least" }],
  ["exclusiveMaximum", { of: "number", joined: "least" }],
  ["multipleOf", { of: "number", joined: "both" }],
  ["minItems", { of: "array", joined: "greatest", idle: 0 }],
  ["maxItems", { of: "array", joined: "least" }],
  ["uniqueItems", { of: "array", joined: "both" }],
  ["minContains", { of: "array", joined: "greatest" }],
  ["maxContains", { of: "array", joined: "least" }],
  ["minProperties", { of: "object", joined: "greatest", idle: 0 }],
  ["maxProperties", { of: "object", joined: "least" }],
]);

/** Keywords whose meaning is compared as text, by the types they limit. */
const textKeywords: readonly { readonly keyword: keyof SchemaNode; readonly of: readonly ShapeType[] }[] = [
  ...(["not", "if"] as const).map((keyword) => ({
    keyword,
    of: ["boolean", "null", "number", "string", "array", "object"] as const,
  })),
  { keyword: "contains", of: ["array"] },
  { keyword: "unevaluatedItems", of: ["array"] },
  { keyword: "dependentSchemas", of: ["object"] },
  { keyword: "dependentRequired", of: ["object"] },
  { keyword: "patternProperties", of: ["object"] },
  { keyword: "propertyNames", of: ["object"] },
];

/** What limits values of `type` in a conjunction. */
export function boundsOf(nodes: Conjunction, type: ShapeType, text = nodeText): Bounds {
  const bounds = new Map<string, JsonValue>();
  for (const node of nodes) {
    for (const [keyword, { of, joined, idle }] of boundKeywords) {
      const value = of === type ? (node[keyword as keyof SchemaNode] as JsonValue | undefined) : undefined;
      if (value !== undefined && value !== idle)
        bounds.set(keyword, join(bounds.get(keyword), value, joined));
    }
    for (const { keyword, of } of textKeywords) {
      if (node[keyword] === undefined || !of.includes(type) || takesAnyKey(keyword, node)) continue;
      const said = keyword === "if" ? { if: node.if, then: node.then, else: node.else } : node[keyword];
      bounds.set(keyword, join(bounds.get(keyword), text(said), "both"));
    }
  }
  return bounds;
}

/** Keys are strings, whatever else is said: names that must be strings may be any. */
function takesAnyKey(keyword: keyof SchemaNode, { propertyNames }: SchemaNode): boolean {
  if (keyword !== "propertyNames" || !propertyNames) return false;
  const { types, ...rest } = propertyNames;
  return saysNothing(rest) && (!types || types.includes("string"));
}

function join(present: JsonValue | undefined, further: JsonValue, joined: Joined): JsonValue {
  if (present === undefined) return further;
  if (joined === "greatest") return Math.max(present as number, further as number);
  if (joined === "least") return Math.min(present as number, further as number);
  const values = [present, further].flat().map((value) => [canonicalText(value), value] as const);
  const distinct = [...new Map(values)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  return distinct.length === 1 ? distinct[0]! : distinct;
}
