import {
  type Definition,
  type Schema,
  type SchemaNode,
  descendants,
  inPlaceReferences,
} from "@mcpgen/engine";
import { withChildren } from "../with-children.js";

/** A schema in which some nodes are definitions that nothing outside of a file of validators calls. */
interface Promoted {
  readonly schema: Schema;
  /** Names of those definitions, each with the definition that its node stood in. */
  readonly own: ReadonlyMap<string, string>;
}

/**
 * Gives a separate definition to each node that judges unevaluated parts and has references in place. The targets of
 * these are printed where the node stands, and may contain the node itself.
 */
export function promoted(schema: Schema): Promoted {
  const own = new Map<string, string>();
  const definitions = new Map<string, Definition>();
  for (const [name, definition] of schema.definitions) {
    definitions.set(name, definition);
    if (![...descendants(definition.node)].some((node) => node !== definition.node && isPromoted(node)))
      continue;
    const change = (node: SchemaNode): SchemaNode => {
      const inner = withChildren(node, change);
      if (node === definition.node || !isPromoted(node)) return inner;
      let key = `${name} ${own.size + 1}`;
      while (schema.definitions.has(key)) key += "'";
      own.set(key, name);
      definitions.set(key, { name: key, node: inner });
      return { pointer: node.pointer, ref: key };
    };
    definitions.set(name, { ...definition, node: change(definition.node) });
  }
  return own.size === 0 ? { schema, own } : { schema: { ...schema, definitions }, own };
}

function isPromoted(node: SchemaNode): boolean {
  const takesRest = (node.unevaluatedProperties ?? node.unevaluatedItems) !== undefined;
  return takesRest && inPlaceReferences(node).size > 0;
}
