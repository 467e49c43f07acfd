import type { Schema, SchemaNode } from "@mcpgen/engine";

/** Computes the depth of the smallest instance of a node: scalars 0, objects and arrays 1 more than what they need. */
export type HeightOf = (node: SchemaNode) => number;

const known = new WeakMap<Schema, HeightOf>();

/**
 * The heights of `schema`'s nodes; `Infinity` where no instance is finite. Sampling of recursive definitions ends
 * because it always steps to the lowest node.
 */
export function heightsOf(schema: Schema): HeightOf {
  let heightOf = known.get(schema);
  if (!heightOf) known.set(schema, (heightOf = measure(schema)));
  return heightOf;
}

function measure(schema: Schema): HeightOf {
  const heights = new Map<string, number>();
  const heightOf: HeightOf = (node) => nodeHeight(node, (name) => heights.get(name) ?? Infinity);
  const definitions = [...schema.definitions];
  // Heights only ever fall, so repeating until none falls finds the least ones. Nodes that need one another form
  // chains, which one of the two directions follows in one pass.
  for (let changed = true; changed; definitions.reverse()) {
    changed = false;
    for (const [name, { node }] of definitions) {
      const height = heightOf(node);
      if (height < (heights.get(name) ?? Infinity)) {
        heights.set(name, height);
        changed = true;
      }
    }
  }
  return heightOf;
}

function nodeHeight(node: SchemaNode, definition: (name: string) => number): number {
  if (node.never) return Infinity;
  const of = (child: SchemaNode): number => nodeHeight(child, definition);
  let height = ownHeight(node, of);
  if (node.ref !== undefined) height = Math.max(height, definition(node.ref));
  for (const member of node.allOf ?? []) height = Math.max(height, of(member));
  if (node.anyOf) height = Math.max(height, Math.min(...node.anyOf.map(of)));
  if (node.oneOf) height = Math.max(height, Math.min(...node.oneOf.map(of)));
  return height;
}

function ownHeight(node: SchemaNode, of: HeightOf): number {
  if (node.const || node.enum) return 0;
  const { types } = node;
  if (types?.some((type) => type !== "object" && type !== "array")) return 0;
  const asArray = (): number => 1 + (node.items && (node.minItems ?? 0) > 0 ? of(node.items) : 0);
  const asObject = (): number => {
    const children = (node.required ?? [])
      .map((key) => node.properties?.get(key))
      .filter((child) => child !== undefined);
    return 1 + Math.max(0, ...children.map(of));
  };
  if (!types) return node.required ? asObject() : 0;
  return Math.min(
    types.includes("object") ? asObject() : Infinity,
    types.includes("array") ? asArray() : Infinity,
  );
}
