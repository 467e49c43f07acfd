import { CodedError, type Place } from "../../diagnostics/coded-error.js";

/** A literal, or a variable and what expands it (RFC 6570). */
type TemplatePart = string | { readonly name: string; readonly operator: string };

/** A literal, or the variables that one operator expands together (RFC 6570). */
type TemplateExpression = string | { readonly operator: string; readonly names: readonly string[] };

/** Operators whose expansion can be undone. */
const operators = "+#./?&";

/**
 * The expressions of a URI template, as it is filled in.
 *
 * @throws CodedError MG6007 for one that is malformed, or cannot be matched
 */
export function templateExpressions(text: string, place: Place): TemplateExpression[] {
  return [...text.matchAll(/\{[^}]*\}?|[^{]+/g)].map(({ 0: found }) => {
    if (!found.startsWith("{")) {
      if (found.includes("}")) throw refused(text, "a } has no {", place);
      return found;
    }
    if (!found.endsWith("}")) throw refused(text, "a { has no }", place);
    return expressionOf(text, found.slice(1, -1), place);
  });
}

/**
 * The parts of a URI template, as the runtime matches them.
 *
 * @throws CodedError MG6007 for one that is malformed, or cannot be matched
 */
export function templateParts(text: string, place: Place): TemplatePart[] {
  return templateExpressions(text, place).flatMap((expression): TemplatePart[] => {
    if (typeof expression === "string") return [expression];
    const { operator, names } = expression;
    return names.map((name, index) => ({ name, operator: operator === "?" && index > 0 ? "&" : operator }));
  });
}

/** Names of variables, in order, each once. */
export function variableNames(parts: readonly TemplateExpression[]): string[] {
  return [...new Set(parts.flatMap((part) => (typeof part === "string" ? [] : part.names)))];
}

/** Whether a URI of the template may lack the variable. */
export function isOptional({ operator }: { readonly operator: string }): boolean {
  return operator === "?" || operator === "&" || operator === "#";
}

function expressionOf(text: string, expression: string, place: Place): TemplateExpression {
  const first = expression.charAt(0);
  const operator = /[a-zA-Z0-9_%]/.test(first) ? "" : first;
  if (operator !== "" && !operators.includes(operator))
    throw refused(text, `the operator ${JSON.stringify(operator)} cannot be matched`, place);
  const names = expression.slice(operator.length).split(",");
  if (names.length > 1 && !["?", "&", "/"].includes(operator))
    throw refused(text, `{${expression}} has several variables; write them one by one`, place);
  const odd = names.find((name) => !/^[a-zA-Z0-9_.%]+$/.test(name));
  if (odd !== undefined) throw refused(text, `${JSON.stringify(odd)} is not the name of a variable`, place);
  return { operator, names };
}

function refused(text: string, problem: string, place: Place): CodedError {
  return new CodedError("MG6007", `the URI template ${JSON.stringify(text)}: ${problem}`, {
    place,
    next: "Write it as {name}, {/name} or {?name}; `mcpgen explain MG6007` lists what can be matched.",
  });
}
