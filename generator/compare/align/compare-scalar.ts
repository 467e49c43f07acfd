import { type JsonValue, type Schema, canonicalText } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { boundsOfArms, boundsText, rangeEnd } from "../shape/bounds.js";
import type { Bounds, Conjunction, Scalar, ScalarType } from "../shape/form.js";
import type { Found } from "./compare.js";
import { compareBounds } from "./compare-bounds.js";
import type { Aligner } from "./aligner.js";
import type { Pair } from "./pair.js";

/** The place where scalars are compared. */
interface ScalarContext {
  readonly aligner: Aligner;
  readonly pair: Pair;
}

/** Compares what scalars of one type may be, where both sides allow that type. */
export function compareScalars(
  { aligner, pair }: ScalarContext,
  type: ScalarType,
  old: Scalar,
  next: Scalar,
  found: Found,
): void {
  const [listedBefore, listedAfter] = [old.free.length === 0, next.free.length === 0];
  const taken = {
    old: takenOf(old.values, pair.old.nodes, aligner.old.schema),
    new: takenOf(next.values, pair.new.nodes, aligner.new.schema),
  };
  if (listedBefore && listedAfter) return compareValues(taken.old, taken.new, found);
  if (listedBefore) return compareOpened(taken.old, pair, type, found);
  if (listedAfter) return compareListed(taken.new, pair, type, found);
  // Beside arms without a list, a value of a list may be within the limits of another arm.
  const others = {
    old: taken.new.filter((value) => takes(pair.old.nodes, aligner.old.schema, value)),
    new: taken.old.filter((value) => takes(pair.new.nodes, aligner.new.schema, value)),
  };
  compareValues([...taken.old, ...others.old], [...taken.new, ...others.new], found);
  const arms = { old: old.free, new: next.free };
  const places = { aligner, pair, old: pair.old.nodes, new: pair.new.nodes, arms };
  const [before, after] = [without(old.free, next.free), without(next.free, old.free)];
  if (before.length === 1 && after.length === 1) {
    compareInteger(before[0]!, after[0]!, found);
    return compareBounds(withoutInteger(before[0]!), withoutInteger(after[0]!), places, found);
  }
  if (before.length + after.length > 0)
    compareBounds(boundsOfArms(old.free), boundsOfArms(next.free), places, found);
}

/** The values of a list that a place takes: what stands beside the list, or around it, may refuse some. */
function takenOf(values: readonly JsonValue[], nodes: Conjunction, schema: Schema): readonly JsonValue[] {
  const isAlone = nodes.every((node) => Object.keys(node).every((keyword) => lists.has(keyword)));
  return isAlone ? values : values.filter((value) => takes(nodes, schema, value));
}

/** Keywords of a node that refuses no value of its list. */
const lists: ReadonlySet<string> = new Set(["pointer", "types", "enum", "const", "description", "title"]);

function takes(nodes: Conjunction, schema: Schema, value: JsonValue): boolean {
  return nodes.every((node) => isValid(schema, node, value));
}

/** The arms that the other side has not. */
function without(arms: readonly Bounds[], others: readonly Bounds[]): readonly Bounds[] {
  const known = new Set(others.map(boundsText));
  return arms.filter((arm) => !known.has(boundsText(arm)));
}

/** Lists of values. */
export function compareValues(old: readonly JsonValue[], next: readonly JsonValue[], found: Found): void {
  // By text: lists of countries or currencies are long, and some are very long.
  const [before, after] = [new Set(old.map(canonicalText)), new Set(next.map(canonicalText))];
  const removed = old.filter((value) => !after.has(canonicalText(value)));
  const added = next.filter((value) => !before.has(canonicalText(value)));
  if (old.length === 1 && next.length === 1 && removed.length === 1) {
    const narrowed = (): readonly JsonValue[] => removed;
    const widened = (): readonly JsonValue[] => added;
    return found({
      rule: "const-changed",
      old: canonicalText(old[0]!),
      new: canonicalText(next[0]!),
      narrowed,
      widened,
    });
  }
  for (const value of removed) {
    found({ rule: "enum-value-removed", old: canonicalText(value), new: null, narrowed: () => [value] });
  }
  for (const value of added) {
    found({ rule: "enum-value-added", old: null, new: canonicalText(value), widened: () => [value] });
  }
}

/** Values that no list is likely to have. */
function unlisted(type: ScalarType, listed: readonly JsonValue[]): JsonValue[] {
  const samples: readonly JsonValue[] =
    type === "number" ? [7919, 0.5, 1, 0] : type === "boolean" ? [true, false] : ["unlisted", ""];
  return samples.filter((value) => !listed.includes(value));
}

function compareOpened(values: readonly JsonValue[], pair: Pair, type: ScalarType, found: Found): void {
  const rule = values.length === 1 ? "const-removed" : "enum-opened";
  found({
    rule,
    widened: ({ new: make }) => [
      ...unlisted(type, values),
      make.minimal(pair.new.nodes),
      ...make.samples(pair.new.nodes, 8),
    ],
  });
}

function compareListed(values: readonly JsonValue[], pair: Pair, type: ScalarType, found: Found): void {
  const rule = values.length === 1 ? "const-added" : "enum-closed";
  found({
    rule,
    narrowed: ({ old: make }) => [
      ...unlisted(type, values),
      make.minimal(pair.old.nodes),
      ...make.samples(pair.old.nodes, 8),
    ],
  });
}

function compareInteger(old: Bounds, next: Bounds, found: Found): void {
  const limits = [...old.values(), ...next.values()].flatMap((limit) => rangeEnd(limit)?.value ?? []);
  const near = limits.flatMap((limit) => [limit, limit + 0.5, limit - 0.5]);
  const fractions = (): readonly JsonValue[] =>
    [0.5, 1.5, -0.5, 10.5, ...near].filter((value) => !Number.isInteger(value));
  if (old.has("integer") && !next.has("integer")) found({ rule: "integer-to-number", widened: fractions });
  if (!old.has("integer") && next.has("integer")) found({ rule: "number-to-integer", narrowed: fractions });
}

function withoutInteger(bounds: Bounds): Bounds {
  return new Map([...bounds].filter(([keyword]) => keyword !== "integer"));
}
