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
