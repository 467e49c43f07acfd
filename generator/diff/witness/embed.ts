import { type JsonObject, type JsonValue, type SchemaNode, isJsonObject } from "@mcpgen/engine";
import { extended } from "../../sample/edit.js";
import type { Pair, Step } from "../../compare/align/pair.js";
import type { Link, Reached } from "../../compare/reach.js";
import type { Makers } from "../../compare/instance-maker.js";
import type { Conjunction } from "../../compare/shape/form.js";
import { distinguished } from "./distinction.js";

/** The key for a value that any key will do for. */
const anyKey = "example";

type Side = keyof Makers;

/**
 * The value of a root that holds `value` in the place of `pair`, everything around it as small as it can be.
 *
 * @param side what lies around the place is made for it
 * @param refusing the side that is to refuse the whole
 */
export function embedded(
  value: JsonValue,
  pair: Pair,
  reached: Reached,
  makers: Makers,
  side: Side,
  refusing: Side,
): JsonValue | undefined {
  const maker = makers[side];
  let current: JsonValue | undefined = value;
  for (let link = reached.get(pair); link && current !== undefined; link = reached.get(link.from)) {
    const { step } = link.edge;
    const needed: SchemaNode[] = step.kind === "item" ? [{ pointer: "", minItems: step.index + 1 }] : [];
    const nodes: Conjunction = [...link.edge[side], ...needed];
    const around: JsonValue | undefined = maker.minimal(nodes);
    if (step.kind === "item") current = withItem(around, step.index, current);
    else if (isJsonObject(around)) {
      const key = keyOf(step, side);
      current = beyondOtherArms(extended(around, key, current), link, makers, refusing, key);
    } else return undefined;
  }
  return current;
}

/** The object as no other arm of the place's union takes it, as far as members beside `key` can do that. */
function beyondOtherArms(
  object: JsonObject,
  { from, edge }: Link,
  makers: Makers,
  refusing: Side,
  key: string,
): JsonObject {
  const taking = refusing === "new" ? "old" : "new";
  const place = from[refusing].nodes;
  const maker = makers[refusing];
  if (maker.reader.of(place).members.length < 2 || !maker.isValid(place, object)) return object;
  const taker = { maker: makers[taking], arm: edge[taking] };
  return distinguished(object, taker, { maker, arm: edge[refusing] }, place, key) ?? object;
}

function keyOf(step: Exclude<Step, { kind: "item" }>, side: Side): string {
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
