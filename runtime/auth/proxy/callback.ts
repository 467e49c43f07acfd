import * as oauth from "oauth4webapi";
import { isUnavailable } from "../shared/errors.js";
import { approvalCookie } from "./approvals.js";
import { Stopped, errorLocation, stop, verifiedClient } from "./authorization-request.js";
import type { Client } from "./client.js";
import { type Code, codeSeconds, createGrant, ownerOf, revokeUpstream } from "./grants.js";
import { cookiesOf, setCookie } from "./cookies.js";
import { numericDate, randomText, sha256 } from "../shared/encoding.js";
import { type Login, loginCookie, loginSeconds } from "./login.js";
import { type Proxy, paths, upstreamScopes } from "./proxy.js";
import { withParameters } from "./redirects.js";
import { redirectResponse } from "./responses.js";
import type { Identity, UpstreamTokens } from "./upstream.js";

/**
 * The endpoint to which the upstream redirects the browser. Only the browser in which the user consented has the
 * login's cookie, so that a user cannot finish a login that another person began.
 *
 * @throws {Stopped} with a page
 */
export async function callback(proxy: Proxy, request: Request): Promise<Response> {
  const { settings, upstream } = proxy;
  const { searchParams } = new URL(request.url);
  const states = searchParams.getAll("state");
  if (states.length !== 1 || states[0] === "") throw stop("The answer of the login has no state.");
  const state = states[0]!;
  const cookies = cookiesOf(request);
  const login = await loginOf(proxy, cookies, state);
  const { asked } = login;
  const client = await verifiedClient(proxy, asked.client, asked.redirectUri);
  if ((await settings.store.get(stateKey(login))) !== undefined) throw alreadyFinished();
  const finished = setCookie(loginCookie(login.state), "", 0);
  const url = new URL(settings.issuer + paths.callback);
  for (const [name, value] of searchParams) url.searchParams.append(name, value);
  try {
    const scopes = upstreamScopes(settings, asked.scopes);
    const { tokens, identify } = await upstream.login(url, { ...login, state }, scopes);
    try {
      const identity = await identify();
      // Only after the login at the upstream, because anyone can begin a login, and the store must not fill with those.
      if (!(await isFirst(proxy, login, identity))) throw alreadyFinished();
      return await succeed(proxy, { cookies, finished, client, login, tokens, identity });
    } catch (error) {
      // No client gets a code for these tokens, so revoke them.
      await revokeUpstream(proxy, tokens);
      throw error;
    }
  } catch (error) {
    if (error instanceof Stopped) throw error;
    if (isUnavailable(error)) throw error;
    // The client gets no text of the upstream.
    const isDenied = error instanceof oauth.AuthorizationResponseError && error.error === "access_denied";
    settings.emit({ type: "refused", client: client.name, reason: (error as Error).name });
    const location = isDenied
      ? errorLocation(settings.issuer, asked, "access_denied", "The user denied the request.")
      : errorLocation(settings.issuer, asked, "server_error", "The login at the upstream failed.");
    return redirectResponse(location, [finished]);
  }
}

/** Whether a login is being finished for the first time. Records it. */
async function isFirst({ settings }: Proxy, login: Login, { subject }: Identity): Promise<boolean> {
  const owner = await ownerOf(settings, subject);
  return settings.store.put(stateKey(login), "used", undefined, login.expires * 1000, owner);
}

const stateKey = ({ state }: Login): string => `state:${state}`;

const alreadyFinished = (): Stopped => stop("This login was already finished.");

async function loginOf(
  { settings }: Proxy,
  cookies: ReadonlyMap<string, string>,
  state: string,
): Promise<Login> {
  const digest = await sha256(state);
  const cookie = cookies.get(loginCookie(digest));
  const login =
    cookie === undefined ? undefined : ((await settings.keys.open("login", cookie)) as Login | undefined);
  if (login?.state !== digest) throw stop("This login was not started in this browser, or it is finished.");
  const left = login.expires - numericDate();
  if (left > 0 && left <= loginSeconds) return login;
  throw stop("The login took too long.");
}

interface Success {
  readonly cookies: ReadonlyMap<string, string>;
  /** The `Set-Cookie` value that removes the login's cookie. */
  readonly finished: string;
  readonly client: Client;
  readonly login: Login;
  readonly tokens: UpstreamTokens;
  readonly identity: Identity;
}

async function succeed(proxy: Proxy, success: Success): Promise<Response> {
  const { cookies, finished, client, login, tokens, identity } = success;
  const { settings } = proxy;
  const { asked } = login;
  const subject = await sha256(identity.subject);
  // The remembered decision is of another user. This user has not decided.
  if (login.subject !== undefined && login.subject !== subject) {
    await revokeUpstream(proxy, tokens);
    const forgotten = await approvalCookie(proxy, cookies, { client, asked }, undefined);
    return redirectResponse(authorizeAgain(settings.issuer, asked), [finished, ...forgotten]);
  }
  const id = randomText(16);
  const expires = numericDate() + codeSeconds;
  await createGrant(settings, id, {
    client: client.id,
    subject: identity.subject,
    scopes: asked.scopes,
    resource: asked.resource,
    upstream: tokens,
    redeemed: false,
    refreshes: client.refreshes,
    used: -1,
    usedAt: 0,
    revoked: [],
    expires,
  });
  proxy.unredeemed.add(proxy, id, expires);
  if (client.kind === "document") proxy.documents.keep(client.id);
  const code: Code = { grant: id, redirectUri: asked.redirectUri, challenge: asked.challenge, expires };
  const remembered = await approvalCookie(proxy, cookies, { client, asked }, subject);
  settings.emit({ type: "logged-in", client: client.name });
  const answer = {
    code: await settings.keys.seal("code", code),
    state: asked.state,
    iss: settings.issuer,
  };
  return redirectResponse(withParameters(asked.redirectUri, answer), [finished, ...remembered]);
}

function authorizeAgain(issuer: string, asked: Login["asked"]): string {
  return withParameters(issuer + paths.authorize, {
    response_type: "code",
    client_id: asked.client,
    redirect_uri: asked.redirectUri,
    state: asked.state,
    code_challenge: asked.challenge,
    code_challenge_method: "S256",
    scope: asked.scopes.length > 0 ? asked.scopes.join(" ") : undefined,
    resource: asked.resource,
  });
}
