import { McpError } from "../peer/errors.js";

/** A literal, or a variable. */
type Part = string | { readonly name: string; readonly operator: string };

/** Operators of RFC 6570 that a matcher can undo, and what each puts first and between values. */
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
 * Matches URIs against a URI template (RFC 6570) by scanning once from the left: no regular expression, and
 * no going back. A variable ends where the text after it is met first.
 */
export class UriTemplate {
  readonly text: string;
  readonly variables: readonly string[];
  private readonly parts: readonly Part[];

  /** @throws {McpError} `invalid-definition` */
  constructor(text: string) {
    this.text = text;
    this.parts = partsOf(text);
    this.variables = this.parts.flatMap((part) => (typeof part === "string" ? [] : [part.name]));
    const twice = this.variables.find((name, index) => this.variables.indexOf(name) < index);
    if (twice !== undefined) throw invalid(text, `the variable ${twice} stands in it twice`);
  }

  /** Values of the variables, decoded; nothing if the URI is not one of the template's. */
  match(uri: string): { readonly [name: string]: string } | undefined {
    const values: [string, string][] = [];
    let at = 0;
    for (const [index, part] of this.parts.entries()) {
      if (typeof part === "string") {
        if (!uri.startsWith(part, at)) return undefined;
        at += part.length;
        continue;
      }
      const end = this.endOf(uri, at, index);
      const value = end === undefined ? undefined : valueOf(uri.slice(at, end), part);
      if (value === undefined) return undefined;
      if (value !== "" || !isOptional(part)) values.push([part.name, value]);
      at = end!;
    }
    return at === uri.length ? Object.fromEntries(values) : undefined;
  }

  /** Where the value of the variable at `index` ends. */
  private endOf(uri: string, at: number, index: number): number | undefined {
    const next = this.parts[index + 1];
    if (next === undefined) return uri.length;
    if (typeof next === "string") {
      const end = uri.indexOf(next, at);
      return end < 0 ? undefined : end;
    }
    const end = uri.indexOf(operators[next.operator]!, at + 1);
    return end < 0 ? uri.length : end;
  }
}

function isOptional({ operator }: { readonly operator: string }): boolean {
  return operator === "?" || operator === "&" || operator === "#";
}

/** The value out of its expansion. */
function valueOf(
  expansion: string,
  { name, operator }: { readonly name: string; readonly operator: string },
): string | undefined {
  const first = operators[operator]!;
  if (expansion === "" && isOptional({ operator })) return "";
  if (!expansion.startsWith(first)) return undefined;
  let raw = expansion.slice(first.length);
  if (operator === "?" || operator === "&") {
    if (!raw.startsWith(`${name}=`)) return undefined;
    raw = raw.slice(name.length + 1);
  }
  // A plain variable never holds a delimiter: expanding it would have encoded it.
  if (operator !== "+" && operator !== "#" && holdsAny(raw, "/?#")) return undefined;
  if (raw === "" && !isOptional({ operator })) return undefined;
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
    if (close < 0) throw invalid(text, "a { is never closed");
    if (open > at) parts.push(text.slice(at, open));
    parts.push(...variablesOf(text, text.slice(open + 1, close)));
    at = close + 1;
  }
  if (at < text.length) parts.push(text.slice(at));
  if (parts.some((part) => typeof part === "string" && part.includes("}")))
    throw invalid(text, "a } was never opened");
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
    return { name, operator: operator === "?" && index > 0 ? "&" : operator };
  });
}

function invalid(text: string, problem: string): McpError {
  return new McpError("invalid-definition", `URI template ${JSON.stringify(text)}: ${problem}`);
}
