import type { OfferedTool } from "./model/dialect.js";

/**
 * Finds the tool of a server among those that a host offers to its model. Hosts put the server's name in front, and
 * replace what a vendor's API does not take in names.
 *
 * @param listed the tool's name, as the server lists it
 * @param server the server's name, as the host knows it
 */
export function offeredTool(
  listed: string,
  offered: readonly OfferedTool[],
  server: string,
): OfferedTool | undefined {
  const heads = [`mcp${lettersOf(server)}`, lettersOf(server), ""];
  const names = heads.map((head) => head + lettersOf(listed));
  const found = names.flatMap((each) => offered.filter(({ name }) => lettersOf(name) === each));
  // Names that differ in case or punctuation alone are different where the host keeps them.
  return (
    offered.find(({ name }) => name === listed) ?? found.find(({ name }) => name.endsWith(listed)) ?? found[0]
  );
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
