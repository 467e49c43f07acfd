import { nearest } from "@mcpgen/engine/explain";
import { McpError } from "../jsonrpc/errors.js";
import { isObject } from "../jsonrpc/message.js";
import { longestWait } from "../time/clock.js";

/**
 * The values that an option may have: a number stands for an integer of at least that number, two numbers for a range; a
 * type name for a value of that type; words for one of them; a pattern and an example for a list of matching strings;
 * nested rules for an object; "amount" for a number from 0, `Infinity` included; a function for any other.
 */
type Rule =
  | number
  | readonly [from: number, to: number]
  | "boolean"
  | "string"
  | "object"
  | "function"
  | "array"
  | "amount"
  | "anything"
  | readonly string[]
  | readonly [RegExp, string]
  | OwnRule
  | OwnRules;

/** Returns the expected value, if `value` is another. @param place text before the names of its members in errors */
type OwnRule = (value: unknown, place: string) => string | undefined;

export interface OwnRules {
  readonly [name: string]: Rule;
}

/** A rule for every option. @typeParam Former names of options that are gone */
export type Rules<Options, Former extends string = never> = {
  readonly [name in keyof Required<Options> | Former]: Rule;
};

/** What to write in place of an option that is gone. */
class Gone {
  readonly today: string;

  constructor(today: string) {
    this.today = today;
  }
}

/**
 * The rule for an option that is gone: it is refused with what to write today, for one minor version. docs/migration.md has the
 * same rows.
 */
export function gone(today: string): OwnRules {
  return new Gone(today) as object as OwnRules;
}

/**
 * Checks the names and values of options. A misspelt option would otherwise have no effect.
 *
 * @param place text before the names in errors
 * @throws {McpError} `invalid-definition`: an option does not exist, or has a wrong value
 */
export function checkOptions(given: object, rules: OwnRules, place = ""): void {
  if (!isObject(given))
    throw invalid(`${place.replace(/\.$/, ": ") || "options: "}expected an object, got ${textOf(given)}.`);
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    const rule = Object.hasOwn(rules, name) ? rules[name]! : undefined;
    if (rule instanceof Gone) throw invalid(`${place}${name}: the option is gone. ${rule.today}`);
    if (rule === undefined)
      throw invalid(`${place}${name}: there is no such option. ${suggestion(name, namesOf(rules))}`);
    const expected = value === undefined ? undefined : misfit(value, rule, `${place}${name}.`);
    if (expected === undefined) continue;
    throw invalid(`${place}${name}: expected ${expected}, got ${textOf(value)}.`);
  }
}

/** The value for an error: JSON cannot represent NaN, functions and cycles. */
function textOf(value: unknown): string {
  if (typeof value === "number") return String(value);
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}

/** The expected value, if `value` breaks its rule. */
function misfit(value: unknown, rule: Rule, place: string): string | undefined {
  if (typeof rule === "number") return misfit(value, [rule, longestWait], place);
  if (rule === "anything") return undefined;
  if (rule === "amount") return typeof value === "number" && value >= 0 ? undefined : "a number from 0";
  if (rule === "array") return Array.isArray(value) ? undefined : "a list";
  if (typeof rule === "string")
    return typeof value === rule && value !== null ? undefined : `${rule === "object" ? "an" : "a"} ${rule}`;
  if (Array.isArray(rule)) return unlisted(value, rule);
  if (typeof rule === "function") return rule(value, place);
  if (!isObject(value)) return "an object";
  checkOptions(value, rule as OwnRules, place);
  return undefined;
}

/** A rule for `true`, `false` or an object with these options. */
export function orBoolean(rules: OwnRules): Rule {
  return (value, place) => {
    if (typeof value === "boolean") return undefined;
    return isObject(value) ? misfit(value, rules, place) : "true, false or an object";
  };
}

/** A rule for an object with these functions, which may be inherited. Mark the call as pure: bundlers then drop unused rules. */
export function withFunctions(...names: readonly string[]): Rule {
  return (value) =>
    typeof value === "object" &&
    names.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === "function")
      ? undefined
      : `an object with the function${names.length > 1 ? "s" : ""} ${names.join(", ")}`;
}

/** The rule for the extensions of a server or a client. */
export const listOfExtensions: Rule = (value) => {
  const isUsable = (each: unknown): boolean => isObject(each) && typeof each["extend"] === "function";
  return Array.isArray(value) && value.every(isUsable)
    ? undefined
    : "a list of extensions, each as its module exports it or as its function implement returns it";
};

function unlisted(value: unknown, rule: readonly unknown[]): string | undefined {
  const [form, last] = rule as readonly [unknown, number | string];
  if (typeof form === "number") {
    const fits =
      Number.isInteger(value) && (value as number) >= form && (value as number) <= (last as number);
    return fits ? undefined : `a whole number from ${form} to ${last}`;
  }
  if (!(form instanceof RegExp)) return rule.includes(value) ? undefined : rule.join(" or ");
  const fits = Array.isArray(value) && value.every((each) => typeof each === "string" && form.test(each));
  return fits ? undefined : `a list such as ["${last}"]`;
}

export function invalid(message: string): McpError {
  return new McpError("invalid-definition", message);
}

/** @throws {McpError} `invalid-definition`: `given` is not a function */
export function requireFunction(place: string, given: unknown): void {
  if (typeof given !== "function") throw invalid(`${place}: expected a function, got ${typeof given}.`);
}

/** The names of all options. */
export type Names<Options> = { readonly [name in keyof Required<Options>]: 0 };

/**
 * Refuses options that do not exist. Values are not checked: the bundle of every server contains this function.
 *
 * @throws {McpError} `invalid-definition`
 */
export function requireKnown(given: object, names: object): void {
  const known = Object.keys(names);
  for (const name of Object.keys(given))
    if (!known.includes(name)) throw invalid(`${name}: there is no such option. ${suggestion(name, known)}`);
}

/** The names of options that there are. */
function namesOf(rules: OwnRules): string[] {
  return Object.keys(rules).filter((name) => !(rules[name] instanceof Gone));
}

/** Advice for an unknown name: the name that it misspells, or all of them. */
export function suggestion(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  return meant === undefined ? `There are ${names.join(", ")}.` : `Did you mean ${meant}?`;
}
