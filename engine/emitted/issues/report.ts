// Issues and their messages.
import {
  alternatives,
  choiceText,
  nearest,
  pathText,
  pointerText,
  scalarText,
  valueText,
} from "./text.js";
import { type Named, type Part, constantsOf, typesOf } from "./shape.js";

/** One thing that is wrong with a value. */
export interface Issue {
  /**
   * JSON Pointer (RFC 6901) of the place; of the missing member if one is
   * missing.
   */
  readonly pointer: string;
  readonly expected: string;
  /** The value at the place, shortened; `nothing` if a member is missing. */
  readonly got: string;
  /** A suggestion, if a name is nearly right. */
  readonly suggestion?: string;
  /**
   * The issue in one line: `params.days: expected integer, got "3" (string)`.
   */
  readonly message: string;
}

/** Longest message, and longest summary. */
const longest = 400;

/**
 * The depth of nested definitions whose issues are described. Deeper values are
 * only validated.
 */
export const deepest = 64;

/** Unions inside unions that are tried arm by arm. */
export const mostTrials = 3;

/** The state of a search. */
export interface Search {
  /** Describes a part of the value. Unions call it for each arm. */
  readonly describe: (search: Search, value: unknown, part: Part) => void;
  readonly issues: Issue[];
  readonly limit: number;
  readonly path: (string | number)[];
  readonly level: number;
  readonly trials: number;
  /** The open reading: unions and sets accept what later revisions may add. */
  readonly open: boolean;
  readonly texts: Texts;
}

/** The checks of formats and patterns, if regular expressions are not enough. */
export interface Texts {
  readonly formats?: ReadonlyMap<string, (text: string) => boolean>;
  readonly matcher?: (pattern: string) => Matcher;
}

export interface Matcher {
  test(text: string): boolean;
}

export function matcherOf({ texts }: Search, pattern: string): Matcher {
  return texts.matcher?.(pattern) ?? new RegExp(pattern, "u");
}

/** Whether `value` is valid for `part`. */
export function isPart(search: Search, value: unknown, part: Part): boolean {
  if (part !== false && "is" in part) return isNamed(search, value, part);
  const issues: Issue[] = [];
  const { describe, open, texts } = search;
  const silent = { issues, limit: 1, path: [], describe, open, texts };
  describe({ ...silent, level: deepest, trials: mostTrials }, value, part);
  return issues.length === 0;
}

/** Whether `value` is valid for a definition, in the reading of the search. */
export function isNamed(search: Search, value: unknown, named: Named): boolean {
  return search.open && named.accepts ? named.accepts(value) : named.is(value);
}

/** Runs `search` one member or item further in. */
export function at(
  search: Search,
  key: string | number,
  run: () => void,
): void {
  search.path.push(key);
  run();
  search.path.pop();
}

interface Advice {
  readonly got?: string;
  readonly suggestion?: string | undefined;
  /** The misspelled name, if it is not the value itself. */
  readonly by?: string;
}

export function report(
  search: Search,
  value: unknown,
  expected: string,
  advice: Advice = {},
): void {
  if (search.issues.length >= search.limit) return;
  const { suggestion, got = valueText(value) } = advice;
  const place = pathText(search.path);
  const where = place === "" ? "" : `${place}: `;
  const whole = `${where}expected ${expected}, got ${got}${question(advice)}`;
  search.issues.push({
    pointer: pointerText(search.path),
    expected,
    got,
    ...(suggestion !== undefined && { suggestion }),
    message: whole.length > longest ? whole.slice(0, longest - 1) + "…" : whole,
  });
}

function question({ suggestion, by }: Advice): string {
  if (suggestion === undefined) return "";
  const instead = by === undefined ? "" : ` by ${scalarText(by)}`;
  return `; did you mean ${scalarText(suggestion)}${instead}?`;
}

/** The expectation of `part`, in a few words. */
export function expectation(part: Part): string {
  const constants = constantsOf(part);
  if (constants) return choiceText(constants);
  const types = typesOf(part);
  if (types) return alternatives(types);
  return part !== false && "is" in part ? part.name : "value";
}

/** Advice on a value that is nearly one of several names. */
export function near(value: unknown, names: readonly unknown[]): Advice {
  if (typeof value !== "string") return {};
  const texts = names.filter((name) => typeof name === "string");
  return { suggestion: nearest(value, texts) };
}

/** At most three lines and 400 characters about `issues`. */
export function summary(issues: readonly Issue[]): string {
  const lines = issues.slice(0, 3).map(({ message }) => message);
  const more = (): string => `and ${issues.length - lines.length} more`;
  const text = (): string =>
    [...lines, ...(lines.length < issues.length ? [more()] : [])].join("\n");
  while (
    lines.length > 1 &&
    (text().length > longest || text().split("\n").length > 3)
  )
    lines.pop();
  return text().slice(0, longest);
}
