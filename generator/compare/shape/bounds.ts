import {
  type JsonValue,
  type LimitKeyword,
  type SchemaNode,
  canonicalText,
  isJsonObject,
  jsonEqual,
  keywords,
} from "@mcpgen/engine";
import { type Bounds, type Conjunction, type ShapeType, saysNothing } from "./form.js";
import { typeText } from "../../print/type-text.js";

/** How the same keyword in two nodes of a conjunction is combined. */
type Joined = "greatest" | "least" | "both";

interface BoundKeyword {
  readonly joined: Joined;
  /** The value without effect. */
  readonly idle?: JsonValue;
}

type BoundName = Exclude<LimitKeyword, "contentEncoding" | "contentMediaType">;

/** Keywords that limit values of one type. */
const boundKeywords: { readonly [Name in BoundName]: BoundKeyword } = {
  minLength: { joined: "greatest", idle: 0 },
  maxLength: { joined: "least" },
  pattern: { joined: "both" },
  format: { joined: "both" },
  minimum: { joined: "greatest" },
  exclusiveMinimum: { joined: "greatest" },
  maximum: { joined: "least" },
  exclusiveMaximum: { joined: "least" },
  multipleOf: { joined: "both" },
  minItems: { joined: "greatest", idle: 0 },
  maxItems: { joined: "least" },
  uniqueItems: { joined: "both" },
  minContains: { joined: "greatest", idle: 1 },
  maxContains: { joined: "least" },
  minProperties: { joined: "greatest", idle: 0 },
  maxProperties: { joined: "least" },
};

const boundEntries = Object.entries(boundKeywords) as [BoundName, BoundKeyword][];

/** The type of the values that a keyword limits; undefined for all other names of bounds. */
export function limitedBy(name: string): ShapeType | undefined {
  return Object.hasOwn(boundKeywords, name) ? keywords.get(name)!.of : undefined;
}

function joinedBy(name: string): Joined | undefined {
  return Object.hasOwn(boundKeywords, name) ? boundKeywords[name as BoundName].joined : undefined;
}

/** The limits that a conjunction sets for values of `type`. */
export function boundsOf(nodes: Conjunction, type: ShapeType): Bounds {
  const bounds = new Map<string, JsonValue>();
  for (const node of nodes) {
    for (const [keyword, { joined, idle }] of boundEntries) {
      // The formats of OpenAPI are of numbers, too.
      const isOf = limitedBy(keyword) === type || (keyword === "format" && type === "number");
      const value = isOf ? node[keyword] : undefined;
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

/** A text that is equal for equal limits. */
export function boundsText(bounds: Bounds): string {
  return canonicalText(Object.fromEntries(bounds));
}

/** Name of the bound that lists the limits of each arm, if they differ between arms of a union. */
export const anyOfLimits = "limits";

/** The limits of several arms as one bound; empty if an arm has no limits. */
export function boundsOfArms(arms: readonly Bounds[]): Bounds {
  if (arms.some((bounds) => bounds.size === 0)) return new Map();
  return new Map<string, JsonValue>([[anyOfLimits, arms.map((bounds) => Object.fromEntries(bounds))]]);
}

/** The limits of each arm, from the bound made by `boundsOfArms`. */
export function armsOf(limits: JsonValue | undefined): Bounds[] {
  return Array.isArray(limits) ? limits.filter(isJsonObject).map((arm) => new Map(Object.entries(arm))) : [];
}

/** Whether every value within `source` is within `target`. */
export function boundsFit(source: Bounds, target: Bounds): boolean {
  return [...target].every(([keyword, limit]) => {
    const own = source.get(keyword);
    if (own === undefined) return false;
    if (keyword === anyOfLimits) return armsFit(armsOf(own), armsOf(limit));
    const [end, other] = [rangeEnd(own), rangeEnd(limit)];
    const isEnd = end && other && joinedBy(keyword) !== "both";
    return isEnd ? !isTighter(keyword, other, end) : jsonEqual(own, limit);
  });
}

/** Whether every value within one of `sources` is within one of `targets`. */
export function armsFit(sources: readonly Bounds[], targets: readonly Bounds[]): boolean {
  return sources.every((source) => targets.some((target) => boundsFit(source, target)));
}

/** An end of a range of numbers. */
export interface RangeEnd {
  readonly value: number;
  /** Whether the value itself is excluded. */
  readonly exclusive: boolean;
}

/** Whether `a` leaves less room than `b`. */
export function isTighter(keyword: string, a: RangeEnd, b: RangeEnd): boolean {
  if (a.value === b.value) return a.exclusive && !b.exclusive;
  return a.value > b.value === (joinedBy(keyword) === "greatest");
}

/** The end of the range in a bound; `undefined` if the bound sets none. */
export function rangeEnd(value: JsonValue | undefined): RangeEnd | undefined {
  if (typeof value === "number") return { value, exclusive: false };
  const outside = isJsonObject(value) ? value["exclusive"] : undefined;
  return typeof outside === "number" ? { value: outside, exclusive: true } : undefined;
}

/** Merges the two keywords for one end of a range: the tighter one counts, under the first keyword's name. */
function foldEnd(bounds: Map<string, JsonValue>, keyword: string, exclusive: string): void {
  const outside = bounds.get(exclusive) as number | undefined;
  if (outside === undefined) return;
  bounds.delete(exclusive);
  const inside = rangeEnd(bounds.get(keyword));
  const end = { value: outside, exclusive: true };
  if (!inside || isTighter(keyword, end, inside)) bounds.set(keyword, { exclusive: outside });
}

/** The bounds for integers: an excluded or fractional end becomes the next integer inside. */
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

/** The values without duplicates, in an order that does not depend on the list's. */
export function distinct(values: readonly JsonValue[]): JsonValue[] {
  const byText = new Map(values.map((value) => [canonicalText(value), value]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

/** The content of a condition: a schema, the schemas of `if`, or names of members. */
export type Said = SchemaNode | Pick<SchemaNode, "if" | "then" | "else"> | readonly string[];

/** Keywords that limit values through another schema, with the types they apply to. */
const conditionKeywords = [
  { keyword: "not", of: ["boolean", "null", "number", "string", "array", "object"] },
  { keyword: "if", of: ["boolean", "null", "number", "string", "array", "object"] },
  { keyword: "contains", of: ["array"] },
  { keyword: "propertyNames", of: ["object"] },
  { keyword: "dependentSchemas", of: ["object"] },
  { keyword: "dependentRequired", of: ["object"] },
  { keyword: "patternProperties", of: ["object"] },
] as const satisfies readonly { readonly keyword: keyof SchemaNode; readonly of: readonly ShapeType[] }[];

/** The name of a condition among the bounds: its keyword, with the key or pattern if there are several. */
function conditionName(keyword: string, key: string): string {
  return `${keyword} ${key}`;
}

/** Splits the name of a bound into keyword and key or pattern. */
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

/** Whether `propertyNames` allows every key. Keys are always strings, so requiring strings has no effect. */
function takesAnyKey({ types, ...rest }: SchemaNode): boolean {
  return saysNothing(rest) && (!types || types.includes("string"));
}

/** A condition as a bound: a list of names, or a schema in JSON. */
export function conditionBound(said: Said): JsonValue {
  return nodeValue(said);
}

/** A node with only one condition. */
export function conditionNode(name: string, said: Said): SchemaNode {
  const { keyword, key } = nameParts(name);
  if (keyword === "if") return { pointer: "", ...said };
  return { pointer: "", [keyword]: key === undefined ? said : new Map([[key, said]]) };
}

const unsaid = new Set([
  "pointer",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "typeText",
  "open",
  "readOnly",
  "writeOnly",
]);

/** A part of the IR as a text that is equal for equal schemas anywhere; references by name. */
export function nodeText(part: unknown): string {
  return canonicalText(nodeValue(part));
}

/** A part of the IR as JSON without annotations, equal for equal schemas anywhere. */
function nodeValue(part: unknown): JsonValue {
  if (part instanceof Map)
    return Object.fromEntries([...part].map(([key, value]) => [String(key), nodeValue(value)]));
  if (Array.isArray(part)) return part.map(nodeValue);
  if (typeof part !== "object" || part === null) return part as JsonValue;
  const said = Object.entries(part).filter(([key, value]) => !unsaid.has(key) && value !== undefined);
  return Object.fromEntries(said.map(([key, value]) => [key, literal(key, value) ?? nodeValue(value)]));
}

/** Constants in a schema are kept as they are. */
function literal(keyword: string, value: unknown): JsonValue | undefined {
  if (keyword === "const") return (value as { readonly value: JsonValue }).value;
  return keyword === "enum" ? (value as JsonValue) : undefined;
}

/** Describes the type of a place. */
export function shapeOf(nodes: Conjunction): string {
  return nodes.length === 0 ? "unknown" : nodes.map(typeText).join(" & ");
}
