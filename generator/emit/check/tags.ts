import type { Schema, SchemaNode } from "@mcpgen/engine";

/** A union of objects whose arms a member tells apart. */
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

/** What an arm says of a member: the strings it may be, and whether it must be there. */
interface Tag {
  readonly values: ReadonlySet<string>;
  readonly required: boolean;
}

/**
 * The member that tells the most arms apart, or `undefined` where none does. All `arms` must be objects.
 *
 * @param used members that outer unions have told these arms apart by
 */
export function taggedBy(
  schema: Schema,
  arms: readonly SchemaNode[],
  used: ReadonlySet<string>,
): Tagged | undefined {
  let best: Tagged | undefined;
  for (const key of keysOf(schema, arms)) {
    if (used.has(key)) continue;
    const tagged = split(schema, arms, key);
    if (tellsApart(tagged, arms.length) && (!best || tagged.arms.size > best.arms.size)) best = tagged;
  }
  return best;
}

function split(schema: Schema, nodes: readonly SchemaNode[], tag: string): Tagged {
  const arms = new Map<string, SchemaNode[]>();
  const absent: SchemaNode[] = [];
  const otherwise: SchemaNode[] = [];
  for (const node of nodes) {
    const said = tagOf(schema, node, tag);
    if (!said) {
      otherwise.push(node);
      continue;
    }
    for (const value of said.values) arms.set(value, [...(arms.get(value) ?? []), node]);
    if (!said.required) absent.push(node);
  }
  return { tag, arms, absent, otherwise };
}

/** Each value leaves fewer arms than there are, and most arms are told apart by it. */
function tellsApart({ arms, otherwise }: Tagged, count: number): boolean {
  const largest = Math.max(...[...arms.values()].map((group) => group.length));
  return arms.size > 1 && largest < count && otherwise.length * 2 < count;
}

/** Names of members that some arm fixes, in order of appearance. */
function keysOf(schema: Schema, arms: readonly SchemaNode[]): Set<string> {
  const keys = new Set<string>();
  const collect = (node: SchemaNode): void => {
    for (const [key, member] of node.properties ?? []) if (stringsOf(schema, member)) keys.add(key);
    for (const part of inPlace(schema, node)) collect(part);
  };
  for (const arm of arms) collect(arm);
  return keys;
}

function tagOf(schema: Schema, node: SchemaNode, key: string): Tag | undefined {
  const member = node.properties?.get(key);
  const values = member && stringsOf(schema, member);
  const own = values && { values, required: node.required?.includes(key) ?? false };
  const conjuncts = [
    ...(node.ref === undefined ? [] : [schema.definitions.get(node.ref)!.node]),
    ...(node.allOf ?? []),
  ];
  const inherited = conjuncts.map((part) => tagOf(schema, part, key)).find((tag) => tag !== undefined);
  return own ?? inherited ?? (node.anyOf && commonTag(node.anyOf.map((arm) => tagOf(schema, arm, key))));
}

function commonTag(tags: readonly (Tag | undefined)[]): Tag | undefined {
  if (!tags.every((tag) => tag !== undefined)) return undefined;
  return {
    values: new Set(tags.flatMap(({ values }) => [...values])),
    required: tags.every(({ required }) => required),
  };
}

/** The strings a node is limited to, or `undefined`. */
function stringsOf(schema: Schema, node: SchemaNode): ReadonlySet<string> | undefined {
  const values = node.const ? [node.const.value] : node.enum;
  if (values?.every((value) => typeof value === "string")) return new Set(values);
  return node.ref === undefined ? undefined : stringsOf(schema, schema.definitions.get(node.ref)!.node);
}

/** Whether `node` lets nothing but objects be. */
export function isObjectOnly(schema: Schema, node: SchemaNode): boolean {
  if (node.types?.length === 1 && node.types[0] === "object") return true;
  if (node.ref !== undefined && isObjectOnly(schema, schema.definitions.get(node.ref)!.node)) return true;
  if (node.allOf?.some((part) => isObjectOnly(schema, part))) return true;
  return node.anyOf?.every((arm) => isObjectOnly(schema, arm)) ?? false;
}

function inPlace(schema: Schema, node: SchemaNode): SchemaNode[] {
  const referred = node.ref === undefined ? [] : [schema.definitions.get(node.ref)!.node];
  return [...referred, ...(node.allOf ?? []), ...(node.anyOf ?? [])];
}
