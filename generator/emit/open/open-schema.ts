import { type Definition, type Schema, type SchemaNode } from "@mcpgen/engine";
import { stringLiteral } from "../../print/text.js";
import { openDiscriminatorOf } from "../validators/discriminator.js";
import { withChildren } from "../with-children.js";
import { Shapes } from "../validators/shape.js";

/** The open definitions of `schema`, every open union and string set in them given an arm for what it does not list. */
export function openReading(schema: Schema, open: ReadonlySet<string>): Schema {
  const shapes = new Shapes(schema, true);
  const definitions = [...schema.definitions.values()]
    .filter(({ name }) => open.has(name))
    .map((definition): [string, Definition] => [
      definition.name,
      { ...definition, node: opened(shapes, definition.node) },
    ]);
  return { definitions: new Map(definitions) };
}

function opened(shapes: Shapes, node: SchemaNode): SchemaNode {
  const inner = withChildren(node, (child) => opened(shapes, child));
  if (!node.open) return inner;
  const { description, deprecated, pointer, ...rest } = inner;
  const remarks = {
    pointer,
    ...(description !== undefined && { description }),
    ...(deprecated && { deprecated }),
  };
  const arms = rest.anyOf ?? rest.oneOf ?? [{ pointer, ...rest }];
  return { ...remarks, anyOf: [...arms, { pointer, typeText: unlistedType(shapes, node) }] };
}

/** The type of values that the union or set does not list, as its validator distinguishes them. */
function unlistedType(shapes: Shapes, node: SchemaNode): string {
  const discriminator = openDiscriminatorOf(shapes, node);
  if (discriminator) return `UnlistedArm<${stringLiteral(discriminator.name)}>`;
  const arms = node.anyOf ?? node.oneOf;
  const members = node.enum ?? (node.const ? [node.const.value] : []);
  const ofStrings =
    members.length > 0 ? members.every((member) => typeof member === "string") : node.types?.[0] === "string";
  return ofStrings ? "Unlisted" : arms || node.properties ? "Members" : "unknown";
}
