import { type SchemaNode, naturalCompare } from "@mcpgen/engine";
import type { Scalar } from "./kind.js";
import type { Shapes } from "./shape.js";

/** A member that tells the arms of a union of objects apart. */
export interface Discriminator {
  readonly name: string;
  /** Tag → the arms that may carry it. Every arm carries one of the tags. */
  readonly arms: ReadonlyMap<Scalar, readonly SchemaNode[]>;
}

/** The member that all arms require and limit to constants, and by which they differ most. */
export function discriminatorOf(shapes: Shapes, arms: readonly SchemaNode[]): Discriminator | undefined {
  let best: Discriminator | undefined;
  for (const name of commonTagNames(shapes, arms)) {
    const byTag = armsByTag(shapes, arms, name);
    if (byTag.size > (best?.arms.size ?? 1)) best = { name, arms: byTag };
  }
  return best;
}

/**
 * The discriminator of an open union, which may know a single tag so far: then it is the constant that
 * differs most from definition to definition (`method` rather than `jsonrpc`).
 */
export function openDiscriminatorOf(shapes: Shapes, arms: readonly SchemaNode[]): Discriminator | undefined {
  const several = discriminatorOf(shapes, arms);
  if (several || arms.length !== 1) return several;
  const names = commonTagNames(shapes, arms);
  const [name] = names.sort((a, b) => shapes.tagVariety(b) - shapes.tagVariety(a));
  return name === undefined ? undefined : { name, arms: armsByTag(shapes, arms, name) };
}

function armsByTag(shapes: Shapes, arms: readonly SchemaNode[], name: string): Map<Scalar, SchemaNode[]> {
  const byTag = new Map<Scalar, SchemaNode[]>();
  for (const arm of arms) {
    for (const tag of shapes.tagsOf(arm, name)!) byTag.set(tag, [...(byTag.get(tag) ?? []), arm]);
  }
  return byTag;
}

/** Members by which all arms are the same: required, with one constant. */
export function commonConstants(
  shapes: Shapes,
  arms: readonly SchemaNode[],
): (readonly [name: string, value: Scalar])[] {
  return commonTagNames(shapes, arms).flatMap((name) => {
    const values = new Set(arms.flatMap((arm) => [...shapes.tagsOf(arm, name)!]));
    return values.size === 1 ? [[name, [...values][0]!] as const] : [];
  });
}

/** For each arm a member that it requires and no other arm does; rather one that others do not even describe. */
export function presenceTags(shapes: Shapes, arms: readonly SchemaNode[]): string[] | undefined {
  const tags = arms.map((arm) => {
    const others = arms.filter((other) => other !== arm);
    const described = new Set(others.flatMap((other) => shapes.membersOf(other)));
    const required = new Set(others.flatMap((other) => [...shapes.requiredBy(other)]));
    const own = [...shapes.requiredBy(arm)].filter((name) => !required.has(name)).sort(naturalCompare);
    return own.find((name) => !described.has(name)) ?? own[0];
  });
  return tags.every((tag) => tag !== undefined) ? tags : undefined;
}

function commonTagNames(shapes: Shapes, arms: readonly SchemaNode[]): string[] {
  const [first, ...rest] = arms;
  if (!first) return [];
  const names = new Set(shapes.tagNames(first));
  return [...names].filter((name) => rest.every((arm) => shapes.tagsOf(arm, name))).sort(naturalCompare);
}
