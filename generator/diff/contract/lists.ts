import { type JsonObject, atPointer } from "@mcpgen/engine";
import { type Contract, type ContractList, identities } from "../../contract/contract.js";

/** A list of a contract, and how to compare it. */
export interface ComparedList {
  readonly name: ContractList;
  /** The member that identifies an entry. */
  readonly key: string;
  /** First word of the rules for added and removed entries. */
  readonly rule: string;
  /** The method by which clients use an entry. */
  readonly method: string;
}

export const comparedLists: readonly ComparedList[] = [
  { name: "tools", key: identities.tools, rule: "tool", method: "tools/call" },
  { name: "prompts", key: identities.prompts, rule: "prompt", method: "prompts/get" },
  { name: "resources", key: identities.resources, rule: "resource", method: "resources/read" },
  {
    name: "resourceTemplates",
    key: identities.resourceTemplates,
    rule: "resource-template",
    method: "resources/read",
  },
];

/**
 * Finds the place in `to` that corresponds to `at` in `from`, else the nearest enclosing place. Entries are
 * matched by identity, not by index.
 *
 * @param at JSON Pointer
 */
export function counterpart(at: string, from: Contract, to: Contract): string {
  const [, name, index, ...rest] = at.split("/");
  const list = comparedLists.find((each) => each.name === name);
  let candidate = at;
  if (list && index !== undefined) {
    const [theirs, ours] = [from, to].map(
      (contract) => contract[list.name] ?? [],
    ) as unknown as JsonObject[][];
    const identity = theirs![Number(index)]?.[list.key];
    const position = ours!.findIndex((entry) => entry[list.key] === identity);
    candidate = ["", name, ...(position < 0 ? [] : [position, ...rest])].join("/");
  }
  while (candidate !== "" && atPointer(to as unknown as JsonObject, candidate) === undefined)
    candidate = candidate.slice(0, candidate.lastIndexOf("/"));
  return candidate;
}
