import { McpError } from "../peer/errors.js";
import { isObject } from "../peer/message.js";

/** What an option may be, in words and as a test. */
export type Rule = readonly [expected: string, accepts: (value: unknown) => boolean];

/** A rule for every option that there is. */
export type Rules<Options> = { readonly [name in keyof Required<Options>]: Rule };

export const flag: Rule = ["true or false", (value) => typeof value === "boolean"];
export const callable: Rule = ["a function", (value) => typeof value === "function"];
export const amount: Rule = ["a number from 1 on", (value) => typeof value === "number" && value >= 1];

/** A whole number. Timers of platforms take no more milliseconds than `most` is without it. */
export function whole(least: number, most = 2 ** 31 - 1): Rule {
  return [
    `a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  ];
}

export function texts(expected: string, pattern: RegExp): Rule {
  return [
    `a list of ${expected}`,
    (value) => Array.isArray(value) && value.every((each) => typeof each === "string" && pattern.test(each)),
  ];
}

/** `true`, `false`, or options that have names of their own. */
export function switched(name: string, rules: Readonly<Record<string, Rule>>): Rule {
  return [
    "true, false or an object",
    (value) => {
      if (isObject(value)) checkOptions(value, rules, `${name}.`);
      return isObject(value) || typeof value === "boolean";
    },
  ];
}

/**
 * Looks at options once, where something is made of them: what is misspelt would be missed only when it matters.
 *
 * @throws {McpError} `invalid-definition`: there is no option of a name, or its value is none for it
 */
export function checkOptions(given: object, rules: Readonly<Record<string, Rule>>, place = ""): void {
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (!Object.hasOwn(rules, name))
      throw invalid(`${place}${name}: there is no such option. ${suggestion(name, Object.keys(rules))}`);
    const [expected, accepts] = rules[name]!;
    if (value === undefined || accepts(value)) continue;
    // JSON has no NaN, and nothing for a function.
    const got = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value);
    throw invalid(`${place}${name}: expected ${expected}, got ${got}.`);
  }
}

function invalid(message: string): McpError {
  return new McpError("invalid-definition", message);
}

function suggestion(name: string, names: readonly string[]): string {
  const [nearest] = names
    .map((each) => ({ each, far: edits(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, far }) => far <= Math.max(2, each.length / 3))
    .sort((one, other) => one.far - other.far);
  return nearest ? `Did you mean ${nearest.each}?` : `There are ${names.join(", ")}.`;
}

/** How many letters are to be put in, left out or changed to make one of the other. */
function edits(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const letter of one) {
    const row = [above[0]! + 1];
    for (let at = 0; at < other.length; at++)
      row.push(Math.min(above[at]! + (letter === other[at] ? 0 : 1), above[at + 1]! + 1, row[at]! + 1));
    above = row;
  }
  return above[other.length]!;
}
