import { DefinitionMemo } from "./definition-memo.js";
import type { Schema, SchemaNode } from "./ir.js";
import { type JsonValue, naturalCompare } from "./json.js";
import { isKnown } from "./known.js";

export type Scalar = null | boolean | number | string;

/** The member that distinguishes the arms of a union. */
export interface Tag {
  readonly property: string;
  /** For each arm, in the given order, the values of its tag; an empty list if the arm does not limit the tag. */
  readonly values: readonly (readonly Scalar[])[];
  /** For each arm, whether it requires the tag. */
  readonly required: readonly boolean[];
}

/** Bounds for one member of the objects that a node accepts. They are correct but may be loose. */
interface MemberBounds {
  /** All possible values, if they are finitely many scalars. */
  readonly values: readonly Scalar[] | undefined;
  readonly required: boolean;
}

interface Description {
  /** Whether the node accepts only objects. */
  readonly objectOnly: boolean;
  readonly members: ReadonlyMap<string, MemberBounds>;
}

/**
 * Returns the tag of a union in which all arms are objects that require the tag and limit it to strings, such as
 * `type` of content blocks or `method` of messages; `undefined` if there is none.
 */
export function tagOf(schema: Schema, arms: readonly SchemaNode[]): Tag | undefined {
  let tags = remembered.get(schema);
  if (!tags) remembered.set(schema, (tags = new Tags(schema)));
  const objectsOnly = arms.length > 1 && arms.every((arm) => tags.isObjectOnly(arm));
  const tag = objectsOnly ? tags.find(arms) : undefined;
  return tag && holdsStrings(tag) ? tag : undefined;
}

const remembered = new WeakMap<Schema, Tags>();

/** Whether a tag is always a string. */
function holdsStrings(tag: Tag): boolean {
  return tag.values.every((values) => areStrings(values));
}

/** Finds the members that distinguish the arms of unions. */
export class Tags {
  private readonly schema: Schema;
  private readonly constants: DefinitionMemo<readonly Scalar[] | undefined>;
  private readonly descriptions: DefinitionMemo<Description>;
  private variety: ReadonlyMap<string, number> | undefined;

  /** @param open whether unions and sets that notes declare open also accept values that they do not list */
  constructor(schema: Schema, open = false) {
    this.schema = schema;
    const isOpen = (node: SchemaNode): boolean => open && node.open === true;
    this.constants = new DefinitionMemo(schema, (node, of) => constantsOf(node, of, isOpen));
    this.descriptions = new DefinitionMemo(schema, (node, of) =>
      describe(node, of, (member) => this.constants.of(member), isOpen),
    );
  }

  /** Whether `node` accepts only objects. */
  isObjectOnly(node: SchemaNode): boolean {
    return this.descriptions.of(node).objectOnly;
  }

  /** The constants of a member in objects that `node` accepts; `undefined` if it is optional or not limited. */
  requiredConstants(node: SchemaNode, name: string): readonly Scalar[] | undefined {
    const member = this.descriptions.of(node).members.get(name);
    return member?.required ? member.values : undefined;
  }

  /** Names of the members that every arm requires and limits to constants, in natural order. */
  commonNames(arms: readonly SchemaNode[]): string[] {
    const [first] = arms;
    if (!first) return [];
    return [...this.descriptions.of(first).members.keys()]
      .filter((name) => arms.every((arm) => this.requiredConstants(arm, name)))
      .sort(naturalCompare);
  }

  /**
   * Finds the member that distinguishes the arms best: strings before other scalars, then most values. All arms
   * require it and limit it to constants, and each value excludes at least one arm.
   */
  find(arms: readonly SchemaNode[]): Tag | undefined {
    return best(this.commonNames(arms).map((name) => this.tag(arms, name)));
  }

  /**
   * Like `find`, if the values are strings. Otherwise finds a member that distinguishes most arms, even if some arms
   * omit it or do not limit it.
   *
   * @param except members to ignore
   */
  findLoose(arms: readonly SchemaNode[], except: ReadonlySet<string>): Tag | undefined {
    const tags = this.namesOfMost(arms)
      .filter((name) => !except.has(name))
      .sort(naturalCompare)
      .map((name) => this.tag(arms, name));
    const tag = best(tags.filter(isStrict)) ?? best(tags.filter(holdsStrings));
    return tag && holdsStrings(tag) ? tag : undefined;
  }

  /**
   * Finds the tag of an open union. Its values are strings. If the union has only one arm so far, takes the constant
   * that differs most between definitions (`method` rather than `jsonrpc`).
   */
  findOpen(arms: readonly SchemaNode[]): Tag | undefined {
    if (arms.length !== 1) {
      const tag = this.find(arms);
      return tag && holdsStrings(tag) ? tag : undefined;
    }
    const tags = this.commonNames(arms)
      .map((name) => this.tag(arms, name))
      .filter(holdsStrings);
    return tags.sort((a, b) => this.varietyOf(b.property) - this.varietyOf(a.property))[0];
  }

  /** Names of the members that most arms limit to constants: only these can distinguish most arms. */
  private namesOfMost(arms: readonly SchemaNode[]): string[] {
    const counts = new Map<string, number>();
    for (const arm of arms) {
      for (const [name, { values }] of this.descriptions.of(arm).members)
        if (values) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return [...counts].filter(([, count]) => count * 2 > arms.length).map(([name]) => name);
  }

  private tag(arms: readonly SchemaNode[], property: string): Tag {
    const members = arms.map((arm) => this.descriptions.of(arm).members.get(property));
    return {
      property,
      values: members.map((member) => member?.values ?? []),
      required: members.map((member) => member?.values !== undefined && member.required),
    };
  }

  /** The number of different constants for the member `name` in all definitions. */
  private varietyOf(name: string): number {
    this.variety ??= this.countConstants();
    return this.variety.get(name) ?? 0;
  }

  private countConstants(): Map<string, number> {
    const constants = new Map<string, Set<Scalar>>();
    for (const { node } of this.schema.definitions.values()) {
      for (const [name, { values, required }] of this.descriptions.of(node).members) {
        if (!values || !required) continue;
        const found = constants.get(name) ?? new Set();
        constants.set(name, found);
        for (const value of values) found.add(value);
      }
    }
    return new Map([...constants].map(([name, found]) => [name, found.size]));
  }
}

/** Of the tags that distinguish arms, selects the first with the most values; strings before other scalars. */
function best(tags: readonly Tag[]): Tag | undefined {
  const fit = tags.filter(distinguishesArms);
  const strings = fit.filter(holdsStrings);
  const candidates = strings.length > 0 ? strings : fit;
  return candidates.length === 0
    ? undefined
    : candidates.reduce((a, b) => (countOf(b).size > countOf(a).size ? b : a));
}

function isStrict({ required }: Tag): boolean {
  return required.every(Boolean);
}

/** Whether each value excludes an arm, and the tag distinguishes most arms. */
function distinguishesArms(tag: Tag): boolean {
  const counts = countOf(tag);
  const arms = tag.values.length;
  const silent = tag.values.filter((values) => values.length === 0).length;
  return counts.size > 1 && silent * 2 < arms && [...counts.values()].every((count) => count < arms);
}

/** The number of arms that have each value of a tag. */
function countOf({ values }: Tag): Map<Scalar, number> {
  const counts = new Map<Scalar, number>();
  for (const value of values.flatMap((list) => [...new Set(list)]))
    counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** The finitely many scalars that a node accepts, or `undefined`. */
function constantsOf(
  node: SchemaNode,
  of: (name: string) => readonly Scalar[] | undefined,
  isOpen: (node: SchemaNode) => boolean,
): readonly Scalar[] | undefined {
  if (isOpen(node)) return undefined;
  if (node.const) return areScalars([node.const.value]);
  if (node.enum) return areScalars(node.enum);
  if (node.anyOf) {
    const lists = node.anyOf.map((arm) => constantsOf(arm, of, isOpen));
    return lists.every(isKnown) ? [...new Set(lists.flat())] : undefined;
  }
  return node.ref === undefined ? undefined : of(node.ref);
}

function areScalars(values: readonly JsonValue[]): readonly Scalar[] | undefined {
  const isScalar = (value: JsonValue): boolean => typeof value !== "object" || value === null;
  return values.every(isScalar) ? (values as readonly Scalar[]) : undefined;
}

function areStrings(values: readonly Scalar[]): boolean {
  return values.every((value) => typeof value === "string");
}

function describe(
  node: SchemaNode,
  of: (name: string) => Description,
  constants: (member: SchemaNode) => readonly Scalar[] | undefined,
  isOpen: (node: SchemaNode) => boolean,
): Description {
  const inner = (child: SchemaNode): Description => describe(child, of, constants, isOpen);
  const unions = [node.anyOf, node.oneOf].filter(isKnown);
  const parts = [
    ...(node.ref === undefined ? [] : [of(node.ref)]),
    ...(node.allOf ?? []).map(inner),
    ...unions.map((arms) => anyOf(arms.map(inner))),
  ];
  const objectOnly =
    (node.types?.length === 1 && node.types[0] === "object") || parts.some((part) => part.objectOnly);
  if (isOpen(node)) return { objectOnly, members: new Map() };
  const members = new Map<string, MemberBounds>();
  for (const name of new Set([...(node.required ?? []), ...(node.properties?.keys() ?? [])])) {
    const member = node.properties?.get(name);
    const values = member && constants(member);
    const required = node.required?.includes(name) ?? false;
    if (values || required) members.set(name, { values, required });
  }
  for (const part of parts) {
    for (const [name, { values, required }] of part.members) {
      const known = members.get(name);
      members.set(name, {
        values: known?.values ?? values,
        required: required || (known?.required ?? false),
      });
    }
  }
  return { objectOnly, members };
}

/** The description that applies to the objects of all arms. */
function anyOf(arms: readonly Description[]): Description {
  const [first, ...others] = arms;
  const members = new Map<string, MemberBounds>();
  for (const name of first?.members.keys() ?? []) {
    const all = arms.map((arm) => arm.members.get(name));
    if (!all.every(isKnown)) continue;
    const lists = all.map((member) => member.values);
    const values = lists.every(isKnown) ? [...new Set(lists.flat())] : undefined;
    const required = all.every((member) => member.required);
    if (values || required) members.set(name, { values, required });
  }
  return { objectOnly: [first, ...others].every((arm) => arm?.objectOnly === true), members };
}
