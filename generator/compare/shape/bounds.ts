import { type JsonValue, type SchemaNode, canonicalText, isJsonObject, jsonEqual } from "@mcpgen/engine";
import type { Bounds, Conjunction, ShapeType } from "./form.js";
import { conditionBound, conditionsIn } from "./conditions.js";

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
  ["minContains", { of: "array", joined: "greatest", idle: 1 }],
  ["maxContains", { of: "array", joined: "least" }],
  ["minProperties", { of: "object", joined: "greatest", idle: 0 }],
  ["maxProperties", { of: "object", joined: "least" }],
]);

/** The limits for values of `type` in a conjunction. */
export function boundsOf(nodes: Conjunction, type: ShapeType): Bounds {
  const bounds = new Map<string, JsonValue>();
  for (const node of nodes) {
    for (const [keyword, { of, joined, idle }] of boundKeywords) {
      const value = of === type ? (node[keyword as keyof SchemaNode] as JsonValue | undefined) : undefined;
      if (value !== undefined && value !== idle)
        bounds.set(keyword, join(bounds.get(keyword), value, joined));
    }
    for (const [name, said] of conditionsIn(node, type)) {
      bounds.set(name, join(bounds.get(name), conditionBound(said), "both"));
    }
  }
  foldEnd(bounds, "minimum", "exclusiveMinimum");
  foldEnd(bounds, "maximum", "exclusiveMaximum");
  return bounds;
}

/** Limits as a text that is the same for the same limits. */
export function boundsText(bounds: Bounds): string {
  return canonicalText(Object.fromEntries(bounds));
}

/** The name under which limits stand that differ from arm to arm of a union: a list with the limits of each. */
export const anyOfLimits = "limits";

/** The limits of several arms as one bound; none where an arm has no limits. */
export function boundsOfArms(arms: readonly Bounds[]): Bounds {
  if (arms.some((bounds) => bounds.size === 0)) return new Map();
  return new Map<string, JsonValue>([[anyOfLimits, arms.map((bounds) => Object.fromEntries(bounds))]]);
}

/** The limits of each arm in the bound that `boundsOfArms` made. */
export function armsOf(limits: JsonValue | undefined): Bounds[] {
  return Array.isArray(limits) ? limits.filter(isJsonObject).map((arm) => new Map(Object.entries(arm))) : [];
}

/** Whether a value within the limits of `source` is within those of `target`. */
export function boundsFit(source: Bounds, target: Bounds): boolean {
  return [...target].every(([keyword, limit]) => {
    const own = source.get(keyword);
    if (own === undefined) return false;
    if (keyword === anyOfLimits) return armsFit(armsOf(own), armsOf(limit));
    const [end, other] = [rangeEnd(own), rangeEnd(limit)];
    const isEnd = end && other && boundKeywords.get(keyword)?.joined !== "both";
    return isEnd ? !isTighter(keyword, other, end) : jsonEqual(own, limit);
  });
}

/** Whether a value within the limits of one of `sources` is within those of one of `targets`. */
export function armsFit(sources: readonly Bounds[], targets: readonly Bounds[]): boolean {
  return sources.every((source) => targets.some((target) => boundsFit(source, target)));
}

/** An end of a range of numbers. */
export interface RangeEnd {
  readonly value: number;
  /** Whether the value itself lies outside. */
  readonly exclusive: boolean;
}

/** Which of two ends of one side leaves less room. */
export function isTighter(keyword: string, a: RangeEnd, b: RangeEnd): boolean {
  if (a.value === b.value) return a.exclusive && !b.exclusive;
  return a.value > b.value === (boundKeywords.get(keyword)?.joined === "greatest");
}

/** The end of the range that a bound sets; `undefined` if the bound sets no end. */
export function rangeEnd(value: JsonValue | undefined): RangeEnd | undefined {
  if (typeof value === "number") return { value, exclusive: false };
  const outside = isJsonObject(value) ? value["exclusive"] : undefined;
  return typeof outside === "number" ? { value: outside, exclusive: true } : undefined;
}

/** Two keywords set each end of a range; the one that leaves less room counts, under the name of the first. */
function foldEnd(bounds: Map<string, JsonValue>, keyword: string, exclusive: string): void {
  const outside = bounds.get(exclusive) as number | undefined;
  if (outside === undefined) return;
  bounds.delete(exclusive);
  const inside = rangeEnd(bounds.get(keyword));
  const end = { value: outside, exclusive: true };
  if (!inside || isTighter(keyword, end, inside)) bounds.set(keyword, { exclusive: outside });
}

/** The bounds of whole numbers: an end that lies outside is the next number inside. */
export function wholeBounds(bounds: Bounds): Bounds {
  const whole = new Map(bounds);
  for (const [keyword, inwards] of [
    ["minimum", (end: RangeEnd) => (end.exclusive ? Math.floor(end.value) + 1 : Math.ceil(end.value))],
    ["maximum", (end: RangeEnd) => (end.exclusive ? Math.ceil(end.value) - 1 : Math.floor(end.value))],
  ] as const) {
    const end = rangeEnd(bounds.get(keyword));
    if (end) whole.set(keyword, inwards(end));
  }
  return whole;
}

function join(present: JsonValue | undefined, further: JsonValue, joined: Joined): JsonValue {
  if (present === undefined) return further;
  if (joined === "greatest") return Math.max(present as number, further as number);
  if (joined === "least") return Math.min(present as number, further as number);
  const values = distinct([present, further].flat());
  return values.length === 1 ? values[0]! : values;
}

/** Each value once, in an order that does not depend on that of the list. */
export function distinct(values: readonly JsonValue[]): JsonValue[] {
  const byText = new Map(values.map((value) => [canonicalText(value), value]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
