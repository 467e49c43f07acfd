import { McpError } from "../jsonrpc/errors.js";

/** The names of all options. */
export type Names<Options> = { readonly [name in keyof Required<Options>]: 0 };

/**
 * Refuses options that do not exist. Values are not checked: the bundle of every server contains this function.
 *
 * @throws {McpError} `invalid-definition`
 */
export function requireKnown(given: object, names: object): void {
  const known = Object.keys(names);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    const advice = meant === undefined ? `There are ${known.join(", ")}.` : `Did you mean ${meant}?`;
    throw new McpError("invalid-definition", `${name}: there is no such option. ${advice}`);
  }
}

/** Names with more characters are not compared. */
const longestName = 40;

/** The text among `candidates` that differs from `name` in the fewest letters, two at most. */
export function nearest(name: string, candidates: readonly unknown[]): string | undefined {
  let best: string | undefined;
  let least = 3;
  for (const candidate of candidates) {
    if (typeof candidate !== "string" || Math.max(name.length, candidate.length) > longestName) continue;
    const letters = distance(name, candidate);
    if (letters >= Math.min(least, name.length, candidate.length)) continue;
    best = candidate;
    least = letters;
  }
  return best;
}

/** How many letters must be inserted, deleted or replaced to make one of the other (Levenshtein). */
export function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j++)
      next.push(Math.min(row[j]! + (one[i] === other[j] ? 0 : 1), row[j + 1]! + 1, next[j]! + 1));
    row = next;
  }
  return row[other.length]!;
}
