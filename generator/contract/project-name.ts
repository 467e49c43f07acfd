import { CodedError } from "../diagnostics/coded-error.js";

/** Programs compare names, shells and file systems hold them: what all of these take. */
const allowed = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;

/** The fault of a new server's name, in words; undefined for a valid name. */
export function nameFault(name: string): string | undefined {
  if (allowed.test(name)) return undefined;
  return "expected a name of letters, digits, `-`, `_` and `.`, at most 64, the first and last a letter or digit";
}

/**
 * A name for a new server, as the user typed it.
 *
 * @throws CodedError MG2015, with the nearest name that will do
 */
export function expectName(name: string): string {
  const fault = nameFault(name);
  if (fault === undefined) return name;
  const near = nearestName(name);
  throw new CodedError("MG2015", `${fault}, got ${JSON.stringify(name)}`, {
    next: near === undefined ? "Give another --name." : `Did you mean --name ${near}?`,
  });
}

/** The name most like `text` that a server can have; undefined where nothing of it is left. */
export function nearestName(text: string): string | undefined {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{Mn}+/gu, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, 64)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  return plain === "" ? undefined : plain;
}

/** The name of the npm package of a server or client: as near to `name` as npm, and what it installs there, allow. */
export function packageName(name: string, role: "client" | "server"): string {
  const plain = nearestName(name)?.toLowerCase() ?? "mcp";
  const taken = ["mcp", "node_modules", "favicon.ico", "mcpgen", "typescript"].includes(plain);
  return role === "client" || taken ? `${plain}-${role}` : plain;
}
