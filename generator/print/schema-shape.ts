import type { SchemaNode } from "@mcpgen/engine";

/** The innermost items of nested arrays, with the suffix for each level. */
export function itemsOf(node: SchemaNode): { holder: SchemaNode; suffix: string } {
  let holder = node;
  let suffix = "";
  while (holder.types?.length === 1 && holder.types[0] === "array" && holder.items && !holder.prefixItems) {
    holder = holder.items;
    suffix += "[]";
  }
  return { holder, suffix };
}

/** Whether the node only describes members of an object. */
export function isPlainObject(node: SchemaNode): boolean {
  const combined = node.ref ?? node.allOf ?? node.anyOf ?? node.oneOf ?? node.const ?? node.enum ?? node.not;
  return combined === undefined && node.types?.length === 1 && node.types[0] === "object";
}
