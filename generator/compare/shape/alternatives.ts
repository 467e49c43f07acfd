import type { Schema, SchemaNode } from "@mcpgen/engine";
import type { Conjunction } from "./form.js";

/** One way to satisfy a place: all of these nodes. None of them has `$ref`, `allOf`, `anyOf` or `oneOf`. */
export interface Alternative {
  readonly nodes: Conjunction;
  /** The definition it is, where it has a name. */
  readonly name: string | undefined;
  readonly pointer: string;
}

/** Unions in conjunctions multiply; beyond this many ways a union is compared as text. */
const most = 128;

/** Takes nodes apart into the alternatives that satisfy them (a disjunctive normal form). */
export class Alternatives {
  private readonly schema: Schema;
  private readonly flat = new Map<SchemaNode, SchemaNode>();
  private readonly byDefinition = new Map<string, readonly Alternative[]>();

  constructor(schema: Schema) {
    this.schema = schema;
  }

  /** The ways to satisfy all of `nodes`. */
  of(nodes: Conjunction): readonly Alternative[] {
    const [only, ...others] = nodes;
    if (only === undefined) return [{ nodes: [], name: undefined, pointer: "" }];
    const first = this.ofNode(only);
    return others.length === 0
      ? first
      : this.joined(only, [first, ...others.map((node) => this.ofNode(node))]);
  }

  private ofNode(node: SchemaNode): readonly Alternative[] {
    const { ref, allOf, anyOf, oneOf } = node;
    const union = [...(anyOf ?? []), ...(oneOf ?? [])];
    const alone = isAlone(node);
    if (ref !== undefined && alone) return this.ofDefinition(ref);
    if (alone && union.length > 0 && !(anyOf && oneOf)) return union.flatMap((arm) => this.ofNode(arm));
    const own: Alternative = { nodes: [this.flattened(node)], name: undefined, pointer: node.pointer };
    const factors: (readonly Alternative[])[] = [[own]];
    if (ref !== undefined) factors.push(this.ofDefinition(ref));
    for (const part of allOf ?? []) factors.push(this.ofNode(part));
    for (const arms of [anyOf, oneOf]) if (arms) factors.push(arms.flatMap((arm) => this.ofNode(arm)));
    return factors.length === 1 ? [own] : this.joined(node, factors);
  }

  private ofDefinition(name: string): readonly Alternative[] {
    let known = this.byDefinition.get(name);
    if (!known) {
      known = this.ofNode(this.schema.definitions.get(name)!.node).map((alternative) => ({
        ...alternative,
        name: alternative.name ?? name,
      }));
      this.byDefinition.set(name, known);
    }
    return known;
  }

  /** One of each factor, in every combination. The names of the parts are not names of the whole. */
  private joined(node: SchemaNode, factors: readonly (readonly Alternative[])[]): readonly Alternative[] {
    let result: Alternative[] = [{ nodes: [], name: undefined, pointer: node.pointer }];
    for (const factor of factors) {
      if (result.length * factor.length > most) {
        result = result.map((left) => ({
          ...left,
          nodes: [...left.nodes, { pointer: "", not: { pointer: "", anyOf: factor.map(all) } }],
        }));
        continue;
      }
      result = result.flatMap((left) =>
        factor.map((right) => ({
          nodes: distinct([...left.nodes, ...right.nodes]),
          name: undefined,
          pointer:
            factors.length > 1 && factor.length > 1 && right.pointer !== "" ? right.pointer : left.pointer,
        })),
      );
    }
    return result;
  }

  /** The node without what has been taken apart. */
  private flattened(node: SchemaNode): SchemaNode {
    if (node.ref === undefined && !node.allOf && !node.anyOf && !node.oneOf) return node;
    let flat = this.flat.get(node);
    if (!flat) {
      const { ref: _ref, allOf: _allOf, anyOf: _anyOf, oneOf: _oneOf, ...rest } = node;
      this.flat.set(node, (flat = rest));
    }
    return flat;
  }
}

function all({ nodes }: Alternative): SchemaNode {
  return { pointer: "", allOf: nodes };
}

function distinct(nodes: readonly SchemaNode[]): SchemaNode[] {
  return [...new Set(nodes)].filter((node) => !saysNothing(node));
}

/** Keywords that do not constrain: a node of these and one other is as good as the other. */
const annotations = new Set<keyof SchemaNode>([
  "pointer",
  "always",
  "title",
  "description",
  "default",
  "examples",
  "readOnly",
  "writeOnly",
  "deprecated",
  "typeText",
  "open",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
]);

/** Whether the node lets everything through. */
export function saysNothing(node: SchemaNode): boolean {
  return (Object.keys(node) as (keyof SchemaNode)[]).every((keyword) => annotations.has(keyword));
}

/** Whether the node is nothing but a reference or a union, annotations aside. */
export function isAlone(node: SchemaNode): boolean {
  const said = (Object.keys(node) as (keyof SchemaNode)[]).filter((keyword) => !annotations.has(keyword));
  return said.length === 1;
}
