/**
 * Prefix of the cookies. Other hosts cannot set them: `__Host-` requires Secure, the path / and no domain. Pages of other
 * sites cannot send them with a POST (`SameSite=Lax`), and scripts cannot read them.
 */
const prefix = "__Host-mcp-";
const maxHeader = 16_384;

/** @param seconds until the browser drops the cookie; 0 removes it, `undefined` keeps it for the browser session */
export function setCookie(name: string, value: string, seconds: number | undefined): string {
  const age = seconds === undefined ? "" : `; Max-Age=${seconds}`;
  return `${prefix}${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax${age}`;
}

/** Returns the proxy's cookies in a request, by name without prefix. A name that occurs twice is left out. */
export function cookiesOf(request: Request): ReadonlyMap<string, string> {
  const header = request.headers.get("cookie") ?? "";
  const found = new Map<string, string>();
  const twice = new Set<string>();
  if (header.length > maxHeader) return found;
  for (const part of header.split(";")) {
    const pair = part.trim();
    const end = pair.indexOf("=");
    if (end < 0 || !pair.startsWith(prefix)) continue;
    const name = pair.slice(prefix.length, end);
    if (found.has(name)) twice.add(name);
    found.set(name, pair.slice(end + 1));
  }
  for (const name of twice) found.delete(name);
  return found;
}
