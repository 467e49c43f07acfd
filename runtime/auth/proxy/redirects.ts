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
  const own = queryOf(uri).find(ofResponse);
  if (own !== undefined) return `has the parameter ${ofResponse(own)}, which belongs to the response`;
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

/**
 * A name of a parameter of authorization responses (RFC 6749, 4.1.2 and 4.2.2; RFC 9207; OpenID Connect; JARM), as the
 * laxest parser reads it: in any case, `code[]` and `code.0` as `code`. A redirect URI that brings its own would answer in
 * place of the authorization server: many clients read the first of two.
 */
const responseName =
  /^\s*(code|state|iss|error|error_description|error_uri|response|access_token|id_token|session_state)(?=[[.]|\s*$)/i;

/** The parts of a URI's query. Some parsers take `;` for a separator, too. */
function queryOf(uri: string): string[] {
  return uri.split("?").slice(1).join("?").split(/[&;]/);
}

/** The parameter of responses that a part of a query is. */
function ofResponse(part: string): string | undefined {
  const [[name = ""] = []] = new URLSearchParams(part);
  return responseName.exec(name)?.[1];
}

/**
 * The redirect of an authorization response. Characters of the redirect URI stay as they are. Parameters of responses that
 * it has itself are removed: a client may have registered before they were refused.
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
