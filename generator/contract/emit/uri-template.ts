import { CodedError, type Place } from "../../diagnostics/coded-error.js";

/** A literal, or a variable and what expands it (RFC 6570). */
export type TemplatePart = string | { readonly name: string; readonly operator: string };

/** Operators whose expansion can be undone. */
const operators = "+#./?&";

/**
 * The parts of a URI template, as the runtime matches them.
 *
 * @throws CodedError MG6007 for one that is malformed, or cannot be matched
 */
export function templateParts(text: string, place: Place): TemplatePart[] {
  const parts: TemplatePart[] = [];
  for (const { 0: found } of text.matchAll(/\{[^}]*\}?|[^{]+/g)) {
    if (!found.startsWith("{")) {
      if (found.includes("}")) throw refused(text, "a } was never opened", place);
      parts.push(found);
    } else if (found.endsWith("}")) parts.push(...variablesOf(text, found.slice(1, -1), place));
    else throw refused(text, "a { is never closed", place);
  }
  return parts;
}

/** Names of variables, in order, each once. */
export function variableNames(parts: readonly TemplatePart[]): string[] {
  return [...new Set(parts.flatMap((part) => (typeof part === "string" ? [] : [part.name])))];
}

/** Whether a URI of the template may lack the variable. */
export function isOptional({ operator }: { readonly operator: string }): boolean {
  return operator === "?" || operator === "&" || operator === "#";
}

function variablesOf(text: string, expression: string, place: Place): TemplatePart[] {
  const first = expression.charAt(0);
  const operator = /[a-zA-Z0-9_%]/.test(first) ? "" : first;
  if (operator !== "" && !operators.includes(operator))
    throw refused(text, `the operator ${JSON.stringify(operator)} cannot be matched`, place);
  const names = expression.slice(operator.length).split(",");
  if (names.length > 1 && !["?", "&", "/"].includes(operator))
    throw refused(text, `{${expression}} has several variables; write them one by one`, place);
  return names.map((name, index) => {
    if (!/^[a-zA-Z0-9_.%]+$/.test(name))
      throw refused(text, `${JSON.stringify(name)} is not the name of a variable`, place);
    return { name, operator: operator === "?" && index > 0 ? "&" : operator };
  });
}

function refused(text: string, problem: string, place: Place): CodedError {
  return new CodedError("MG6007", `the URI template ${JSON.stringify(text)}: ${problem}`, {
    place,
    next: "Write it as {name}, {/name} or {?name}; `mcpgen explain MG6007` lists what can be matched.",
  });
}
