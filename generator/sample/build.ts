import {
  type JsonObject,
  type JsonValue,
  type Schema,
  type SchemaNode,
  type TypeName,
  ValueSet,
  canonicalText,
  matcherOf,
} from "@mcpgen/engine";
import {
  type NumberRange,
  type Random,
  rangeOf,
  fitted,
  matching,
  edgeNumbers,
  firstNumber,
  oddStrings,
  plainString,
} from "./values.js";

/** The context of building an instance, the same for every place. */
interface Builder {
  readonly schema: Schema;
  readonly choices: Choices;
}

/** Maximum depth of a sample. A schema that requires deeper values has no sample. */
const deepest = 64;

/**
 * Maximum number of values in a sample. A schema that requires more has no sample. A hundred characters count
 * as one value.
 */
const mostValues = 12_000;

interface Building extends Builder {
  /** Number of values that may still be made. */
  left: number;
}

/**
 * Builds an instance of all `nodes`. It is valid by construction except for constraints that only a test can
 * decide (`not`, `if`, exclusive arms, unusual patterns): the caller validates it and draws again. If the schema
 * requires more than a sample may contain, the instance has less and does not validate.
 *
 * @param room how many levels below may still vary freely; less than none asks for the smallest instance
 * @param hint what a string stands for: the name of the member
 */
export function buildInstance(
  builder: Builder,
  nodes: readonly SchemaNode[],
  room: number,
  hint: string,
): JsonValue {
  return build({ ...builder, left: mostValues }, nodes, room, hint);
}

function build(builder: Building, nodes: readonly SchemaNode[], room: number, hint: string): JsonValue {
  if (builder.left-- <= 0) return null;
  const facts = factsOf(builder, nodes, room);
  const fixed = fixedValues(facts);
  if (fixed) return fixed.length > 0 ? structuredClone(builder.choices.value(fixed)) : null;
  if (room < -deepest) {
    // The sample is useless already. What else it needs may be exponential in the depth.
    builder.left = 0;
    return null;
  }
  switch (builder.choices.type(typesOf(facts), room)) {
    case "null":
      return null;
    case "boolean":
      return builder.choices.boolean();
    case "integer":
      return builder.choices.number(rangeOf(facts, true));
    case "number":
      return builder.choices.number(rangeOf(facts, false));
    case "string":
      return buildString(builder, facts, hint);
    case "array":
      return buildArray(builder, facts, room, hint);
    case "object":
      return buildObject(builder, facts, room);
  }
}

function factsOf(builder: Builder, nodes: readonly SchemaNode[], room: number): SchemaNode[] {
  const facts = new Set<SchemaNode>();
  for (const node of nodes) collectFacts(builder, node, room, facts);
  return [...facts];
}

/**
 * Adds to `facts` the nodes that constrain the same value as `node`: itself, and through references,
 * conjunctions and one arm of each union. Each is added once, because repeated conjunctions would double at
 * every level.
 */
function collectFacts(builder: Builder, node: SchemaNode, room: number, facts: Set<SchemaNode>): void {
  if (facts.has(node)) return;
  facts.add(node);
  const { schema, choices } = builder;
  const include = (other: SchemaNode): void => collectFacts(builder, other, room, facts);
  if (node.ref !== undefined) include(schema.definitions.get(node.ref)!.node);
  for (const member of node.allOf ?? []) include(member);
  if (node.anyOf) include(choices.arm(node.anyOf, room));
  if (node.oneOf) include(choices.arm(node.oneOf, room));
  if (node.if && (node.then ?? node.else)) {
    const holds: SchemaNode = {
      pointer: node.pointer,
      allOf: [node.if, node.then ?? { pointer: node.pointer }],
    };
    include(choices.arm([holds, node.else ?? { pointer: node.pointer }], room));
  }
}

/** The values that `const` and `enum` of all nodes allow; `undefined` if no node has either. */
export function fixedValues(facts: readonly SchemaNode[]): JsonValue[] | undefined {
  let left: JsonValue[] | undefined;
  for (const { const: constant, enum: members } of facts) {
    const allowed = constant ? [constant.value] : members;
    if (!allowed) continue;
    const set = new ValueSet(allowed);
    left = left ? left.filter((value) => set.has(value)) : [...allowed];
  }
  return left;
}

const anyType: readonly TypeName[] = ["string", "integer", "number", "boolean", "null", "object", "array"];

function typesOf(facts: readonly SchemaNode[]): readonly TypeName[] {
  let left: readonly TypeName[] | undefined;
  for (const { types } of facts) {
    if (!types) continue;
    const wide = types.includes("number");
    left = (left ?? anyType).filter((type) => types.includes(type) || (type === "integer" && wide));
  }
  if (left && left.length > 0) return left;
  if (facts.some((fact) => fact.properties ?? fact.required ?? fact.minProperties)) return ["object"];
  if (facts.some((fact) => fact.items ?? fact.prefixItems ?? fact.minItems ?? fact.contains))
    return ["array"];
  if (facts.some((fact) => fact.pattern ?? fact.minLength)) return ["string"];
  if (facts.some((fact) => fact.minimum ?? fact.exclusiveMinimum ?? fact.multipleOf)) return ["number"];
  return anyType;
}

function buildString(builder: Building, facts: readonly SchemaNode[], hint: string): string {
  const text = builder.choices.string(facts.find((fact) => fact.format !== undefined)?.format, hint);
  const patterns = facts.map((fact) => fact.pattern).filter((pattern) => pattern !== undefined);
  const matched = patterns.length > 0 ? (matching(patterns, text) ?? text) : text;
  const least = largest(facts, "minLength");
  const cost = Math.ceil(least / 100);
  if (cost > builder.left) return matched;
  builder.left -= cost;
  return fitted(matched, least, smallest(facts, "maxLength"));
}

function buildArray(
  builder: Building,
  facts: readonly SchemaNode[],
  room: number,
  hint: string,
): JsonValue[] {
  const count = builder.choices.count(largest(facts, "minItems"), smallest(facts, "maxItems"), room);
  const contained = facts.filter((fact) => fact.contains && (fact.minContains ?? 1) > 0);
  const unique = facts.some((fact) => fact.uniqueItems);
  const items: JsonValue[] = [];
  const texts = new Set<string>();
  const least = contained.reduce((most, { minContains }) => Math.max(most, minContains ?? 1), count);
  if (least > builder.left) return items;
  // Draw again if an item must be unique but is not; four draws per item are enough or futile.
  for (let draw = 0; items.length < least && draw < 4 * least; draw++) {
    const index = items.length;
    const described = facts.map((fact) => fact.prefixItems?.[index] ?? fact.items);
    const matches = contained.filter((fact) => index < (fact.minContains ?? 1)).map((fact) => fact.contains);
    const nodes = [...described, ...matches].filter((node) => node !== undefined);
    const item = build(builder, nodes, room - 1, hint);
    if (unique && texts.size === texts.add(canonicalText(item)).size) continue;
    items.push(item);
  }
  return items;
}

function buildObject(builder: Building, facts: readonly SchemaNode[], room: number): JsonObject {
  const { choices } = builder;
  const required = new Set(facts.flatMap((fact) => fact.required ?? []));
  const members = new Map<string, JsonValue>();
  const add = (key: string): void => {
    if (members.has(key)) return;
    const nodes = facts.flatMap((fact) => memberNodes(fact, key));
    if (!required.has(key) && nodes.some((node) => node.never)) return;
    members.set(key, build(builder, nodes, room - 1, key));
    for (const fact of facts) for (const other of fact.dependentRequired?.get(key) ?? []) add(other);
  };
  for (const { properties } of facts) {
    for (const key of properties?.keys() ?? []) if (required.has(key) || choices.member(room)) add(key);
  }
  for (const key of required) add(key);
  for (const key of extraKeys(builder, facts, room)) add(key);
  // `fromEntries` defines members like `JSON.parse`, even `__proto__`.
  return Object.fromEntries(members);
}

/** Undeclared keys, if the nodes allow any: at least as many as `minProperties` requires. */
function extraKeys({ choices, left }: Building, facts: readonly SchemaNode[], room: number): string[] {
  const least = largest(facts, "minProperties");
  if (least === 0 && facts.some((fact) => fact.additionalProperties?.never)) return [];
  const patterns = facts.flatMap((fact) => [...(fact.patternProperties?.keys() ?? [])]);
  const keys = patterns
    .map((pattern) => matching([pattern], "key"))
    .filter((key) => key !== undefined && choices.member(room));
  if (least > left) return [];
  for (let number = 1; keys.length < least; number++) keys.push(`key${number}`);
  const drawn = choices.extraKey(room);
  return [...keys, drawn].filter((key) => key !== undefined);
}

/** The subschemas of one node that constrain the member `key`. */
export function memberNodes(node: SchemaNode, key: string): SchemaNode[] {
  const named = node.properties?.get(key);
  const nodes = named ? [named] : [];
  for (const [pattern, child] of node.patternProperties ?? []) {
    if (matcherOf(pattern)?.test(key)) nodes.push(child);
  }
  if (nodes.length === 0 && node.additionalProperties) nodes.push(node.additionalProperties);
  return nodes;
}

function largest(facts: readonly SchemaNode[], name: "minLength" | "minItems" | "minProperties"): number {
  return facts.reduce((most, fact) => Math.max(most, fact[name] ?? 0), 0);
}

function smallest(facts: readonly SchemaNode[], name: "maxLength" | "maxItems"): number {
  return facts.reduce((least, fact) => Math.min(least, fact[name] ?? Infinity), Infinity);
}

/** Decides wherever a schema allows alternatives. */
export interface Choices {
  arm(arms: readonly SchemaNode[], room: number): SchemaNode;
  /** Chooses one of the values that `const` or `enum` allow. */
  value<T>(values: readonly T[]): T;
  type(types: readonly TypeName[], room: number): TypeName;
  /** Decides whether to include an optional member. */
  member(room: number): boolean;
  /** Chooses a number between `least` and `most`. */
  count(least: number, most: number, room: number): number;
  /** Chooses a key that the schema does not declare, or undefined. */
  extraKey(room: number): string | undefined;
  number(range: NumberRange): number;
  /** @param hint name of the member that contains the string */
  string(format: string | undefined, hint: string): string;
  boolean(): boolean;
}

/** Chooses only required parts, and the first of the simplest alternatives: stable and readable. */
export function firstChoices(heightOf: HeightOf): Choices {
  return {
    arm: (arms) => lowest(arms, heightOf)[0]!,
    value: (values) => values[0]!,
    type: (types) => simplestType(types),
    member: () => false,
    count: (least) => least,
    extraKey: () => undefined,
    number: firstNumber,
    string: plainString,
    boolean: () => false,
  };
}

/**
 * Chooses randomly, so that eventually everything the schema allows occurs; the simplest alternative if no
 * depth is left.
 */
export function randomChoices(random: Random, heightOf: HeightOf): Choices {
  // Sparse and dense samples each reach cases that the other seldom does.
  const density = random.pick([0.15, 0.4, 0.4, 0.8]);
  return {
    arm: (arms, room) => random.pick(room > 0 ? possible(arms, heightOf) : lowest(arms, heightOf)),
    value: (values) => random.pick(values),
    type: (types, room) => (room > 0 ? random.pick(types) : simplestType(types)),
    member: (room) => room > 0 && random.chance(density),
    count: (least, most, room) => (room > 0 ? Math.min(most, least + random.below(4)) : least),
    extraKey: (room) => (room > 0 && random.chance(0.15) ? random.pick(oddKeys) : undefined),
    number: (range) => random.pick(edgeNumbers(range, random)),
    string: (format, hint) =>
      format !== undefined || random.chance(0.6) ? plainString(format, hint) : random.pick(oddStrings),
    boolean: () => random.chance(0.5),
  };
}

/** Names that cause errors in careless code. */
const oddKeys = ["extra", "x-extra", "a/b~c", "", "constructor", "toString", "__proto__", "0", "naïve 🔑"];

function possible(arms: readonly SchemaNode[], heightOf: HeightOf): readonly SchemaNode[] {
  const finite = arms.filter((arm) => heightOf(arm) < Infinity);
  return finite.length > 0 ? finite : arms;
}

function lowest(arms: readonly SchemaNode[], heightOf: HeightOf): readonly SchemaNode[] {
  const heights = arms.map(heightOf);
  const least = Math.min(...heights);
  return arms.filter((_, index) => heights[index] === least);
}

const bySimplicity: readonly TypeName[] = [
  "string",
  "integer",
  "number",
  "boolean",
  "null",
  "object",
  "array",
];

function simplestType(types: readonly TypeName[]): TypeName {
  return bySimplicity.find((type) => types.includes(type))!;
}

/**
 * Computes the depth of the smallest instance of a node: 0 for scalars; for objects and arrays, 1 more than
 * their required parts.
 */
type HeightOf = (node: SchemaNode) => number;

const known = new WeakMap<Schema, HeightOf>();

/**
 * The heights of the nodes in `schema`; `Infinity` if no instance is finite. Sampling of recursive
 * definitions ends because it always chooses the lowest node.
 */
export function heightsOf(schema: Schema): HeightOf {
  let heightOf = known.get(schema);
  if (!heightOf) known.set(schema, (heightOf = measure(schema)));
  return heightOf;
}

function measure(schema: Schema): HeightOf {
  const heights = new Map<string, number>();
  const heightOf: HeightOf = (node) => nodeHeight(node, (name) => heights.get(name) ?? Infinity);
  const definitions = [...schema.definitions];
  // Heights only decrease, so repeating until none does finds the minimum. Nodes that depend on each other
  // form chains, which one of the two directions follows in one pass.
  for (let changed = true; changed; definitions.reverse()) {
    changed = false;
    for (const [name, { node }] of definitions) {
      const height = heightOf(node);
      if (height < (heights.get(name) ?? Infinity)) {
        heights.set(name, height);
        changed = true;
      }
    }
  }
  return heightOf;
}

function nodeHeight(node: SchemaNode, definition: (name: string) => number): number {
  if (node.never) return Infinity;
  const of = (child: SchemaNode): number => nodeHeight(child, definition);
  let height = ownHeight(node, of);
  if (node.ref !== undefined) height = Math.max(height, definition(node.ref));
  for (const member of node.allOf ?? []) height = Math.max(height, of(member));
  if (node.anyOf) height = Math.max(height, Math.min(...node.anyOf.map(of)));
  if (node.oneOf) height = Math.max(height, Math.min(...node.oneOf.map(of)));
  return height;
}

function ownHeight(node: SchemaNode, of: HeightOf): number {
  if (node.const || node.enum) return 0;
  const { types } = node;
  if (types?.some((type) => type !== "object" && type !== "array")) return 0;
  const asArray = (): number => 1 + (node.items && (node.minItems ?? 0) > 0 ? of(node.items) : 0);
  const asObject = (): number => {
    const children = (node.required ?? [])
      .map((key) => node.properties?.get(key))
      .filter((child) => child !== undefined);
    return 1 + Math.max(0, ...children.map(of));
  };
  if (!types) return node.required ? asObject() : 0;
  return Math.min(
    types.includes("object") ? asObject() : Infinity,
    types.includes("array") ? asArray() : Infinity,
  );
}
