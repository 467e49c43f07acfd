import { fileURLToPath } from "node:url";
import { joinServers } from "../runtime/production.mjs";

/** The contender that all are compared with. */
export const base = "sdk-v2";

/** The contenders in the order of the columns. Each loads its packages as they are installed. */
const names = ["mcpgen", "mcp-lite", "tmcp", "fastmcp", "sdk-v1", base];

/** Returns the contenders, each `{ name, server }`. */
export async function contenders() {
  const path = (name) => fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url));
  const servers = await joinServers("public", Object.fromEntries(names.map((name) => [name, path(name)])));
  return Object.entries(servers).map(([name, server]) => ({ name, server }));
}
