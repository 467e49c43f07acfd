import { CodedError } from "../diagnostics/coded-error.js";

/** The names that programs, shells and file systems all accept. */
const allowed = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;

/** The fault of a server's name, in words; undefined if it is valid. */
export function nameFault(name: string): string | undefined {
  if (allowed.test(name)) return undefined;
  return "expected a name of letters, digits, `-`, `_` and `.`, at most 64, the first and last a letter or digit";
}

/**
 * Checks the name that the user gave a new server.
 *
 * @throws CodedError MG2015, with the most similar valid name
 */
export function expectName(name: string): string {
  const fault = nameFault(name);
  if (fault === undefined) return name;
  const near = nearestName(name);
  throw new CodedError("MG2015", `${fault}, got ${JSON.stringify(name)}`, {
    next: near === undefined ? "Give another --name." : `Did you mean --name ${near}?`,
  });
}

/** The valid server name most similar to `text`; undefined if no character can be kept. */
export function nearestName(text: string): string | undefined {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{Mn}+/gu, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, 64)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  return plain === "" ? undefined : plain;
}

/**
 * The npm package name for a server or client: `name`, changed only as far as npm's rules and the names of
 * installed packages require.
 */
export function packageName(name: string, role: "client" | "server"): string {
  const plain = nearestName(name)?.toLowerCase() ?? "mcp";
  const taken = ["mcp", "node_modules", "favicon.ico", "mcpgen", "typescript"].includes(plain);
  return role === "client" || taken ? `${plain}-${role}` : plain;
}

/** A server's name in hosts: they make the names of its tools from it. */
export function nameInHosts(name: string): string {
  return packageName(name, "server").replaceAll(".", "-");
}
