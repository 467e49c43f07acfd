import type { JsonValue, SchemaNode, Schema } from "@mcpgen/engine";

/** Everything that must hold of one place of a message: all of these nodes. */
export type Conjunction = readonly SchemaNode[];

export type ScalarType = "boolean" | "null" | "number" | "string";
export type ShapeType = ScalarType | "array" | "object";

export const scalarTypes: readonly ScalarType[] = ["boolean", "null", "number", "string"];
export const shapeTypes: readonly ShapeType[] = [...scalarTypes, "array", "object"];

/** Limits beyond the type, by keyword; schemas among them as JSON. */
export type Bounds = ReadonlyMap<string, JsonValue>;

/** The values that a scalar of one type may have. */
export interface Scalar {
  /** The values that are listed, where they are. */
  readonly values: readonly JsonValue[];
  /** Limits under which any value may come: several where arms of a union differ in them. */
  readonly free: readonly Bounds[];
}

/** One object or array that may stand in a place: an arm of a union, or the only one. */
export interface ShapeArm {
  readonly type: "array" | "object";
  /** The nodes that describe it, without references and unions: an instance of them is of this arm. */
  readonly nodes: Conjunction;
  /** The definition it is, where it has a name. */
  readonly name: string | undefined;
  readonly pointer: string;
  readonly bounds: Bounds;
  /** Objects: declared members, in natural order. */
  readonly properties: ReadonlyMap<string, Property>;
  /** Objects: names of members that are declared as `false`. */
  readonly forbidden: ReadonlySet<string>;
  /** Objects: whether undeclared members are rejected. */
  readonly closed: boolean;
  /** Objects: what undeclared members must be; empty where they may be anything. */
  readonly additional: Conjunction;
  /** Arrays: what the first items must be. */
  readonly prefix: readonly Conjunction[];
  /** Arrays: what further items must be. */
  readonly items: Conjunction;
}

export interface Property {
  readonly nodes: Conjunction;
  readonly required: boolean;
}

/**
 * The values that may stand in one place, in the form that is compared, without differences of spelling: references are
 * followed, `allOf` is merged, unions are flattened, and a union of one is that one.
 */
export interface Form {
  readonly key: string;
  readonly scalars: ReadonlyMap<ScalarType, Scalar>;
  readonly members: readonly ShapeArm[];
  /** Any JSON value may stand there. */
  readonly any: boolean;
  /** A value must be of one arm only (`oneOf`). */
  readonly exclusive: boolean;
}

/** Whether an object that does not declare the member, or declares it as `false`, refuses it. */
export function refuses({ closed, forbidden }: ShapeArm, key: string): boolean {
  return closed || forbidden.has(key);
}

/** The types of what may stand in a place. */
export function typesOf({ scalars, members }: Form): Set<ShapeType> {
  return new Set([...scalars.keys(), ...members.map(({ type }) => type)]);
}

/** Arms of a union count one each; all scalars together are one. */
export function armCount({ scalars, members }: Form): number {
  return members.length + (scalars.size > 0 ? 1 : 0);
}

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
