import { nearest } from "@mcpgen/engine/explain";
import { McpError } from "../jsonrpc/errors.js";
import { isObject } from "../jsonrpc/message.js";
import { longestWait } from "../time/clock.js";

/**
 * The values that an option may have: a number stands for an integer of at least that number, two numbers for a range; a
 * type name for a value of that type; words for one of them; nested rules for an object; "amount" for a number from 0,
 * `Infinity` included; a function for any other.
 */
export type Rule =
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
  | OwnRule
  | OwnRules;

/**
 * Returns the expected value, if `value` is another; or a fault, which has its place.
 *
 * @param place text before the names of its members in errors, such as `http.`
 */
type OwnRule = (value: unknown, place: string) => string | OptionFault | undefined;

export interface OwnRules {
  readonly [name: string]: Rule;
}

/** A rule for every option. @typeParam Former names of options that are gone */
export type Rules<Options, Former extends string = never> = {
  readonly [name in keyof Required<Options> | Former]: Rule;
};

/** What is wrong with an option. */
export interface OptionFault {
  /** A sentence with the place of the option, and without its value. */
  readonly message: string;
  /** The value, unless it may be secret. Absent if the option does not exist. */
  readonly got?: unknown;
}

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
 * Rules, with those for options that are gone. Mark the call as pure.
 *
 * @param former options that are gone, each with the option that has its meaning today
 */
export function withGone<Given extends OwnRules>(
  rules: Given,
  former: Readonly<Record<string, string>>,
): Given {
  const names = Object.keys(former);
  return { ...Object.fromEntries(names.map((name) => [name, gone(`Write ${former[name]}.`)])), ...rules };
}

/**
 * Checks the names and values of options. A misspelt option would otherwise have no effect. The error shows a wrong value.
 *
 * @param place text before the names in errors
 * @param required names of options that must be given
 * @throws {McpError} `invalid-definition`: an option does not exist, is missing, or has a wrong value
 */
export function checkOptions(
  given: object,
  rules: OwnRules,
  place = "",
  required: readonly string[] = [],
): void {
  const fault = optionFault(given, rules, place, required);
  if (!fault) return;
  const { message } = fault;
  throw invalid("got" in fault ? `${message.slice(0, -1)}, got ${textOf(fault.got)}.` : message);
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

/**
 * Finds what is wrong with options: first a name that does not exist, then a wrong value.
 *
 * @param place text before the names in errors
 * @param required names of options that must be given
 */
export function optionFault(
  given: unknown,
  rules: OwnRules,
  place = "",
  required: readonly string[] = [],
): OptionFault | undefined {
  if (!isObject(given))
    return { message: `${place.replace(/\.$/, ": ") || "options: "}expected an object.`, got: given };
  for (const name of Object.keys(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined)
      return {
        message: `${place}${name}: there is no such option. ${suggestion(name, namesOf(rules))}`,
      };
    if (rule instanceof Gone) return { message: `${place}${name}: the option is gone. ${rule.today}` };
  }
  return valueFault(given, rules, place, required);
}

/** As `optionFault`, for an object that may have more members, such as one that another function returned. */
export function valueFault(
  given: object,
  rules: OwnRules,
  place = "",
  required: readonly string[] = [],
): OptionFault | undefined {
  for (const name of Object.keys(rules)) {
    const value = (given as Record<string, unknown>)[name];
    if (value === undefined && !required.includes(name)) continue;
    const wrong = misfit(value, rules[name]!, `${place}${name}.`);
    if (typeof wrong === "object") return wrong;
    if (wrong !== undefined) return { message: `${place}${name}: expected ${wrong}.`, got: value };
  }
  return undefined;
}

/** The expected value, or a fault of a member, if `value` breaks its rule. @param place text before the names of its members */
function misfit(value: unknown, rule: Rule, place: string): string | OptionFault | undefined {
  if (typeof rule === "number") return misfit(value, [rule, longestWait], place);
  if (rule === "anything") return undefined;
  if (rule === "amount") return typeof value === "number" && value >= 0 ? undefined : "a number from 0";
  if (rule === "array") return Array.isArray(value) ? undefined : "a list";
  if (rule === "boolean") return typeof value === rule ? undefined : "true or false";
  if (typeof rule === "string")
    return typeof value === rule && value !== null ? undefined : `${rule === "object" ? "an" : "a"} ${rule}`;
  if (Array.isArray(rule)) return unlisted(value, rule);
  if (typeof rule === "function") return rule(value, place);
  return isObject(value) ? optionFault(value, rule as OwnRules, place) : "an object";
}

/** The rule for a string that is not empty. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? undefined : "a text that is not empty";
}

/** The rule for a list of one or more strings that are not empty. */
export function texts(value: unknown): string | undefined {
  const isText = (each: unknown): boolean => text(each) === undefined;
  return Array.isArray(value) && value.length > 0 && value.every(isText)
    ? undefined
    : "a list with at least one text, and none that is empty";
}

/** A rule for a number in a range. Mark the call as pure. */
export function numberFrom(least: number, most: number): (value: unknown) => string | undefined {
  return (value) =>
    typeof value === "number" && value >= least && value <= most
      ? undefined
      : `a number from ${least} to ${most}`;
}

/** A rule for a list of strings of a form. Mark the call as pure. @param example one of them, for errors */
export function listLike(form: RegExp, example: string): (value: unknown) => string | undefined {
  const fits = (each: unknown): boolean => typeof each === "string" && form.test(each);
  return (value) => (Array.isArray(value) && value.every(fits) ? undefined : `a list such as ["${example}"]`);
}

/**
 * A rule for a list of one or more secrets. Its fault does not show them. Mark the call as pure.
 *
 * @param shortest least number of characters of each
 */
export function secrets(shortest: number): Rule {
  return (value, place) => {
    const isLong = (each: unknown): boolean => typeof each === "string" && each.length >= shortest;
    if (Array.isArray(value) && value.length > 0 && value.every(isLong)) return undefined;
    const expected = `secrets of at least ${shortest} characters: openssl rand -base64 32`;
    return { message: `${place.slice(0, -1)}: expected ${expected}.` };
  };
}

/**
 * A rule for a plain value, or an object with these options. Mark the call as pure.
 *
 * @param required names of options that the object must have
 */
export function orObject(plain: Rule, rules: OwnRules, required: readonly string[] = []): Rule {
  return (value, place) => {
    if (isObject(value)) return optionFault(value, rules, place, required);
    const wrong = misfit(value, plain, place);
    return typeof wrong === "string" ? `${wrong}, or an object with ${namesOf(rules).join(", ")}` : wrong;
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

function unlisted(value: unknown, rule: readonly [number, number] | readonly string[]): string | undefined {
  const [first, last] = rule as readonly [number, number];
  if (typeof first !== "number") return rule.includes(value as never) ? undefined : rule.join(" or ");
  return Number.isInteger(value) && (value as number) >= first && (value as number) <= last
    ? undefined
    : `a whole number from ${first} to ${last}`;
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
