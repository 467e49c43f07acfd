import { McpError } from "../jsonrpc/errors.js";

/** A literal, or a variable. */
type Part = string | Variable;

interface Variable {
  readonly name: string;
  readonly operator: string;
  /** Whether another variable precedes it in its expression. */
  readonly later: boolean;
}

/** The supported operators of RFC 6570, and the character that each puts before a value. */
const operators: { readonly [operator: string]: string } = {
  "": "",
  "+": "",
  "#": "#",
  ".": ".",
  "/": "/",
  "?": "?",
  "&": "&",
};

/**
 * Matches URIs against a URI template (RFC 6570) in one scan from the left, without regular expressions or backtracking.
 * A variable ends at the first occurrence of the text after it.
 */
export class UriTemplate {
  readonly text: string;
  readonly variables: readonly string[];
  readonly #parts: readonly Part[];

  /** @throws {McpError} `invalid-definition` */
  constructor(text: string) {
    this.text = text;
    this.#parts = partsOf(text);
    this.variables = this.#parts.flatMap((part) => (typeof part === "string" ? [] : [part.name]));
    const twice = this.variables.find((name, index) => this.variables.indexOf(name) < index);
    if (twice !== undefined) throw invalid(text, `it has the variable ${twice} twice`);
  }

  /**
   * Returns the decoded values of the variables, or `undefined` if the URI does not match. Variables of a query or a
   * fragment may be absent: expanding the template without their values leaves them out.
   */
  match(uri: string): { readonly [name: string]: string } | undefined {
    const values: [string, string][] = [];
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
      if (!uri.startsWith(prefix, at)) {
        if (isOptional(part)) continue;
        return undefined;
      }
      const end = this.#endOf(uri, at + prefix.length, index);
      const value = end === undefined ? undefined : valueOf(uri.slice(at + prefix.length, end), part);
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
        // A required variable follows at least one character of this value.
        const found = uri.indexOf(prefixOf(next, queried), isOptional(next) ? from : from + 1);
        if (found >= 0) end = Math.min(end, found);
      }
      if (!isOptional(next)) return end;
    }
    return end;
  }
}

function isOptional(variable: Variable): boolean {
  return isQuery(variable) || variable.operator === "#";
}

function isQuery({ operator }: Variable): boolean {
  return operator === "?" || operator === "&";
}

/** The text before the value. */
function prefixOf(variable: Variable, queried: boolean): string {
  const { name, operator } = variable;
  if (!isQuery(variable)) return operators[operator]!;
  return `${operator === "?" && !queried ? "?" : "&"}${name}=`;
}

/** Decodes a value. */
function valueOf(raw: string, variable: Variable): string | undefined {
  const { operator } = variable;
  // Expanding such a variable encodes delimiters.
  if (operator !== "+" && operator !== "#" && holdsAny(raw, isQuery(variable) ? "&/?#" : "/?#"))
    return undefined;
  if (raw === "" && !isOptional(variable)) return undefined;
  return decoded(raw);
}

function holdsAny(text: string, characters: string): boolean {
  for (const character of characters) if (text.includes(character)) return true;
  return false;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{", at);
    if (open < 0) break;
    const close = text.indexOf("}", open);
    if (close < 0) throw invalid(text, "a { has no }");
    if (open > at) parts.push(text.slice(at, open));
    parts.push(...variablesOf(text, text.slice(open + 1, close)));
    at = close + 1;
  }
  if (at < text.length) parts.push(text.slice(at));
  if (parts.some((part) => typeof part === "string" && part.includes("}")))
    throw invalid(text, "a } has no {");
  return parts;
}

function variablesOf(text: string, expression: string): Part[] {
  const first = expression.charAt(0);
  const operator = /[a-zA-Z0-9_%]/.test(first) ? "" : first;
  if (!Object.hasOwn(operators, operator))
    throw invalid(text, `the operator ${JSON.stringify(operator)} cannot be matched`);
  const names = expression.slice(operator.length).split(",");
  if (names.length > 1 && operator !== "?" && operator !== "&" && operator !== "/")
    throw invalid(text, `{${expression}} has several variables; write them one by one`);
  return names.map((name, index) => {
    if (!/^[a-zA-Z0-9_.%]+$/.test(name))
      throw invalid(text, `${JSON.stringify(name)} is not the name of a variable`);
    return { name, operator, later: index > 0 };
  });
}

function invalid(text: string, problem: string): McpError {
  return new McpError("invalid-definition", `URI template ${JSON.stringify(text)}: ${problem}`);
}

/** Values of the variables of a URI template of a literal type; those of a query or a fragment may be absent. */
export type VariablesOf<Template extends string> = string extends Template
  ? { readonly [name: string]: string }
  : { readonly [Name in NamesIn<Always<Expression<Template>>>]: string } & {
      readonly [Name in NamesIn<Optional<Expression<Template>>>]?: string;
    };

/** Names of the variables of a URI template. */
export type VariableNames<Template extends string> = string extends Template
  ? string
  : NamesIn<Always<Expression<Template>>> | NamesIn<Optional<Expression<Template>>>;

/** The text between braces. */
type Expression<Template extends string> = Template extends `${string}{${infer Inner}}${infer Rest}`
  ? Inner | Expression<Rest>
  : never;

type Always<Inner> = Inner extends `${"?" | "&" | "#"}${string}`
  ? never
  : Inner extends `${"+" | "." | "/"}${infer Names}`
    ? Names
    : Inner;

type Optional<Inner> = Inner extends `${"?" | "&" | "#"}${infer Names}` ? Names : never;

type NamesIn<List> = List extends `${infer Name},${infer Others}` ? Name | NamesIn<Others> : List & string;
