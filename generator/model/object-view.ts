import type { Schema, SchemaNode } from "@mcpgen/engine";

/** Every schema that a value of `node` must satisfy as a whole: the node, what it refers to, and all of `allOf`. */
export function conjuncts(schema: Schema, node: SchemaNode): SchemaNode[] {
  const seen = new Set<SchemaNode>();
  const pending = [node];
  while (pending.length > 0) {
    const current = pending.pop()!;
    if (seen.has(current)) continue;
    seen.add(current);
    const target = current.ref === undefined ? undefined : schema.definitions.get(current.ref)?.node;
    if (target) pending.push(target);
    pending.push(...(current.allOf ?? []));
  }
  return [...seen];
}

/** All that `node` says of the member `name`, whether directly, by reference or in `allOf`. */
export function memberNodes(schema: Schema, node: SchemaNode, name: string): SchemaNode[] {
  return conjuncts(schema, node)
    .map((part) => part.properties?.get(name))
    .filter((member) => member !== undefined);
}

/** Names of the members that a value of `node` must have. */
export function requiredMembers(schema: Schema, node: SchemaNode): Set<string> {
  return new Set(conjuncts(schema, node).flatMap((part) => part.required ?? []));
}

/** Whether `node` speaks of a member `name`. */
export function hasMember(schema: Schema, node: SchemaNode, name: string): boolean {
  return memberNodes(schema, node, name).length > 0;
}

/** The one string that the member `name` may be, if it may be only one. */
export function constantMember(schema: Schema, node: SchemaNode, name: string): string | undefined {
  for (const member of memberNodes(schema, node, name)) {
    for (const part of conjuncts(schema, member)) {
      const value = part.const ? part.const.value : part.enum?.length === 1 ? part.enum[0] : undefined;
      if (typeof value === "string") return value;
    }
  }
  return undefined;
}
