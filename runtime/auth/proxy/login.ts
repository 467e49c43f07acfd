import { type AuthorizationRequest, stop } from "./authorization-request.js";
import { setCookie } from "./cookies.js";
import { numericDate, sha256, randomText } from "../shared/encoding.js";
import { type Proxy, upstreamScopes } from "./proxy.js";
import { redirectResponse } from "./responses.js";

/** A login in progress at the upstream. An encrypted cookie of the browser in which the user consented contains it. */
export interface Login {
  readonly asked: AuthorizationRequest;
  /** Digest of the parameter `state`. */
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
  /** Seconds since 1970. */
  readonly expires: number;
  /** Digest of the user whose remembered decision is used; absent if the user has just decided. */
  readonly subject?: string;
}

export const loginSeconds = 600;
/** Maximum number of concurrent logins of one browser, because space for cookies is limited. */
const maxLogins = 4;
/** Maximum length of a cookie. Browsers limit it to 4,096 bytes, including name and attributes. */
const maxCookie = 3900;

/** Returns the name of the cookie for the login with this `state`. */
export function loginCookie(stateDigest: string): string {
  return `login-${stateDigest.slice(0, 16)}`;
}

/**
 * Redirects the browser to the upstream, and sets the cookie that the callback needs. Call it only after the user has
 * decided.
 *
 * @param subject digest of the user whose remembered decision is used
 * @throws {Stopped} with a page
 */
export async function redirectToUpstream(
  proxy: Proxy,
  cookies: ReadonlyMap<string, string>,
  asked: AuthorizationRequest,
  subject?: string,
): Promise<Response> {
  const { settings, upstream } = proxy;
  const state = randomText(32);
  const request = { state, verifier: randomText(32), nonce: randomText(16) };
  const login: Login = {
    asked,
    state: await sha256(state),
    verifier: request.verifier,
    nonce: request.nonce,
    expires: numericDate() + loginSeconds,
    ...(subject !== undefined && { subject }),
  };
  const sealed = await settings.keys.seal("login", login);
  if (sealed.length > maxCookie) throw stop("The request of the application is too long for a cookie.");
  const scopes = upstreamScopes(settings, asked.scopes);
  const location = await upstream.authorizationUrl(request, scopes).catch(() => {
    throw stop(`${upstream.profile.name} cannot be reached now.`, "Try again later.");
  });
  const begun = [...cookies.keys()].filter((name) => name.startsWith("login-"));
  const surplus = begun.slice(0, Math.max(0, begun.length - maxLogins + 1));
  return redirectResponse(location, [
    ...surplus.map((name) => setCookie(name, "", 0)),
    setCookie(loginCookie(login.state), sealed, loginSeconds),
  ]);
}
