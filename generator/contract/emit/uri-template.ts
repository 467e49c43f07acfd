import {
  type MatchedVariable,
  type Refuse,
  type TemplateExpression,
  matchedParts,
  templateParts as readParts,
} from "@mcpgen/engine/uri-template";
import { CodedError, type Place } from "../../diagnostics/coded-error.js";

/**
 * A literal, or a variable and what precedes its value: an operator, `&` for a further variable of a query, `,` for one of
 * a simple expression.
 */
type TemplatePart = string | { readonly name: string; readonly operator: string; readonly exploded?: true };

/**
 * The literals and expressions of a URI template.
 *
 * @throws CodedError MG6007: it is malformed
 */
export function templateExpressions(text: string, place: Place): readonly (string | TemplateExpression)[] {
  return readParts(text, refusing(text, place));
}

/**
 * The parts of a URI template, as servers match them.
 *
 * @throws CodedError MG6007: it is malformed, or its expansion does not tell the values of its variables
 */
export function templateParts(text: string, place: Place): TemplatePart[] {
  return matchedParts(text, refusing(text, place)).map((part) => {
    if (typeof part === "string") return part;
    const { name, exploded } = part;
    return { name, operator: prefixOf(part), ...(exploded && { exploded }) };
  });
}

function prefixOf({ operator, later }: MatchedVariable): string {
  if (!later) return operator;
  return operator === "?" ? "&" : operator === "" ? "," : operator;
}

function refusing(text: string, place: Place): Refuse {
  return (problem) =>
    new CodedError("MG6007", `the URI template ${JSON.stringify(text)}: ${problem}`, {
      place,
      next: "Write it as {name}, {/name} or {?name}; `mcpgen explain MG6007` lists what can be matched.",
    });
}
