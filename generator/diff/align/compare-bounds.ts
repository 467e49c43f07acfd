import { type JsonValue, canonicalText, isJsonObject } from "@mcpgen/engine";
import { extended } from "../../sample/edit.js";
import { matching } from "../../sample/strings.js";
import { boundKeywords } from "../shape/bounds.js";
import type { Bounds, Conjunction } from "../shape/form.js";
import type { Maker } from "../witness/maker.js";
import type { Found } from "./compare.js";
import type { Pair } from "./pair.js";

interface Places {
  readonly pair: Pair;
  /** What a value within the old limits must satisfy. */
  readonly old: Conjunction;
  readonly new: Conjunction;
}

/** Compares limits keyword by keyword. A limit that is neither tighter nor looser is both. */
export function compareBounds(
  old: Bounds,
  next: Bounds,
  { old: before, new: after }: Places,
  found: Found,
): void {
  for (const keyword of new Set([...old.keys(), ...next.keys()])) {
    const [was, is] = [old.get(keyword), next.get(keyword)];
    const direction = directionOf(keyword, was, is);
    if (direction === "same") continue;
    const texts = { old: textOf(keyword, was), new: textOf(keyword, is) };
    const values = edges(keyword, [was, is]);
    if (direction !== "looser") {
      const when = keyword === "format" ? { when: "the limit is a format" } : {};
      const narrowed = ({ old: make }: { old: Maker }): JsonValue[] => [
        ...values(make, before),
        ...make.samples(before, 20),
      ];
      found({ rule: "bound-tightened", ...when, ...texts, narrowed });
    }
    if (direction !== "tighter") {
      const widened = ({ new: make }: { new: Maker }): JsonValue[] => [
        ...values(make, after),
        ...make.samples(after, 20),
      ];
      found({ rule: "bound-loosened", ...texts, widened });
    }
  }
}

type Direction = "same" | "tighter" | "looser" | "both";

function directionOf(keyword: string, old: JsonValue | undefined, next: JsonValue | undefined): Direction {
  if (old === undefined) return "tighter";
  if (next === undefined) return "looser";
  if (canonicalText(old) === canonicalText(next)) return "same";
  if (typeof old !== "number" || typeof next !== "number") return "both";
  if (keyword === "multipleOf") {
    if (Number.isInteger(next / old)) return "tighter";
    return Number.isInteger(old / next) ? "looser" : "both";
  }
  const rises = next > old;
  return rises === (boundKeywords.get(keyword)?.joined === "greatest") ? "tighter" : "looser";
}

function textOf(keyword: string, value: JsonValue | undefined): string | null {
  return value === undefined
    ? null
    : `${keyword} ${typeof value === "string" && keyword === "limits" ? value : canonicalText(value)}`;
}

/** Values at and around the limits; most will not be valid, which is found out by trying. */
function edges(
  keyword: string,
  limits: readonly (JsonValue | undefined)[],
): (make: Maker, nodes: Conjunction) => JsonValue[] {
  const numbers = limits.filter(
    (limit) => typeof limit === "number" && Math.abs(limit) <= 10_000,
  ) as number[];
  const around = numbers.flatMap((limit) => [limit, limit - 1, limit + 1, limit / 2, limit + 0.5]);
  switch (boundKeywords.get(keyword)?.of) {
    case "number":
      return () => [...around, 0, 1, 0.5, -1];
    case "string":
      return () => [
        ...lengths(around).map((length) => "x".repeat(length)),
        "example",
        "UPPER",
        "1",
        "",
        "a b",
      ];
    case "array":
      return (make, nodes) => [
        ...lengths(around).map((length) => repeated(make, nodes, length)),
        repeated(make, nodes, 2),
      ];
    case "object":
      return (make, nodes) => lengths(around).map((length) => padded(make, nodes, length));
    default:
      return (make, nodes) =>
        keyedBy.has(keyword)
          ? withKeys(make, nodes, keyword, limits)
          : [...limits.flatMap(constantsIn), ...withOneMember(make, nodes)];
  }
}

/** Limits that are compared as text hold schemas; the constants in them are where they matter. */
function constantsIn(limit: JsonValue | undefined): JsonValue[] {
  if (typeof limit !== "string" || !limit.startsWith("{")) return [];
  const found: JsonValue[] = [];
  const visit = (part: JsonValue): void => {
    if (!isJsonObject(part)) return Array.isArray(part) ? part.forEach(visit) : undefined;
    const { const: constant, enum: listed } = part;
    if (isJsonObject(constant) && constant["value"] !== undefined) found.push(constant["value"]);
    if (Array.isArray(listed)) found.push(...listed);
    for (const each of Object.values(part)) visit(each);
  };
  visit(JSON.parse(limit) as JsonValue);
  return found;
}

/** Objects with one declared member beside those that must be there. */
function withOneMember(make: Maker, nodes: Conjunction): JsonValue[] {
  const object = make.minimal(nodes);
  if (!isJsonObject(object)) return [];
  const properties = make.reader.of(nodes).members.flatMap((member) => [...member.properties]);
  return properties.map(([key, property]) => extended(object, key, make.minimal(property.nodes) ?? null));
}

/** Limits of an object that depend on its keys. */
const keyedBy: ReadonlySet<string> = new Set([
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
]);

/** Objects with one key more: one that the limit speaks of, or one that nobody speaks of. */
function withKeys(
  make: Maker,
  nodes: Conjunction,
  keyword: string,
  limits: readonly (JsonValue | undefined)[],
): JsonValue[] {
  const named = limits.flatMap((limit) =>
    typeof limit === "string" ? Object.keys(JSON.parse(limit) as object) : [],
  );
  const keys =
    keyword === "patternProperties" ? named.map((pattern) => matching([pattern], "x") ?? "x") : named;
  const object = make.minimal(nodes);
  if (!isJsonObject(object)) return [];
  return [...keys, "x-undeclared", "UPPER", "1", "a b"].flatMap((key) =>
    ["text", 1.5, true, {}].map((value) => extended(object, key, value)),
  );
}

function lengths(numbers: readonly number[]): number[] {
  return [...new Set(numbers.filter((number) => Number.isInteger(number) && number >= 0))];
}

/** An array of so many items; equal ones, as far as the minimum allows. */
function repeated(make: Maker, nodes: Conjunction, length: number): JsonValue {
  const array = make.minimal([...nodes, { pointer: "", minItems: length }]);
  return Array.isArray(array)
    ? Array.from({ length }, (_, index) => array[Math.min(index, 0)] ?? "item")
    : [];
}

function padded(make: Maker, nodes: Conjunction, length: number): JsonValue {
  return make.minimal([...nodes, { pointer: "", minProperties: length }]) ?? {};
}
