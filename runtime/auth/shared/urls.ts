/** Whether a host is this machine (RFC 8252, 7.3 and 8.3). */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/.test(hostname);
}

/**
 * Parses the URL of an endpoint that a server has named: absolute, `https:`, without credentials and fragment.
 *
 * @param local accepts `http:` to this machine, for servers on this machine
 * @returns `undefined` for any other text
 */
export function endpointUrl(text: unknown, local: boolean): URL | undefined {
  if (typeof text !== "string" || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const secure = url.protocol === "https:" || (local && url.protocol === "http:" && isLoopback(url.hostname));
  return secure && url.username === "" && url.password === "" && !text.includes("#") ? url : undefined;
}

/**
 * Whether the resource of a metadata document covers a server: same origin, and a path that equals the server's or is a
 * prefix by whole segments (RFC 9728, 3.3; RFC 8707, 2).
 */
export function resourceCovers(resource: unknown, server: string): resource is string {
  if (typeof resource !== "string" || !URL.canParse(resource) || resource.includes("#")) return false;
  const [one, other] = [new URL(resource), new URL(server)];
  if (one.origin !== other.origin || one.username !== "" || one.password !== "") return false;
  // The platform has resolved dots. A server may treat an encoded slash or backslash as a plain one.
  if (/%2f|%5c|%2e/i.test(one.pathname + other.pathname) && one.pathname !== other.pathname) return false;
  if (one.search !== "" && one.search !== other.search) return false;
  const path = one.pathname.endsWith("/") ? one.pathname : `${one.pathname}/`;
  return `${other.pathname}/`.startsWith(path) || other.pathname.startsWith(path);
}

/**
 * Returns the canonical URI of a server: without fragment, and without the slash of an empty path (2026-07-28, resource
 * parameter).
 */
export function canonicalResource(server: string): string {
  const { origin, pathname, search } = new URL(server);
  return pathname === "/" && search === "" ? origin : origin + pathname + search;
}

/** Inserts a well-known name between host and path of a URL (RFC 8414, 3.1; RFC 9728, 3.1). */
export function wellKnown(url: string, name: string, withPath = true): string {
  const { origin, pathname } = new URL(url);
  const path = withPath ? pathname.replace(/\/$/, "") : "";
  return `${origin}/.well-known/${name}${path}`;
}

/** Returns the host of a URL for a message, and nothing else of a server's text. */
export function hostOf(text: unknown): string {
  return typeof text === "string" && URL.canParse(text) ? new URL(text).host.slice(0, 255) : "an invalid URL";
}

/**
 * Returns the possible URLs of a server's protected resource metadata: with the server's path, then at the root (RFC 9728,
 * 3.1).
 */
export function resourcePlaces(server: string): string[] {
  return [...new Set([true, false].map((path) => wellKnown(server, "oauth-protected-resource", path)))];
}

/** Returns the possible URLs of an issuer's metadata, in the order of the specification. */
export function metadataPlaces(issuer: string): string[] {
  const oauth = wellKnown(issuer, "oauth-authorization-server");
  const oidc = wellKnown(issuer, "openid-configuration");
  if (new URL(issuer).pathname === "/") return [oauth, oidc];
  return [oauth, oidc, `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`];
}

/**
 * Formats an issuer for a message, quoted and in full, because issuers are compared as texts, and a slash makes a difference.
 * Hides a text with characters that issuers cannot have.
 */
export function issuerText(issuer: unknown): string {
  const isPlain = typeof issuer === "string" && /^https?:\/\/[!$-;=?A-[\]_a-z~]{1,300}$/i.test(issuer);
  return isPlain ? `"${issuer}"` : "a text that is no URL";
}

/** Whether a host is a public name: not an address, and not a name of this machine or its network. */
export function isPublicName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  return name.includes(".") && !/^[\d.]+$|^\[|\.(?:localhost|local|internal|home\.arpa)$/.test(name);
}
