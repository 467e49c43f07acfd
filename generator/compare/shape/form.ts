import type { JsonValue, SchemaNode } from "@mcpgen/engine";

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
