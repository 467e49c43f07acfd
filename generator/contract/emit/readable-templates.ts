import { pointer } from "@mcpgen/engine";
import { type Finding, CodedError } from "../../diagnostics/coded-error.js";
import type { Contract, ContractDocument, ContractTemplate } from "../contract.js";
import { templateExpressions } from "./uri-template.js";

/**
 * The URI templates that a client can expand, and a warning for each of the others, which clients can do
 * without.
 */
export function readableTemplates(
  { resourceTemplates = [] }: Contract,
  place: ContractDocument["place"],
): { readonly readable: readonly ContractTemplate[]; readonly warnings: readonly Finding[] } {
  const warnings: Finding[] = [];
  const readable = resourceTemplates.filter(({ uriTemplate }, index) => {
    const warning = unreadable(uriTemplate, place(pointer("/resourceTemplates", index, "uriTemplate")));
    if (warning) warnings.push(warning);
    return !warning;
  });
  return { readable, warnings };
}

function unreadable(uriTemplate: string, place: Finding["place"] & object): Finding | undefined {
  try {
    templateExpressions(uriTemplate, place);
    return undefined;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return {
      code: "MG6007",
      severity: "warning",
      message: `${error.message}; a client has no method for it`,
      place,
      next: "Fill it in yourself, and call client.readResource(uri).",
    };
  }
}
