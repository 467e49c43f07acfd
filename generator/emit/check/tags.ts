import type { SchemaNode, Tags } from "@mcpgen/engine";

/** A union of objects whose arms a member discriminates. */
export interface Tagged {
  /** The telling member. */
  readonly tag: string;
  /** The arms for each value of it, in the order of the schema. */
  readonly arms: ReadonlyMap<string, readonly SchemaNode[]>;
  /** The arms that can do without the member. */
  readonly absent: readonly SchemaNode[];
  /** The arms that do not say what it must be. */
  readonly otherwise: readonly SchemaNode[];
}

/**
 * The arms by the member that discriminates them best, or `undefined` where none does. All must be objects.
 *
 * @param used members by which outer unions have discriminated these arms
 */
export function taggedBy(
  tags: Tags,
  nodes: readonly SchemaNode[],
  used: ReadonlySet<string>,
): Tagged | undefined {
  const tag = tags.findLoose(nodes, used);
  if (!tag) return undefined;
  const arms = new Map<string, SchemaNode[]>();
  for (const [index, node] of nodes.entries()) {
    for (const value of tag.values[index] as string[]) arms.set(value, [...(arms.get(value) ?? []), node]);
  }
  const isSilent = (index: number): boolean => tag.values[index]!.length === 0;
  return {
    tag: tag.property,
    arms,
    absent: nodes.filter((_, index) => !isSilent(index) && !tag.required[index]),
    otherwise: nodes.filter((_, index) => isSilent(index)),
  };
}
