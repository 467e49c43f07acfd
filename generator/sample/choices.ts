import type { SchemaNode, TypeName } from "@mcpgen/engine";
import type { HeightOf } from "./height.js";
import { type NumberRange, edgeNumbers, firstNumber } from "./numbers.js";
import type { Random } from "./random.js";
import { oddStrings, plainString } from "./strings.js";

/** Decides wherever a schema leaves open what an instance looks like. */
export interface Choices {
  arm(arms: readonly SchemaNode[], room: number): SchemaNode;
  /** One of the values a `const` or `enum` leaves. */
  value<T>(values: readonly T[]): T;
  type(types: readonly TypeName[], room: number): TypeName;
  /** Whether an optional member is there. */
  member(room: number): boolean;
  /** How many of something, between `least` and `most`. */
  count(least: number, most: number, room: number): number;
  /** A key that the schema does not name, or undefined. */
  extraKey(room: number): string | undefined;
  number(range: NumberRange): number;
  /** @param hint name of the member the string is for */
  string(format: string | undefined, hint: string): string;
  boolean(): boolean;
}

/** Only what is required, and the first of the simplest: stable, and made to be read. */
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

/** Everything the schema allows, sooner or later; the simplest where there is no room left to go deeper. */
export function randomChoices(random: Random, heightOf: HeightOf): Choices {
  // Sparse samples and crowded ones each meet what the other seldom does.
  const density = random.pick([0.15, 0.4, 0.4, 0.8]);
  return {
    arm: (arms, room) => random.pick(room > 0 ? possible(arms, heightOf) : lowest(arms, heightOf)),
    value: (values) => random.pick(values),
    type: (types, room) => (room > 0 ? random.pick(types) : simplestType(types)),
    member: (room) => room > 0 && random.chance(density),
    count: (least, most, room) => (room > 0 ? Math.min(most, least + random.below(4)) : least),
    extraKey: (room) => (room > 0 && random.chance(0.15) ? random.pick(extraKeys) : undefined),
    number: (range) => random.pick(edgeNumbers(range, random)),
    string: (format, hint) =>
      format !== undefined || random.chance(0.6) ? plainString(format, hint) : random.pick(oddStrings),
    boolean: () => random.chance(0.5),
  };
}

/** Names that code which handles keys carelessly trips over. */
const extraKeys = ["extra", "x-extra", "a/b~c", "", "constructor", "toString", "__proto__", "0", "naïve 🔑"];

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
