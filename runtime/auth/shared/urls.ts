/** Whether a host names this machine (RFC 8252, 7.3 and 8.3). */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/.test(hostname);
}

/**
 * The URL of an endpoint that a server named: absolute, `https:`, without credentials and fragment.
 *
 * @param local accepts `http:` to this machine: for servers that are on this machine themselves
 * @returns `undefined` if the text is anything else
 */
export function endpointUrl(text: unknown, local: boolean): URL | undefined {
  if (typeof text !== "string" || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const secure = url.protocol === "https:" || (local && url.protocol === "http:" && isLoopback(url.hostname));
  return secure && url.username === "" && url.password === "" && !text.includes("#") ? url : undefined;
}

/**
 * Whether the resource of a metadata document stands for a server: same origin, and a path that is the server's or a
 * prefix of whole segments (RFC 9728, 3.3; RFC 8707, 2).
 */
export function resourceCovers(resource: unknown, server: string): resource is string {
  if (typeof resource !== "string" || !URL.canParse(resource) || resource.includes("#")) return false;
  const [one, other] = [new URL(resource), new URL(server)];
  if (one.origin !== other.origin || one.username !== "" || one.password !== "") return false;
  // The platform has resolved dots; an encoded slash or backslash may be one to a server.
  if (/%2f|%5c|%2e/i.test(one.pathname + other.pathname) && one.pathname !== other.pathname) return false;
  if (one.search !== "" && one.search !== other.search) return false;
  const path = one.pathname.endsWith("/") ? one.pathname : `${one.pathname}/`;
  return `${other.pathname}/`.startsWith(path) || other.pathname.startsWith(path);
}

/** The canonical URI of a server: without fragment, and without the slash of an empty path (2026-07-28, resource parameter). */
export function canonicalResource(server: string): string {
  const { origin, pathname, search } = new URL(server);
  return pathname === "/" && search === "" ? origin : origin + pathname + search;
}

/** The URL with a well-known name inserted between host and path (RFC 8414, 3.1; RFC 9728, 3.1). */
export function wellKnown(url: string, name: string, withPath = true): string {
  const { origin, pathname } = new URL(url);
  const path = withPath ? pathname.replace(/\/$/, "") : "";
  return `${origin}/.well-known/${name}${path}`;
}

/** The host of a URL for a message; nothing else of what a server sent. */
export function hostOf(text: unknown): string {
  return typeof text === "string" && URL.canParse(text) ? new URL(text).host.slice(0, 255) : "an invalid URL";
}

/** Where the protected resource metadata of a server may be: with its path, then at the root of its host (RFC 9728, 3.1). */
export function resourcePlaces(server: string): string[] {
  return [...new Set([true, false].map((path) => wellKnown(server, "oauth-protected-resource", path)))];
}

/** Where the metadata of an issuer may be, in the order of the specification. */
export function metadataPlaces(issuer: string): string[] {
  const oauth = wellKnown(issuer, "oauth-authorization-server");
  const oidc = wellKnown(issuer, "openid-configuration");
  if (new URL(issuer).pathname === "/") return [oauth, oidc];
  return [oauth, oidc, `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`];
}

/**
 * An issuer for a message, in quotes and in full: issuers are compared as texts, and one slash makes two of them. A text with
 * characters that no issuer has is not shown.
 */
export function issuerText(issuer: unknown): string {
  const isPlain = typeof issuer === "string" && /^https?:\/\/[!$-;=?A-[\]_a-z~]{1,300}$/i.test(issuer);
  return isPlain ? `"${issuer}"` : "a text that is no URL";
}

/** Whether a host is a name of the internet: no address, and no name of this machine or its network. */
export function isPublicName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  return name.includes(".") && !/^[\d.]+$|^\[|\.(?:localhost|local|internal|home\.arpa)$/.test(name);
}
