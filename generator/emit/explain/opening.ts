import { type Opening, type SchemaNode, jsonObject } from "@mcpgen/engine";
import { withoutCovered } from "../validators/covers.js";
import { commonConstants, openArms, openDiscriminatorOf } from "../validators/discriminator.js";
import { kindOfValue } from "../validators/kind.js";
import type { Shapes } from "../validators/shape.js";

/**
 * What the open reading of a node accepts beside what the node lists: what `acceptsX` accepts (union.ts).
 *
 * @param shapes those of the open reading
 */
export function openingOf(shapes: Shapes, node: SchemaNode): Opening | undefined {
  if (node.const ?? node.enum) return { types: [...new Set(shapes.constantsOf(node).map(kindOfValue))] };
  const alone = !node.anyOf && !node.oneOf;
  if (alone && !shapes.isOnly("object", node)) return undefined;
  const discriminator = openDiscriminatorOf(shapes, node);
  if (discriminator) return { tag: discriminator.name, known: [...discriminator.arms.keys()] as string[] };
  const arms = shapes.armsOf(openArms(node), withoutCovered);
  const objects = arms.filter((arm) => shapes.kindsOf(arm).has("object"));
  const constants = commonConstants(shapes, objects);
  return {
    types: [...shapes.kindsOf(node)],
    ...(constants.length > 0 && { constants: jsonObject(constants) }),
  };
}
