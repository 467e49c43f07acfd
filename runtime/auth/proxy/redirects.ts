/** A redirect URI of an application on the user's own machine (RFC 8252, 7.3): host, port, and the rest. */
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?([/?][^#]*)?$/;
const maxLength = 512;

export function isLoopback(uri: string): boolean {
  return loopback.test(uri) && URL.canParse(uri);
}

/** The redirect URI of an application on the user's own machine without its port; any other URI as it is. */
export function withoutLoopbackPort(uri: string): string {
  return uri.replace(loopback, (_, host: string, _port, rest = "") => `http://${host}${rest}`);
}

/**
 * Whether a requested redirect URI is a registered one: the same characters. Only the port of a loopback address may
 * differ, because the application gets it from the operating system (RFC 8252, 7.3).
 */
export function matchesRedirect(registered: string, requested: string): boolean {
  if (registered === requested) return true;
  return isLoopback(requested) && withoutLoopbackPort(registered) === withoutLoopbackPort(requested);
}

/**
 * Why a client may not register a redirect URI; `undefined` if it may. It must be https or a loopback address
 * (authorization, Communication Security).
 *
 * @param customSchemes schemes of applications that the operator allows, such as `cursor`
 */
export function redirectProblem(uri: unknown, customSchemes: readonly string[]): string | undefined {
  if (typeof uri !== "string" || uri.length > maxLength)
    return `is not a text of at most ${maxLength} characters`;
  // What a URL parser would change could be read differently by the browser.
  if (!/^[!-~]+$/.test(uri) || /["<>\\^`{|}]/.test(uri) || !URL.canParse(uri)) return "is not a valid URL";
  if (uri.includes("#")) return "has a fragment";
  const { protocol, username, password } = new URL(uri);
  if (username || password || /^[a-z]+:\/\/[^/?]*@/i.test(uri)) return "has a user name";
  if (uri.startsWith("https://")) return uri[8] === "/" ? "has no host" : undefined;
  if (isLoopback(uri)) return undefined;
  if (customSchemes.includes(protocol.slice(0, -1)) && uri.startsWith(protocol)) return undefined;
  return "is neither https nor a loopback address";
}

/** Where a redirect URI leads, to show it: the host, or the scheme of an application. */
export function destinationOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : protocol;
}

/** Whether a client names a resource: URL parsers write a slash for an empty path (RFC 9110, 4.2.3). */
export function isResource(asked: string, resource: string): boolean {
  return asked === resource || (asked === `${resource}/` && new URL(resource).pathname === "/");
}

/** Adds parameters to a redirect URI, whose characters stay as they are. */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value);
  const join = !uri.includes("?") ? "?" : /[?&]$/.test(uri) ? "" : "&";
  return `${uri}${join}${query.toString()}`;
}
