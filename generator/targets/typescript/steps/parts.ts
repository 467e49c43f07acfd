import type { JsonValue, SchemaNode } from "@mcpgen/engine";
import { anything } from "../../../compare/align/compare-object.js";
import type { FormReader } from "../../../compare/shape/form-reader.js";
import { type Conjunction, type ShapeArm, refuses } from "../../../compare/shape/form.js";

/** The schema of the value at a path. */
export interface Described {
  readonly nodes: Conjunction;
  /** Whether the value is always present. */
  readonly isCertain: boolean;
  /**
   * Whether the schema does not describe the value. Any value may be there, without meaning for the schema.
   */
  readonly isUnknown: boolean;
}

/**
 * Finds the schemas of parts of a place. Returns the same nodes for the same part, so that plans can be
 * cached by node.
 */
export class Parts {
  readonly reader: FormReader;
  readonly #unions = new Map<string, SchemaNode>();
  readonly #entries = new Map<Conjunction, Conjunction>();

  constructor(reader: FormReader) {
    this.reader = reader;
  }

  /** The part at a key; `undefined` if no value has such a part. */
  at({ nodes, isCertain, isUnknown }: Described, key: string): Described | undefined {
    const { any, members, scalars } = this.reader.of(nodes);
    if (any || isUnknown) return unknown;
    const found = members.map((arm) => partOf(arm, key));
    const parts = found.filter((part) => part !== undefined);
    if (parts.length === 0) return undefined;
    return {
      nodes: this.anyOf(parts.map((part) => part.nodes)),
      isCertain: isCertain && scalars.size === 0 && found.every((part) => part?.isCertain === true),
      isUnknown: parts.every((part) => part.isUnknown),
    };
  }

  /** The names of the members that a place describes. */
  namesOf(nodes: Conjunction): string[] {
    return [...new Set(this.reader.of(nodes).members.flatMap(({ properties }) => [...properties.keys()]))];
  }

  /**
   * The schema of the items of a place's arrays, or of the item at an index; `undefined` if no array is
   * allowed.
   */
  itemsOf(nodes: Conjunction, index?: number): Conjunction | undefined {
    const { any, members } = this.reader.of(nodes);
    if (any) return unknown.nodes;
    const lists = members.filter(({ type }) => type === "array");
    if (lists.length === 0) return undefined;
    const kinds = lists.flatMap(({ prefix, items }) => {
      const rest = items.length > 0 ? items : unknown.nodes;
      return index === undefined ? [...prefix.map(orUnknown), rest] : [orUnknown(prefix[index] ?? rest)];
    });
    return this.anyOf(kinds);
  }

  /** The schema of additional members of a place's objects; `undefined` if no object allows them. */
  othersOf(nodes: Conjunction): Conjunction | undefined {
    const { any, members } = this.reader.of(nodes);
    if (any) return unknown.nodes;
    const maps = members.filter((arm) => arm.type === "object" && !arm.closed);
    if (maps.length === 0) return undefined;
    return this.anyOf(maps.map(({ additional }) => orUnknown(additional)));
  }

  /** The members of a place's objects as items with a key and a value. */
  entriesOf(nodes: Conjunction): Conjunction | undefined {
    const others = this.othersOf(nodes);
    if (!others) return undefined;
    const names = this.reader.of(nodes).members.flatMap(({ properties }) => [...properties.values()]);
    const value = this.anyOf([others, ...names.map((property) => property.nodes)]);
    const known = this.#entries.get(value);
    if (known) return known;
    const properties = new Map<string, SchemaNode>([
      ["key", text],
      ["value", value.length === 1 ? value[0]! : { pointer: "", allOf: value }],
    ]);
    const entries = [{ pointer: "", types: ["object"] as const, properties, required: ["key", "value"] }];
    this.#entries.set(value, entries);
    return entries;
  }

  /** The objects of a place whose members can have the given values. */
  objectsOf(nodes: Conjunction, values: ReadonlyMap<string, JsonValue>): readonly ShapeArm[] {
    return this.reader
      .of(nodes)
      .members.filter(
        (arm) =>
          arm.type === "object" && [...values].every(([key, value]) => this.#mayBe(partOf(arm, key), value)),
      );
  }

  #mayBe(part: Described | undefined, value: JsonValue): boolean {
    if (!part) return false;
    const { any, scalars } = this.reader.of(part.nodes);
    if (any) return true;
    const type = value === null ? "null" : (typeof value as "boolean" | "number" | "string");
    const scalar = scalars.get(type);
    return scalar !== undefined && (scalar.free.length > 0 || scalar.values.includes(value));
  }

  /** The objects as one schema. Returns the place's nodes if these are all its possible values. */
  ofArms(nodes: Conjunction, arms: readonly ShapeArm[]): Conjunction {
    const { members, scalars } = this.reader.of(nodes);
    const isWhole = scalars.size === 0 && members.every((arm) => arms.includes(arm));
    return isWhole ? nodes : this.anyOf(arms.map((arm) => arm.nodes));
  }

  /** The value that a member has in all of the objects; `undefined` unless there is exactly one. */
  constantOf(arms: readonly ShapeArm[], key: string): JsonValue | undefined {
    const values = arms.map((arm) => this.reader.constantOf(arm.properties.get(key)?.nodes ?? unknown.nodes));
    return values.every((value) => value === values[0]) ? values[0] : undefined;
  }

  /** A schema that accepts a value of any of the places. */
  anyOf(places: readonly Conjunction[]): Conjunction {
    const byKey = new Map(places.map((nodes) => [this.reader.keyOf(nodes), nodes]));
    const [first = unknown.nodes] = byKey.values();
    if (byKey.size <= 1) return first;
    const key = [...byKey.keys()].sort().join("|");
    let union = this.#unions.get(key);
    if (!union) {
      const anyOf = [...byKey.values()].map((nodes): SchemaNode =>
        nodes.length === 1 ? nodes[0]! : { pointer: "", allOf: nodes },
      );
      this.#unions.set(key, (union = { pointer: "", anyOf }));
    }
    return [union];
  }
}

/** A value that the schema does not describe. */
export const unknown: Described = { nodes: [anything("")], isCertain: false, isUnknown: true };

/** A string. */
export const text: SchemaNode = { pointer: "", types: ["string"] };

function orUnknown(nodes: Conjunction): Conjunction {
  return nodes.length > 0 ? nodes : unknown.nodes;
}

/** The part at a key. An object that names no member and allows any has a part at every key. */
function partOf(arm: ShapeArm, key: string): Described | undefined {
  if (arm.type === "array") {
    if (!/^(?:0|[1-9]\d*)$/.test(key)) return undefined;
    const nodes = orUnknown(arm.prefix[Number(key)] ?? arm.items);
    return { nodes, isCertain: false, isUnknown: nodes === unknown.nodes };
  }
  const property = arm.properties.get(key);
  if (property) return { nodes: property.nodes, isCertain: property.required, isUnknown: false };
  if (refuses(arm, key)) return undefined;
  if (arm.additional.length > 0) return { nodes: arm.additional, isCertain: false, isUnknown: false };
  return arm.properties.size === 0 ? unknown : undefined;
}
