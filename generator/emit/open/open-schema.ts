import { type Definition, type Schema, type SchemaNode, children, descendants, tagOf } from "@mcpgen/engine";
import { stringLiteral } from "../text.js";

/** Names of the definitions that are open themselves or reach something that is. */
export function openDefinitions(schema: Schema): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  const open = new Set<string>();
  for (const { name, node } of schema.definitions.values()) {
    for (const descendant of descendants(node)) {
      if (descendant.open) open.add(name);
      if (descendant.ref !== undefined)
        users.set(descendant.ref, [...(users.get(descendant.ref) ?? []), name]);
    }
  }
  // A Set's iteration includes what is added meanwhile, so this follows the references back to the end.
  for (const name of open) for (const user of users.get(name) ?? []) open.add(user);
  return open;
}

/** The open definitions of `schema`, every open union and string set in them given an arm for what it does not list. */
export function openReading(schema: Schema, open: ReadonlySet<string>): Schema {
  const definitions = [...schema.definitions.values()]
    .filter(({ name }) => open.has(name))
    .map((definition): [string, Definition] => [
      definition.name,
      { ...definition, node: opened(schema, definition.node) },
    ]);
  return { definitions: new Map(definitions) };
}

function opened(schema: Schema, node: SchemaNode): SchemaNode {
  const inner = children(node).length === 0 ? node : mapChildren(node, (child) => opened(schema, child));
  if (!node.open) return inner;
  const { description, deprecated, pointer, ...rest } = inner;
  const remarks = {
    pointer,
    ...(description !== undefined && { description }),
    ...(deprecated && { deprecated }),
  };
  const arms = rest.anyOf ?? rest.oneOf ?? [{ pointer, ...rest }];
  return { ...remarks, anyOf: [...arms, { pointer, typeText: unlistedType(schema, node) }] };
}

/** The type of a value that the union or set does not list. */
function unlistedType(schema: Schema, node: SchemaNode): string {
  const arms = node.anyOf ?? node.oneOf;
  const tag = arms && tagOf(schema, arms);
  if (tag) return `UnlistedArm<${stringLiteral(tag.property)}>`;
  const members = node.enum ?? (node.const ? [node.const.value] : []);
  const ofStrings =
    members.length > 0 ? members.every((member) => typeof member === "string") : node.types?.[0] === "string";
  return ofStrings ? "Unlisted" : arms || node.properties ? "Members" : "unknown";
}

function mapChildren(node: SchemaNode, change: (child: SchemaNode) => SchemaNode): SchemaNode {
  const list = (nodes: readonly SchemaNode[]): SchemaNode[] => nodes.map(change);
  const map = (nodes: ReadonlyMap<string, SchemaNode>): Map<string, SchemaNode> =>
    new Map([...nodes].map(([key, child]) => [key, change(child)]));
  return {
    ...node,
    ...(node.anyOf && { anyOf: list(node.anyOf) }),
    ...(node.oneOf && { oneOf: list(node.oneOf) }),
    ...(node.allOf && { allOf: list(node.allOf) }),
    ...(node.prefixItems && { prefixItems: list(node.prefixItems) }),
    ...(node.properties && { properties: map(node.properties) }),
    ...(node.patternProperties && { patternProperties: map(node.patternProperties) }),
    ...(node.items && { items: change(node.items) }),
    ...(node.additionalProperties && { additionalProperties: change(node.additionalProperties) }),
  };
}
