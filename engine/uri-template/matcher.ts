import { type Refuse, type TemplateExpression, templateParts } from "./expressions.js";

/** A literal, or a variable. */
type Part = string | MatchedVariable;

/** A variable whose value can be found in a URI. */
export interface MatchedVariable {
  readonly name: string;
  readonly operator: string;
  /** Whether its value is a list, with a separator before each item. */
  readonly exploded: boolean;
  /** Whether another variable precedes it in its expression. */
  readonly later: boolean;
  /** Characters that its value in a URI cannot contain, because expansion encodes them. */
  readonly excluded: string;
}

/** The values of the variables in a URI. */
export interface TemplateValues {
  readonly [name: string]: string | readonly string[];
}

/**
 * Matches URIs against a URI template (RFC 6570) in one scan from the left, without regular expressions or
 * backtracking. A variable ends at the first occurrence of the text after it. Refuses templates whose expansions do not
 * determine the values of the variables.
 */
export class TemplateMatcher {
  readonly text: string;
  readonly variables: readonly string[];
  readonly #parts: readonly Part[];

  /** @throws the error of `refuse`: the template is wrong or ambiguous */
  constructor(text: string, refuse: Refuse) {
    this.text = text;
    this.#parts = matchedParts(text, refuse);
    this.variables = this.#parts.flatMap((part) => (typeof part === "string" ? [] : [part.name]));
  }

  /**
   * Returns the decoded values of the variables, or `undefined` if the URI does not match. Variables of a query, a
   * fragment or path parameters (`;`), and lists may be absent, because an expansion without their values omits them.
   */
  match(uri: string): TemplateValues | undefined {
    const values: [string, string | readonly string[]][] = [];
    let at = 0;
    /** Whether a variable of this expression had a value: the first value follows a `?`, the others a `&`. */
    let queried = false;
    for (const [index, part] of this.#parts.entries()) {
      if (typeof part === "string") {
        if (!uri.startsWith(part, at)) return undefined;
        at += part.length;
        continue;
      }
      if (!part.later) queried = false;
      const prefix = prefixOf(part, queried);
      const from = at + prefix.length;
      const isThere = uri.startsWith(prefix, at) && !isLongerName(part, uri.charAt(from));
      const end = isThere ? this.#endOf(uri, from, index) : undefined;
      if (!isThere || (end === from && part.exploded && prefix === "")) {
        if (isOptional(part)) continue;
        return undefined;
      }
      const value = end === undefined ? undefined : valueOf(uri.slice(from, end), part);
      if (value === undefined) return undefined;
      queried = true;
      values.push([part.name, value]);
      at = end!;
    }
    return at === uri.length ? Object.fromEntries(values) : undefined;
  }

  /** The end of the value of the variable at `index`, which starts at `from`: the first occurrence of a possible next part. */
  #endOf(uri: string, from: number, index: number): number | undefined {
    let end = uri.length;
    for (const next of this.#parts.slice(index + 1)) {
      if (typeof next === "string") {
        const found = uri.indexOf(next, from);
        return found < 0 ? undefined : Math.min(end, found);
      }
      for (const queried of [false, true]) {
        // If the next variable is required, this value has at least one character.
        const found = uri.indexOf(prefixOf(next, queried), isOptional(next) ? from : from + 1);
        if (found >= 0) end = Math.min(end, found);
      }
      if (!isOptional(next)) return end;
    }
    return end;
  }
}

/**
 * The literals and variables of a template, in the form for matching.
 *
 * @throws the error of `refuse`: the text is not a template, or its expansions do not determine the values of its
 *   variables
 */
export function matchedParts(text: string, refuse: Refuse): readonly Part[] {
  const parts: Part[] = [];
  for (const part of templateParts(text, refuse)) {
    if (typeof part === "string") parts.push(part);
    else parts.push(...matchable(part, parts.at(-1), refuse));
  }
  const seen = new Set<string>();
  for (const part of parts)
    if (typeof part !== "string" && seen.size === seen.add(part.name).size)
      throw refuse(`it has the variable ${part.name} twice`);
  return parts;
}

/** The variables of an expression. @param before the part before the expression */
function matchable(
  { operator, variables }: TemplateExpression,
  before: Part | undefined,
  refuse: Refuse,
): MatchedVariable[] {
  const several = variables.length > 1;
  const found: MatchedVariable[] = [];
  for (const { name, exploded = false, length } of variables) {
    const later = found.length > 0;
    const last = later ? found.at(-1) : before;
    const afterVariable = typeof last === "object";
    const why =
      length !== undefined
        ? `the URI has only the first ${length} characters of its value`
        : isOneOf("+#.", operator) && (several || exploded)
          ? "its value may contain the character that separates it from the next"
          : afterVariable && last.exploded && last.operator === operator && isOneOf("/", operator || "/")
            ? "the list before it has no end"
            : afterVariable && !later && isOneOf("+", operator || "+")
              ? "no text separates it from the variable before it"
              : undefined;
    if (why !== undefined) throw refuse(`{${name}} cannot be matched: ${why}`);
    found.push({ name, operator, exploded, later, excluded: excludedFrom(operator, several || exploded) });
  }
  return found;
}

/** @param listed whether a comma separates values */
function excludedFrom(operator: string, listed: boolean): string {
  if (isOneOf("?&", operator)) return "&/?#";
  if (isOneOf("+#", operator)) return "";
  return `/?#${operator === ";" ? ";" : operator === "" && listed ? "," : ""}`;
}

function isOneOf(operators: string, operator: string): boolean {
  return operator !== "" && operators.includes(operator);
}

/** Whether a URI of the template may lack the variable. */
export function isOptional({
  operator,
  exploded = false,
}: Pick<MatchedVariable, "operator"> & { readonly exploded?: boolean }): boolean {
  return exploded || isOneOf("?&#;", operator);
}

/** The text before the value. */
function prefixOf({ name, operator, later }: MatchedVariable, queried: boolean): string {
  if (isOneOf("?&", operator)) return `${operator === "?" && !queried ? "?" : "&"}${name}=`;
  if (operator === ";") return `;${name}`;
  if (operator === "+") return "";
  return operator === "" && later ? "," : operator;
}

/** Whether the URI continues the name of a path parameter, so that it names another parameter. */
function isLongerName({ operator }: MatchedVariable, next: string): boolean {
  return operator === ";" && /[\w.%]/.test(next);
}

/** Decodes the value of a variable, or the items of a list; `undefined` if it cannot be one. */
function valueOf(raw: string, variable: MatchedVariable): string | readonly string[] | undefined {
  const { operator, exploded } = variable;
  if (!exploded) return itemOf(raw, variable);
  const separator = operator === "" ? "," : operator === "/" ? "/" : prefixOf(variable, true);
  const items: string[] = [];
  for (const each of raw.split(separator)) {
    const item = itemOf(each, variable);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

function itemOf(raw: string, variable: MatchedVariable): string | undefined {
  const { operator, excluded } = variable;
  // A path parameter with an empty value has no `=`.
  if (operator === ";" && raw !== "")
    return raw.startsWith("=") ? decoded(raw.slice(1), excluded) : undefined;
  return raw === "" && !isOptional(variable) ? undefined : decoded(raw, excluded);
}

function decoded(text: string, excluded: string): string | undefined {
  for (const character of excluded) if (text.includes(character)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * The values of a template's variables, for a template of a literal type. Variables of a query, a fragment or path
 * parameters may be absent, and so may lists (`*`).
 */
export type VariablesOf<Template extends string> = string extends Template
  ? { readonly [name: string]: string }
  : { readonly [Name in Single<NamesIn<Always<Expression<Template>>>>]: string } & {
      readonly [Name in Single<NamesIn<Optional<Expression<Template>>>>]?: string;
    } & { readonly [Name in List<AllNames<Template>>]?: readonly string[] };

/** Names of the variables of a URI template. */
export type VariableNames<Template extends string> = string extends Template
  ? string
  : Single<AllNames<Template>> | List<AllNames<Template>>;

/** The names of all variables, with `*` after the names of lists. */
type AllNames<Template extends string> =
  NamesIn<Always<Expression<Template>>> | NamesIn<Optional<Expression<Template>>>;

/** The text between braces. */
type Expression<Template extends string> = Template extends `${string}{${infer Inner}}${infer Rest}`
  ? Inner | Expression<Rest>
  : never;

type Always<Inner> = Inner extends `${"?" | "&" | "#" | ";"}${string}`
  ? never
  : Inner extends `${"+" | "." | "/"}${infer Names}`
    ? Names
    : Inner;

type Optional<Inner> = Inner extends `${"?" | "&" | "#" | ";"}${infer Names}` ? Names : never;

type NamesIn<Names> = Names extends `${infer Name},${infer Others}` ? Name | NamesIn<Others> : Names & string;

type Single<Name> = Name extends `${string}*` ? never : Name & string;

type List<Name> = Name extends `${infer Of}*` ? Of : never;
