import { type SchemaNode, divides, exampleOf, matcherOf } from "@mcpgen/engine";

/** A sequence of pseudo-random numbers, which the seed determines. */
export interface Random {
  /** A number in [0, 1). */
  fraction(): number;
  /** An integer in [0, limit). */
  below(limit: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** One of `values`, which must not be empty. */
  pick<T>(values: readonly T[]): T;
}

/**
 * The sequence for `seed`. Samples of a definition use its name as seed, so that they stay the same if other
 * definitions change.
 */
export function randomFrom(seed: string): Random {
  const fraction = mulberry32(fnv1a(seed));
  const below = (limit: number): number => Math.floor(fraction() * limit);
  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    pick: (values) => values[below(values.length)]!,
  };
}

/** `values` in random order; the list itself is not changed. */
export function shuffled<T>(values: readonly T[], random: Random): T[] {
  const result = [...values];
  for (let index = result.length - 1; index > 0; index--) {
    const other = random.below(index + 1);
    [result[index], result[other]] = [result[other]!, result[index]!];
  }
  return result;
}

/** Fowler–Noll–Vo hash, 32 bits, over UTF-16 code units. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** Tommy Ettinger's generator: 32 bits of state suffice for samples, and it needs no warm-up. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The combined limits of several nodes for a number. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
  readonly integer: boolean;
  /** Every number is a multiple of each of these. */
  readonly steps: readonly number[];
}

/** Exclusive limits are treated as inclusive; a sample equal to one is drawn again. */
export function rangeOf(nodes: readonly SchemaNode[], integer: boolean): NumberRange {
  const bounds = (
    names: readonly ("minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum")[],
  ): number[] =>
    nodes.flatMap((node) => names.map((name) => node[name])).filter((bound) => bound !== undefined);
  return {
    least: bounds(["minimum", "exclusiveMinimum"]).reduce((most, bound) => Math.max(most, bound), -Infinity),
    most: bounds(["maximum", "exclusiveMaximum"]).reduce((least, bound) => Math.min(least, bound), Infinity),
    integer,
    steps: nodes.map((node) => node.multipleOf).filter((step) => step !== undefined),
  };
}

/** The simplest number in a range: 1 if possible, else the nearest to it. */
export function firstNumber(range: NumberRange): number {
  const { least, most, integer } = range;
  const candidates = [1, 0, least, least + 1, most, most - 1, (least + most) / 2, ...multiples(range)];
  const fitting = candidates.find((number) => fits(number, range) && number !== least && number !== most);
  return fitting ?? candidates.find((number) => fits(number, range)) ?? (integer ? Math.ceil(least) : least);
}

/**
 * Numbers worth trying in a range: its ends and their neighbours, zero, fractions, and numbers beyond 53
 * bits.
 */
export function edgeNumbers(range: NumberRange, random: Random): number[] {
  const { least, most } = range;
  const candidates = [0, 1, -1, 42, 0.5, -2.25, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 1e300, -1e300, 1e-7];
  candidates.push(
    least,
    least + 1,
    most,
    most - 1,
    random.below(1000),
    random.fraction(),
    ...multiples(range),
  );
  if (Number.isFinite(least) && Number.isFinite(most))
    candidates.push(least + random.fraction() * (most - least));
  const fitting = candidates.filter((number) => fits(number, range));
  return fitting.length > 0 ? fitting : [firstNumber(range)];
}

function multiples({ steps, least }: NumberRange): number[] {
  const from = Number.isFinite(least) ? least : 0;
  return steps.flatMap((step) => [step, Math.ceil(from / step) * step, (Math.ceil(from / step) + 3) * step]);
}

function fits(number: number, { least, most, integer, steps }: NumberRange): boolean {
  return (
    Number.isFinite(number) &&
    number >= least &&
    number <= most &&
    (!integer || Number.isInteger(number)) &&
    steps.every((step) => divides(step, number))
  );
}

/** A sample for each format in the schemas. Formats are annotations, but samples should match them. */
const byFormat: ReadonlyMap<string, string> = new Map([
  ["byte", "aGVsbG8="],
  ["date", "2026-07-28"],
  ["date-time", "2026-07-28T12:00:00Z"],
  ["duration", "PT1H"],
  ["email", "someone@example.com"],
  ["hostname", "example.com"],
  ["idn-email", "someone@example.com"],
  ["idn-hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["iri", "https://example.com/"],
  ["iri-reference", "/path"],
  ["json-pointer", "/path"],
  ["regex", "^[a-z]+$"],
  ["relative-json-pointer", "0/path"],
  ["time", "12:00:00Z"],
  ["uri", "https://example.com/"],
  ["uri-reference", "/path"],
  ["uri-template", "https://example.com/{id}"],
  ["uuid", "f81d4fae-7dec-41d0-8765-00a0c91e6bf6"],
]);

/**
 * Strings that are difficult to process: empty, long, control characters, astral characters, a lone
 * surrogate, the text of a number.
 */
export const oddStrings: readonly string[] = [
  "",
  " ",
  "3",
  "null",
  "__proto__",
  'quote " and \\ backslash',
  "line\nbreak\u0000\u2028",
  "🔑 naïve עברית",
  "\ud800",
  "x".repeat(300),
];

/** A string that shows its purpose: the format's sample, else the member's name. */
export function plainString(format: string | undefined, hint: string): string {
  return (format !== undefined ? byFormat.get(format) : undefined) ?? hint;
}

/** `text` fitted to a length in code points. Keeps the beginning, so that it still shows its purpose. */
export function fitted(text: string, least: number, most: number): string {
  const points = [...text];
  if (points.length > most) return points.slice(0, most).join("");
  return points.length < least ? text + "x".repeat(least - points.length) : text;
}

const plainCandidates = "a A 1 - _ . / a1 aa AA 11 abc ABC 123 a-b a_b a.b a/b abcd 1234 12345".split(" ");

const patternCandidates = [...plainCandidates, ...byFormat.values(), ...oddStrings];

/**
 * A string that matches all `patterns`, or `undefined`: tries simple candidates, and an example of each
 * pattern.
 */
export function matching(patterns: readonly string[], preferred: string): string | undefined {
  const matchers = patterns.map((pattern) => matcherOf(pattern));
  const isMatching = (candidate: string | undefined): candidate is string =>
    candidate !== undefined && matchers.every((matcher) => matcher?.test(candidate));
  return [preferred, ...patternCandidates].find(isMatching) ?? patterns.map(exampleOf).find(isMatching);
}
