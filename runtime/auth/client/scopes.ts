/** Maximum number of scopes in a request, and of their characters. */
const mostScopes = 100;
const longestText = 4096;

/**
 * Parses a list of scopes (RFC 6749, 3.3), without duplicates; `undefined` if it is too long or malformed.
 */
export function parseScopes(text: unknown): readonly string[] | undefined {
  if (typeof text !== "string" || text.length > longestText) return undefined;
  const scopes = [...new Set(text.split(" ").filter((scope) => scope !== ""))];
  const valid = scopes.length <= mostScopes && scopes.every((scope) => /^[!#-[\]-~]+$/.test(scope));
  return valid ? scopes : undefined;
}

/** Returns all scopes of both lists, without duplicates. */
export function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}

/** Whether the list `all` contains all scopes of `some`. */
export function covers(all: readonly string[], some: readonly string[]): boolean {
  return some.every((scope) => all.includes(scope));
}
