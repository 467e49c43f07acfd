import type { JsonValue, SchemaNode, Schema } from "@mcpgen/engine";

/** All schemas that apply to one place of a message. */
export type Conjunction = readonly SchemaNode[];

export type ScalarType = "boolean" | "null" | "number" | "string";
export type ShapeType = ScalarType | "array" | "object";

export const scalarTypes: readonly ScalarType[] = ["boolean", "null", "number", "string"];
export const shapeTypes: readonly ShapeType[] = [...scalarTypes, "array", "object"];

/** Limits beyond the type, by keyword; subschemas as JSON. */
export type Bounds = ReadonlyMap<string, JsonValue>;

/** The allowed scalars of one type. */
export interface Scalar {
  /** The listed values, if any. */
  readonly values: readonly JsonValue[];
  /** Limits for unlisted values; several if arms of a union differ in them. */
  readonly free: readonly Bounds[];
}

/** An object or array that a place allows: an arm of a union, or the only alternative. */
export interface ShapeArm {
  readonly type: "array" | "object";
  /** The schemas of the arm without references and unions; a value that satisfies them belongs to the arm. */
  readonly nodes: Conjunction;
  /** The definition of the arm, if it has a name. */
  readonly name: string | undefined;
  readonly pointer: string;
  readonly bounds: Bounds;
  /** Objects: declared members, in natural order. */
  readonly properties: ReadonlyMap<string, Property>;
  /** Objects: names of members declared as `false`. */
  readonly forbidden: ReadonlySet<string>;
  /** Objects: whether undeclared members are rejected. */
  readonly closed: boolean;
  /** Objects: the schema of undeclared members; empty if they may be anything. */
  readonly additional: Conjunction;
  /** Arrays: schemas of the first items. */
  readonly prefix: readonly Conjunction[];
  /** Arrays: the schema of further items. */
  readonly items: Conjunction;
}

export interface Property {
  readonly nodes: Conjunction;
  readonly required: boolean;
}

/**
 * The values that a place allows, in a form independent of spelling: references are resolved, `allOf` is
 * merged, unions are flattened, and a union of one arm is that arm.
 */
export interface Form {
  readonly key: string;
  readonly scalars: ReadonlyMap<ScalarType, Scalar>;
  readonly members: readonly ShapeArm[];
  /** Whether any JSON value is allowed. */
  readonly any: boolean;
  /** Whether a value must match exactly one arm (`oneOf`). */
  readonly exclusive: boolean;
}

/** Whether the object rejects a member, because it is closed or declares the member as `false`. */
export function refuses({ closed, forbidden }: ShapeArm, key: string): boolean {
  return closed || forbidden.has(key);
}

/** The types that a place allows. */
export function typesOf({ scalars, members }: Form): Set<ShapeType> {
  return new Set([...scalars.keys(), ...members.map(({ type }) => type)]);
}

/** The number of arms of a union; all scalars together count as one. */
export function armCount({ scalars, members }: Form): number {
  return members.length + (scalars.size > 0 ? 1 : 0);
}

/**
 * An alternative that satisfies a place: the schemas that must all hold. None has `$ref`, `allOf`, `anyOf` or
 * `oneOf`.
 */
export interface Alternative {
  readonly nodes: Conjunction;
  /** The definition of the alternative, if it has a name. */
  readonly name: string | undefined;
  readonly pointer: string;
}

/**
 * Maximum number of alternatives. Unions in conjunctions multiply; beyond the maximum, a union is compared as
 * text.
 */
const most = 128;

/** Splits schemas into alternatives (a disjunctive normal form). */
export class Alternatives {
  private readonly schema: Schema;
  private readonly flat = new Map<SchemaNode, SchemaNode>();
  private readonly byDefinition = new Map<string, readonly Alternative[]>();

  constructor(schema: Schema) {
    this.schema = schema;
  }

  /** The alternatives that satisfy all of `nodes`. */
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

  /** All combinations of one alternative from each factor. A combination has no definition name. */
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

  /** The node without the keywords that were split. */
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

/**
 * Keywords without constraints. A node with one other keyword besides these is equivalent to that keyword.
 */
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

/** Whether the node allows everything. */
export function saysNothing(node: SchemaNode): boolean {
  return (Object.keys(node) as (keyof SchemaNode)[]).every((keyword) => annotations.has(keyword));
}

/** Whether the node is only a reference or a union, apart from annotations. */
export function isAlone(node: SchemaNode): boolean {
  const said = (Object.keys(node) as (keyof SchemaNode)[]).filter((keyword) => !annotations.has(keyword));
  return said.length === 1;
}
