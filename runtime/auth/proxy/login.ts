import { type AuthorizationRequest, stop } from "./authorization-request.js";
import { setCookie } from "./cookies.js";
import { sha256, randomText } from "../shared/encoding.js";
import { type Proxy, upstreamScopes } from "./proxy.js";
import { redirectResponse } from "./responses.js";

/** A login at the upstream that has begun. It is encrypted in a cookie of the browser where the user consented. */
export interface Login {
  readonly asked: AuthorizationRequest;
  /** Digest of the parameter `state`. */
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
  /** Seconds since 1970. */
  readonly expires: number;
  /** Digest of the user whose earlier decision is used; absent if the user has just decided. */
  readonly subject?: string;
}

export const loginSeconds = 600;
/** Logins that one browser can have begun: cookies are short of space. */
const maxLogins = 4;
/** Browsers keep cookies of 4,096 bytes, with their names and attributes. */
const maxCookie = 3900;

/** The cookie of the login that a `state` belongs to. */
export function loginCookie(stateDigest: string): string {
  return `login-${stateDigest.slice(0, 16)}`;
}

/**
 * Sends the browser to the upstream. Call it only after the user has decided: it sets the cookie that the callback needs.
 *
 * @param subject digest of the user whose earlier decision is used
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
    expires: settings.seconds() + loginSeconds,
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
