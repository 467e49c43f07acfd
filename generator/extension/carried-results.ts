import type { Schema, SchemaNode } from "@mcpgen/engine";
import { withChildren } from "../emit/with-children.js";

/**
 * The schema in which a place that holds a result of the base need not have the members that the message around a result has:
 * those that the era fills in, such as `resultType`. The text of an extension shows such results without them, and no message
 * is around them.
 *
 * @param places pointers of the nodes that refer to the definition of the result
 * @param owned by definition, the members that the era fills in
 */
export function withCarriedResults(
  schema: Schema,
  places: ReadonlySet<string>,
  owned: (definition: string) => ReadonlySet<string> | undefined,
): Schema {
  const change = (node: SchemaNode): SchemaNode => {
    const result = places.has(node.pointer) ? carriedResult(node, schema, owned) : undefined;
    return result ?? withChildren(node, change);
  };
  const definitions = [...schema.definitions].map(
    ([name, definition]) => [name, { ...definition, node: change(definition.node) }] as const,
  );
  return places.size === 0 ? schema : { ...schema, definitions: new Map(definitions) };
}

/** `undefined` if the result is one like any other: it requires nothing that the era fills in. */
function carriedResult(
  { pointer, ref }: SchemaNode,
  { definitions }: Schema,
  owned: (definition: string) => ReadonlySet<string> | undefined,
): SchemaNode | undefined {
  const result = ref === undefined ? undefined : definitions.get(ref)?.node;
  const required = result?.required?.filter((name) => !owned(ref!)?.has(name));
  if (!result || required!.length === result.required!.length) return undefined;
  // Results are open: their definition inherits that, and a copy cannot.
  const additionalProperties = result.additionalProperties ?? { pointer, always: true };
  return { ...result, pointer, required: required!, additionalProperties };
}
