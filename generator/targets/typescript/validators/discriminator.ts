import { type Scalar, type SchemaNode, type Tag, naturalCompare } from "@mcpgen/engine";
import type { Shapes } from "./shape.js";

/** A member whose value identifies the arm of a union of objects. */
export interface Discriminator {
  readonly name: string;
  /** Value of the member → the arms that allow it. Every arm allows at least one of the values. */
  readonly arms: ReadonlyMap<Scalar, readonly SchemaNode[]>;
}

/** The discriminator of a union of these arms, each of which accepts objects. */
export function discriminatorOf(shapes: Shapes, arms: readonly SchemaNode[]): Discriminator | undefined {
  const tag = shapes.tags.find(arms);
  return tag && discriminatorFrom(tag, arms);
}

/**
 * The discriminator of an open node: of the object arms in its union, or of the node itself if it is not a
 * union.
 */
export function openDiscriminatorOf(shapes: Shapes, node: SchemaNode): Discriminator | undefined {
  const arms = openArms(node).filter((arm) => shapes.kindsOf(arm).has("object"));
  const tag = shapes.tags.findOpen(arms);
  return tag && discriminatorFrom(tag, arms);
}

/** The known arms of an open node. */
export function openArms(node: SchemaNode): readonly SchemaNode[] {
  if (node.anyOf ?? node.oneOf) return (node.anyOf ?? node.oneOf)!;
  const { open: _, ...arm } = node;
  return [arm];
}

function discriminatorFrom({ property, values }: Tag, arms: readonly SchemaNode[]): Discriminator {
  const byTag = new Map<Scalar, SchemaNode[]>();
  for (const [index, arm] of arms.entries()) {
    for (const value of values[index]!) {
      const same = byTag.get(value);
      if (same) same.push(arm);
      else byTag.set(value, [arm]);
    }
  }
  return { name: property, arms: byTag };
}

/** The members that all arms require with the same single constant. */
export function commonConstants(
  shapes: Shapes,
  arms: readonly SchemaNode[],
): (readonly [name: string, value: Scalar])[] {
  return shapes.tags.commonNames(arms).flatMap((name) => {
    const values = new Set(arms.flatMap((arm) => [...shapes.tags.requiredConstants(arm, name)!]));
    return values.size === 1 ? [[name, [...values][0]!] as const] : [];
  });
}

/** For each arm, a member that only it requires; preferably one that no other arm describes. */
export function presenceTags(shapes: Shapes, arms: readonly SchemaNode[]): string[] | undefined {
  const required = tally(arms.map((arm) => shapes.requiredBy(arm)));
  const described = tally(arms.map((arm) => new Set(shapes.membersOf(arm))));
  const tags = arms.map((arm) => {
    const members = new Set(shapes.membersOf(arm));
    const others = (name: string): number => (described.get(name) ?? 0) - (members.has(name) ? 1 : 0);
    const own = [...shapes.requiredBy(arm)].filter((name) => required.get(name) === 1).sort(naturalCompare);
    return own.find((name) => others(name) === 0) ?? own[0];
  });
  return tags.every((tag) => tag !== undefined) ? tags : undefined;
}

/** For each name, the number of sets that contain it. */
function tally(sets: readonly ReadonlySet<string>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const set of sets) for (const name of set) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
