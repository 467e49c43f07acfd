import type { JsonValue, SchemaNode, TypeName } from "@mcpgen/engine";
import { withoutCovered } from "../validators/covers.js";
import { commonConstants, openArms, openDiscriminatorOf } from "../validators/discriminator.js";
import { kindOfValue } from "../validators/kind.js";
import type { Shapes } from "../validators/shape.js";

/** What the open reading of a node takes beside what the node lists: exactly what `acceptsX` does (union.ts). */
interface Opening {
  /** Objects with a string in this member are taken, unless it is `known`. */
  readonly tag?: string;
  readonly known?: readonly string[];
  /** Values of these types are taken; objects, if they hold `constants`. */
  readonly types?: readonly TypeName[];
  readonly constants?: ReadonlyMap<string, JsonValue>;
}

/** @param shapes those of the open reading */
export function openingOf(shapes: Shapes, node: SchemaNode): Opening | undefined {
  if (node.const ?? node.enum) return { types: [...new Set(shapes.constantsOf(node).map(kindOfValue))] };
  const alone = !node.anyOf && !node.oneOf;
  if (alone && !shapes.isOnly("object", node)) return undefined;
  const discriminator = openDiscriminatorOf(shapes, node);
  if (discriminator) return { tag: discriminator.name, known: [...discriminator.arms.keys()] as string[] };
  const arms = shapes.armsOf(openArms(node), withoutCovered);
  const objects = arms.filter((arm) => shapes.kindsOf(arm).has("object"));
  return { types: [...shapes.kindsOf(node)], constants: new Map(commonConstants(shapes, objects)) };
}
