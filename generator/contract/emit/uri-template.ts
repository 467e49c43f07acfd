import { CodedError, type Place } from "../../diagnostics/coded-error.js";

/** A variable of an expression, with its modifier (RFC 6570, 2.4). */
export interface TemplateVariable {
  readonly name: string;
  /** Modifier `*`: the value is a list. */
  readonly exploded?: true;
  /** Modifier `:length`: the maximum length of the value. */
  readonly length?: number;
}

/** A literal, or variables that one operator expands together (RFC 6570). */
type TemplateExpression =
  string | { readonly operator: string; readonly variables: readonly TemplateVariable[] };

/**
 * A literal, or a variable with the operator before its value: `&` for a further variable of a query, `,` for
 * one of a simple expression.
 */
type TemplatePart = string | { readonly name: string; readonly operator: string; readonly exploded?: true };

/** Matches a variable name with its modifier (RFC 6570, 2.3 and 2.4). */
const variable = /^((?:\w|%[\dA-Fa-f]{2})(?:\.?(?:\w|%[\dA-Fa-f]{2}))*)(?:(\*)|:([1-9]\d{0,3}))?$/;

/**
 * Parses a URI template of any RFC 6570 level. `UriTemplate` of the runtime accepts the same templates.
 *
 * @throws CodedError MG6007 if it is malformed
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
 * Splits a URI template into the parts that servers match. `TemplateMatcher` of the runtime rejects the same
 * templates.
 *
 * @throws CodedError MG6007 if it is malformed, or if the values of its variables cannot be recovered from a
 * URI
 */
export function templateParts(text: string, place: Place): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let last: (TemplateVariable & { readonly operator: string }) | undefined;
  for (const expression of templateExpressions(text, place)) {
    if (typeof expression === "string") {
      parts.push(expression);
      last = undefined;
      continue;
    }
    const { operator, variables } = expression;
    for (const [index, each] of variables.entries()) {
      const { name, exploded } = each;
      const problem = ambiguity(expression, index, last);
      if (problem !== undefined) throw refused(text, `{${name}} cannot be matched: ${problem}`, place);
      parts.push({ name, operator: prefixOf(operator, index), ...(exploded && { exploded }) });
      last = { ...each, operator };
    }
  }
  const names = parts.flatMap((part) => (typeof part === "string" ? [] : [part.name]));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refused(text, `it has the variable ${twice} twice`, place);
  return parts;
}

/** Why the value of a variable cannot be recovered from a URI. @param last the variable directly before it */
function ambiguity(
  { operator, variables }: Exclude<TemplateExpression, string>,
  index: number,
  last: (TemplateVariable & { readonly operator: string }) | undefined,
): string | undefined {
  const { exploded, length } = variables[index]!;
  if (length !== undefined) return `a URI has only the first ${length} characters of its value`;
  if (["+", "#", "."].includes(operator) && (variables.length > 1 || exploded))
    return "its value may contain the character that separates it from the next";
  if (last?.exploded && last.operator === operator && ["", "/"].includes(operator))
    return "the list before it has no end";
  if (last && index === 0 && ["", "+"].includes(operator))
    return "no text separates it from the variable before it";
  return undefined;
}

function prefixOf(operator: string, index: number): string {
  if (index === 0) return operator;
  return operator === "?" ? "&" : operator === "" ? "," : operator;
}

/** Names of variables in order, without duplicates. */
export function variableNames(parts: readonly TemplateExpression[]): string[] {
  return [
    ...new Set(
      parts.flatMap((part) => (typeof part === "string" ? [] : part.variables.map(({ name }) => name))),
    ),
  ];
}

/** Whether a URI that matches the template may lack the variable. */
export function isOptional(operator: string, { exploded }: TemplateVariable): boolean {
  return exploded === true || ["?", "&", "#", ";"].includes(operator);
}

function expressionOf(text: string, expression: string, place: Place): TemplateExpression {
  const operator = /^[^\w%]/.exec(expression)?.[0] ?? "";
  if (!"+#./;?&".includes(operator))
    throw refused(text, `RFC 6570 has no operator ${JSON.stringify(operator)}`, place);
  const variables = expression
    .slice(operator.length)
    .split(",")
    .map((given): TemplateVariable => {
      const [, name, exploded, length] = variable.exec(given) ?? [];
      if (name === undefined)
        throw refused(text, `${JSON.stringify(given)} is not the name of a variable`, place);
      return { name, ...(exploded && { exploded: true }), ...(length && { length: Number(length) }) };
    });
  return { operator, variables };
}

function refused(text: string, problem: string, place: Place): CodedError {
  return new CodedError("MG6007", `the URI template ${JSON.stringify(text)}: ${problem}`, {
    place,
    next: "Write it as {name}, {/name} or {?name}; `mcpgen explain MG6007` lists what can be matched.",
  });
}
