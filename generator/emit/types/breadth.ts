import {
  DefinitionMemo,
  type Schema,
  type SchemaNode,
  descendants,
  recursiveDefinitions,
} from "@mcpgen/engine";
import { Shapes } from "../validators/shape.js";
import { withChildren, withNodes } from "../with-children.js";

/**
 * Members that an intersection of unions may multiply to. TypeScript refuses to represent a hundred thousand
 * (TS2590), and each alternative costs time to compile.
 */
const broadest = 10_000;

/** How many members the type of a node has as a union, and the keywords it is printed without to stay below the limit. */
interface Breadth {
  readonly members: number;
  readonly without: readonly Combined[];
}

type Combined = "allOf" | "anyOf" | "oneOf";

/**
 * The schema as types are printed of it: a node whose alternatives, multiplied with each other, are too many for
 * TypeScript is made from fewer of its keywords. Such a type accepts all that the node accepts, and more. A
 * definition that refers to itself and accepts no kind of value becomes `never`.
 */
export function printable(schema: Schema): Schema {
  const impossible = impossibleDefinitions(schema);
  const memo = new DefinitionMemo<Breadth>(schema, breadthOf);
  const isBroad = (node: SchemaNode): boolean => memo.of(node).without.length > 0;
  const roots = [...schema.definitions.values()].map(({ node }) => node);
  if (schema.root) roots.push(schema.root);
  const isChanged = (node: SchemaNode): boolean => isBroad(node) || impossible.has(node);
  if (!roots.some((node) => someDescendant(node, isChanged))) return schema;
  const change = (node: SchemaNode): SchemaNode => {
    if (impossible.has(node)) {
      const { pointer, description, deprecated } = node;
      return {
        ...{ pointer, never: true },
        ...(description !== undefined && { description }),
        ...(deprecated && { deprecated }),
      };
    }
    const kept: { -readonly [K in keyof SchemaNode]: SchemaNode[K] } = { ...node };
    for (const keyword of memo.of(node).without) delete kept[keyword];
    return withChildren(kept, change);
  };
  return withNodes(schema, change);
}

/** Definitions that refer to themselves and take no value, which TypeScript could not find out without an end. */
function impossibleDefinitions(schema: Schema): ReadonlySet<SchemaNode> {
  const shapes = new Shapes(schema, false);
  const nodes = [...recursiveDefinitions(schema).keys()].map((name) => shapes.definition(name));
  return new Set(
    nodes.filter((node) => !node.never && node.typeText === undefined && shapes.kindsOf(node).size === 0),
  );
}

function someDescendant(node: SchemaNode, is: (node: SchemaNode) => boolean): boolean {
  for (const each of descendants(node)) if (is(each)) return true;
  return false;
}

function breadthOf(node: SchemaNode, of: (name: string) => Breadth): Breadth {
  if (node.typeText !== undefined) return { members: 1, without: [] };
  const inside = (part: SchemaNode): number => breadthOf(part, of).members;
  const sum = (arms: readonly SchemaNode[] = []): number =>
    Math.max(
      1,
      arms.reduce((total, arm) => total + inside(arm), 0),
    );
  const factors: Record<Combined, number> = {
    oneOf: sum(node.oneOf),
    anyOf: sum(node.anyOf),
    allOf: (node.allOf ?? []).reduce((product, part) => product * inside(part), 1),
  };
  const own = node.const ? 1 : (node.enum?.length ?? node.types?.length ?? 1);
  let members = own * (node.ref === undefined ? 1 : of(node.ref).members);
  const without: Combined[] = [];
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const) {
    if (members * factors[keyword] > broadest && (members > 1 || keyword === "allOf")) without.push(keyword);
    else members *= factors[keyword];
  }
  return { members, without };
}
