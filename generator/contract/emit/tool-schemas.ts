import { SchemaError, pointer, readDocument, type JsonObject, type Schema } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { closest } from "../../diagnostics/suggest.js";
import type { ContractDocument } from "../contract.js";

/** A schema of a tool, read. */
export interface ToolSchemas {
  readonly tool: string;
  readonly input: Schema;
  readonly output?: Schema;
}

/**
 * The schemas of a contract's tools.
 *
 * @throws CodedError MG6005 for one that is no schema, or none that we can judge by
 */
export function readToolSchemas(document: ContractDocument): ToolSchemas[] {
  return (document.contract.tools ?? []).map(({ name, inputSchema, outputSchema }, index) => {
    const at = pointer("/tools", index);
    return {
      tool: name,
      input: readAt(inputSchema, `${at}/inputSchema`, name, document),
      ...(outputSchema && { output: readAt(outputSchema, `${at}/outputSchema`, name, document) }),
    };
  });
}

function readAt(schema: JsonObject, at: string, tool: string, { place }: ContractDocument): Schema {
  try {
    return readDocument(schema);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const wanted = /"([^"]*)"/.exec(error.message)?.[1];
    const meant = wanted === undefined ? undefined : closest(wanted, error.candidates);
    throw new CodedError("MG6005", `the tool ${JSON.stringify(tool)}: ${error.message}`, {
      place: place(at + error.pointer),
      next:
        meant === undefined
          ? "Correct the schema; `mcpgen explain MG6005` tells what is taken."
          : `Did you mean ${JSON.stringify(meant)}?`,
      cause: error,
    });
  }
}
