import { fileURLToPath } from "node:url";
import { bundleServers } from "../runtime/production.mjs";

const path = (name) => fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url));
const paths = (names) => Object.fromEntries(names.map((name) => [name, path(name)]));

/** The contender that all are compared with. */
export const base = "sdk-v2";

/** Builds the servers; returns the contenders in the order of the columns, each `{ name, server }`. */
export async function contenders() {
  const others = ["mcp-lite", "tmcp", "fastmcp", "sdk-v1", base];
  const servers = await bundleServers("public", paths(["mcpgen"]), paths(others));
  return Object.entries(servers).map(([name, server]) => ({ name, server }));
}
