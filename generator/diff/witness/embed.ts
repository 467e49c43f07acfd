import { type JsonValue, type SchemaNode, isJsonObject } from "@mcpgen/engine";
import { extended } from "../../sample/edit.js";
import type { Pair, Step } from "../../compare/align/pair.js";
import type { Reached } from "../../compare/reach.js";
import type { Maker } from "../../compare/instance-maker.js";
import type { Conjunction } from "../../compare/shape/form.js";

/** The key for a value that any key will do for. */
const anyKey = "example";

/** The value of a root that holds `value` in the place of `pair`, everything around it as small as it can be. */
export function embedded(
  value: JsonValue,
  pair: Pair,
  reached: Reached,
  maker: Maker,
  side: "old" | "new",
): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (let link = reached.get(pair); link && current !== undefined; link = reached.get(link.from)) {
    const { step } = link.edge;
    const needed: SchemaNode[] = step.kind === "item" ? [{ pointer: "", minItems: step.index + 1 }] : [];
    const nodes: Conjunction = [...link.edge[side], ...needed];
    const around: JsonValue | undefined = maker.fitting(nodes) ?? maker.minimal(nodes);
    if (step.kind === "item") current = withItem(around, step.index, current);
    else if (isJsonObject(around)) current = extended(around, keyOf(step, side), current);
    else return undefined;
  }
  return current;
}

function keyOf(step: Exclude<Step, { kind: "item" }>, side: "old" | "new"): string {
  if (step.kind === "other") return anyKey;
  return side === "new" ? (step.newKey ?? step.key) : step.key;
}

function withItem(around: JsonValue | undefined, index: number, value: JsonValue): JsonValue | undefined {
  if (!Array.isArray(around)) return undefined;
  const items = [...around];
  while (items.length < index) items.push(null);
  items[index] = value;
  return items;
}
