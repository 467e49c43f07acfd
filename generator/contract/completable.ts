import { variablesIn } from "@mcpgen/engine/uri-template";
import type { Contract } from "./contract.js";
import { templateExpressions } from "./emit/uri-template.js";

/**
 * The arguments that can be completed: argument names by prompt, and variables by URI template. A template
 * that cannot be parsed has none.
 */
export function completable({
  prompts = [],
  resourceTemplates = [],
}: Contract): Map<string, readonly string[]> {
  const names = new Map<string, readonly string[]>();
  const add = (reference: string, found: readonly string[]): void => {
    if (found.length > 0) names.set(reference, [...new Set([...(names.get(reference) ?? []), ...found])]);
  };
  for (const { name, arguments: given = [] } of prompts)
    add(
      name,
      given.map((each) => each.name),
    );
  for (const { uriTemplate } of resourceTemplates) add(uriTemplate, variablesOf(uriTemplate));
  return names;
}

function variablesOf(template: string): string[] {
  try {
    return variablesIn(templateExpressions(template, {}));
  } catch {
    return [];
  }
}
