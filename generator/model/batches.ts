import type { Schema, SchemaNode } from "@mcpgen/engine";
import { conjuncts, constantMember } from "./object-view.js";

/** Whether messages may travel several at once: some definition is a list of JSON-RPC messages. */
export function hasBatches(schema: Schema): boolean {
  return [...schema.definitions.values()].some(({ node }) =>
    armsOf(schema, node).some((arm) => isListOfMessages(schema, arm)),
  );
}

function isListOfMessages(schema: Schema, node: SchemaNode): boolean {
  const items = conjuncts(schema, node).flatMap(({ items: item }) => item ?? []);
  return items.some((item) => {
    const arms = armsOf(schema, item);
    return arms.every((arm) => constantMember(schema, arm, "jsonrpc") !== undefined);
  });
}

/** The nodes that a value may match: the arms of the node's unions, or else the node itself. */
function armsOf(schema: Schema, node: SchemaNode): SchemaNode[] {
  const arms = new Set([node]);
  const plain: SchemaNode[] = [];
  // A Set's iteration includes what is added meanwhile.
  for (const arm of arms) {
    const inside = conjuncts(schema, arm).flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]);
    if (inside.length === 0) plain.push(arm);
    for (const each of inside) arms.add(each);
  }
  return plain;
}
