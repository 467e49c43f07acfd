/** Matches a loopback redirect URI (RFC 8252, 7.3): host, port, and rest. */
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?([/?][^#]*)?$/;
const maxLength = 512;

export function isLoopback(uri: string): boolean {
  return loopback.test(uri) && URL.canParse(uri);
}

/** Removes the port of a loopback redirect URI; returns any other URI unchanged. */
export function withoutLoopbackPort(uri: string): string {
  return uri.replace(loopback, (_, host: string, _port, rest = "") => `http://${host}${rest}`);
}

/**
 * Whether a requested redirect URI equals a registered one, compared as text. Only the port of a loopback address may
 * differ, because the operating system assigns it (RFC 8252, 7.3).
 */
export function matchesRedirect(registered: string, requested: string): boolean {
  if (registered === requested) return true;
  return isLoopback(requested) && withoutLoopbackPort(registered) === withoutLoopbackPort(requested);
}

/**
 * Returns the reason why a client may not register a redirect URI; `undefined` if it may. The URI must be https or a
 * loopback address (authorization, Communication Security).
 *
 * @param customSchemes schemes of applications that the operator allows, such as `cursor`
 */
export function redirectProblem(uri: unknown, customSchemes: readonly string[]): string | undefined {
  if (typeof uri !== "string" || uri.length > maxLength)
    return `is not a text of at most ${maxLength} characters`;
  // If a URL parser would change the text, the browser could read it differently.
  if (!/^[!-~]+$/.test(uri) || /["<>\\^`{|}]/.test(uri) || !URL.canParse(uri)) return "is not a valid URL";
  if (uri.includes("#")) return "has a fragment";
  const own = queryOf(uri).find(ofResponse);
  if (own !== undefined) return `has the parameter ${ofResponse(own)}, which belongs to the response`;
  const { protocol, username, password } = new URL(uri);
  if (username || password || /^[a-z]+:\/\/[^/?]*@/i.test(uri)) return "has a user name";
  if (uri.startsWith("https://")) return uri[8] === "/" ? "has no host" : undefined;
  if (isLoopback(uri)) return undefined;
  if (customSchemes.includes(protocol.slice(0, -1)) && uri.startsWith(protocol)) return undefined;
  return "is neither https nor a loopback address";
}

/** Returns the destination of a redirect URI to show: the host, or the scheme of an application. */
export function destinationOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : protocol;
}

/** Whether a client's text names a resource. URL parsers write a slash for an empty path (RFC 9110, 4.2.3). */
export function isResource(asked: string, resource: string): boolean {
  return asked === resource || (asked === `${resource}/` && new URL(resource).pathname === "/");
}

/**
 * Matches names of parameters of authorization responses (RFC 6749, 4.1.2 and 4.2.2; RFC 9207; OpenID Connect; JARM) as
 * the most lenient parser reads them: in any case, `code[]` and `code.0` as `code`. A redirect URI with such a parameter
 * could forge the response, because many clients use the first of two values.
 */
const responseName =
  /^\s*(code|state|iss|error|error_description|error_uri|response|access_token|id_token|session_state)(?=[[.]|\s*$)/i;

/** Returns the parts of a URI's query. Some parsers also accept `;` as a separator. */
function queryOf(uri: string): string[] {
  return uri.split("?").slice(1).join("?").split(/[&;]/);
}

/** Returns the name of the response parameter in a part of a query, if it is one. */
function ofResponse(part: string): string | undefined {
  const [[name = ""] = []] = new URLSearchParams(part);
  return responseName.exec(name)?.[1];
}

/**
 * Adds the parameters of an authorization response to a redirect URI, and keeps its text unchanged otherwise. Removes
 * response parameters in the URI itself, because a client may have registered before these were refused.
 */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value);
  const parts = queryOf(uri);
  const kept = parts.filter((part) => !ofResponse(part));
  const own = kept.length === parts.length ? uri : `${uri.split("?")[0]}?${kept.join("&")}`;
  const join = !own.includes("?") ? "?" : /[?&]$/.test(own) ? "" : "&";
  return `${own}${join}${query.toString()}`;
}
