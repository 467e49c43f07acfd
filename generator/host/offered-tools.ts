import { isDeepStrictEqual } from "node:util";
import type { ContractTool } from "../contract/contract.js";
import type { OfferedTool } from "./model/dialect.js";

/**
 * Finds the tool of a server among those that a host offers to its model. Hosts put the server's name in front, replace
 * what a vendor's API does not take in names, and shorten them: such a tool is known by its description. If several have it, the
 * tool is one whose name begins with its own, with the same schema if there is one; of two equal tools, the first offered.
 *
 * @param tool as the server lists it
 * @param server the server's name, as the host knows it
 */
export function offeredTool(
  {
    name: listed,
    description,
    inputSchema,
  }: Pick<ContractTool, "name" | "description"> & Partial<Pick<ContractTool, "inputSchema">>,
  offered: readonly OfferedTool[],
  server: string,
): OfferedTool | undefined {
  const heads = [`mcp${lettersOf(server)}`, lettersOf(server), ""];
  const names = heads.map((head) => head + lettersOf(listed));
  const found = names.flatMap((each) => offered.filter(({ name }) => lettersOf(name) === each));
  // Names that differ in case or punctuation alone are different where the host keeps them.
  const same = offered.filter((each) => description && each.description === description);
  const like = same.filter(({ name }) => names.some((each) => lettersOf(name).startsWith(each)));
  return (
    offered.find(({ name }) => name === listed) ??
    found.find(({ name }) => name.endsWith(listed)) ??
    found[0] ??
    (same.length === 1
      ? same[0]
      : (like.find(({ schema }) => isDeepStrictEqual(schema, inputSchema)) ?? like[0]))
  );
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
