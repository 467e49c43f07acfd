import { type Schema, type SchemaNode, children } from "@mcpgen/engine";

/** The node with each of its subschemas changed; the node itself where nothing changes. */
export function withChildren(node: SchemaNode, change: (child: SchemaNode) => SchemaNode): SchemaNode {
  const below = new Set<unknown>(children(node));
  if (below.size === 0) return node;
  let changed = false;
  const changedChild = (child: unknown): unknown => {
    if (!below.has(child)) return child;
    const result = change(child as SchemaNode);
    changed ||= result !== child;
    return result;
  };
  const entries = Object.entries(node).map(([key, value]: [string, unknown]) => {
    if (value instanceof Map)
      return [key, new Map([...value].map(([name, child]) => [name, changedChild(child)]))];
    return [key, Array.isArray(value) ? value.map(changedChild) : changedChild(value)];
  });
  return changed ? (Object.fromEntries(entries) as unknown as SchemaNode) : node;
}

/** The schema with the node of each definition, and the root, changed. */
export function withNodes(schema: Schema, change: (node: SchemaNode) => SchemaNode): Schema {
  const definitions = [...schema.definitions].map(
    ([name, definition]) => [name, { ...definition, node: change(definition.node) }] as const,
  );
  return {
    ...schema,
    definitions: new Map(definitions),
    ...(schema.root && { root: change(schema.root) }),
  };
}
