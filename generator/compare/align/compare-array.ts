import type { ShapeArm } from "../shape/form.js";
import type { Compared } from "./pair.js";

/** Compares the items of two arrays that correspond. Their lengths are limits like any other. */
export function compareArrays({ aligner, pair }: Compared, old: ShapeArm, next: ShapeArm): void {
  const fixed = Math.max(old.prefix.length, next.prefix.length);
  for (let index = 0; index <= fixed; index++) {
    const [before, after] = [old.prefix[index] ?? old.items, next.prefix[index] ?? next.items];
    if (before.length === 0 && after.length === 0) continue;
    const step = { kind: "item", index } as const;
    aligner.addChild(
      pair,
      { step, old: old.nodes, new: next.nodes },
      orPlace(before, old),
      orPlace(after, next),
    );
  }
}

/** Items without a schema still have a place. */
function orPlace(items: ShapeArm["items"], { pointer }: ShapeArm): ShapeArm["items"] {
  return items.length > 0 ? items : [anything(`${pointer}/items`)];
}

const places = new Map<string, ShapeArm["items"][number]>();

/** A node without keywords, the same for the same place. */
export function anything(pointer: string): ShapeArm["items"][number] {
  let node = places.get(pointer);
  if (!node) places.set(pointer, (node = { pointer }));
  return node;
}
