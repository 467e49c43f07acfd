/** Scopes of one request at most, and characters of them. */
const mostScopes = 100;
const longestText = 4096;

/** The scopes of a text (RFC 6749, 3.3), each once; `undefined` if it is too long or no list of scopes. */
export function parseScopes(text: unknown): readonly string[] | undefined {
  if (typeof text !== "string" || text.length > longestText) return undefined;
  const scopes = [...new Set(text.split(" ").filter((scope) => scope !== ""))];
  const valid = scopes.length <= mostScopes && scopes.every((scope) => /^[!#-[\]-~]+$/.test(scope));
  return valid ? scopes : undefined;
}

/** All scopes of both lists. */
export function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}

/** Whether one list has all scopes of another. */
export function covers(all: readonly string[], some: readonly string[]): boolean {
  return some.every((scope) => all.includes(scope));
}
