import { isUnavailable } from "../shared/errors.js";
import { type Client } from "./client.js";
import { findClient } from "./clients.js";
import { errorPage } from "./html.js";
import type { Proxy } from "./proxy.js";
import { destinationOf, isLoopback, isResource, matchesRedirect, withParameters } from "./redirects.js";
import { Parameters } from "./requests.js";
import { redirectResponse } from "./responses.js";

/** A valid authorization request. It is passed from page to page in encrypted form. */
export interface AuthorizationRequest {
  readonly client: string;
  readonly redirectUri: string;
  readonly state?: string;
  readonly challenge: string;
  readonly scopes: readonly string[];
  readonly resource: string;
}

/** Thrown to refuse a request; has the answer. */
export class Stopped extends Error {
  readonly response: Response;

  constructor(reason: string, response: Response) {
    super(reason);
    this.response = response;
  }
}

const again = "Start the login again in the application.";
const maxState = 512;

/** Makes a refusal with an error page. Without a verified client, the browser is not redirected. */
export function stop(what: string, next = again): Stopped {
  return new Stopped(what, errorPage(what, next));
}

/**
 * Finds the client of a request, and checks that it has registered the redirect URI.
 *
 * @throws {Stopped} with a page
 */
export async function verifiedClient(proxy: Proxy, id: string, redirectUri: string): Promise<Client> {
  let client: Client | undefined;
  try {
    client = await findClient(proxy.settings, proxy.documents, id);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    throw stop("The description of the application cannot be read.", (error as Error).message);
  }
  if (!client) throw stop("The application is not registered here.", "It must register again.");
  if (!client.redirectUris.some((registered) => matchesRedirect(registered, redirectUri)))
    throw stop("The application did not register the address that access would be sent to.");
  if (client.kind === "known" || proxy.settings.clients.allowRedirects(redirectUri)) return client;
  throw stop("This server does not allow the address that access would be sent to.");
}

/**
 * Validates an authorization request (OAuth 2.1, 4.1.1).
 *
 * @throws {Stopped} with a page, or with a redirect if the redirect URI is trusted
 */
export async function authorizationRequest(
  proxy: Proxy,
  query: URLSearchParams,
): Promise<{ readonly client: Client; readonly asked: AuthorizationRequest }> {
  const parameters = new Parameters(query);
  const id = parameters.get("client_id");
  const redirectUri = parameters.get("redirect_uri");
  const unclear = parameters.repeated.find((name) => /^(client_id|redirect_uri|state)$/.test(name));
  if (unclear !== undefined) throw stop(`The request has several values of ${unclear}.`);
  if (id === undefined) throw stop("The request names no application (client_id).");
  if (redirectUri === undefined) throw stop("The request names no address to return to (redirect_uri).");
  const client = await verifiedClient(proxy, id, redirectUri);
  const state = parameters.get("state");
  const refuse = refusing(proxy, client, { redirectUri, ...(state !== undefined && { state }) });
  if (state !== undefined && state.length > maxState)
    throw stop(`The state of the request has more than ${maxState} characters.`);
  if (parameters.repeated.length > 0)
    throw refuse("invalid_request", "A parameter of the request stands twice.");
  checkResponse(parameters, refuse);
  const challenge = challengeOf(parameters, refuse);
  const scopes = scopesOf(proxy, parameters.get("scope"), refuse);
  const resource = resourceOf(proxy, parameters.all("resource"), refuse);
  const asked = {
    client: id,
    redirectUri,
    ...(state !== undefined && { state }),
    challenge,
    scopes,
    resource,
  };
  return { client, asked };
}

type Refuse = (error: string, what: string) => Stopped;

function checkResponse(parameters: Parameters, refuse: Refuse): void {
  for (const name of ["request", "request_uri", "registration"])
    if (parameters.get(name) !== undefined)
      throw refuse(`${name}_not_supported`, `The parameter ${name} is not supported.`);
  if (parameters.get("response_type") !== "code")
    throw refuse("unsupported_response_type", "The response_type must be code.");
  const mode = parameters.get("response_mode");
  if (mode !== undefined && mode !== "query")
    throw refuse("invalid_request", "The response_mode must be query.");
  // The proxy has no session of the user, so it cannot answer without a page.
  if (parameters.get("prompt") === "none") throw refuse("interaction_required", "The user must decide.");
}

/** Returns the code challenge. PKCE with S256 is required (authorization, Authorization Code Protection). */
function challengeOf(parameters: Parameters, refuse: Refuse): string {
  const challenge = parameters.get("code_challenge");
  if (challenge === undefined)
    throw refuse("invalid_request", "PKCE is required: code_challenge is missing.");
  if (parameters.get("code_challenge_method") !== "S256")
    throw refuse("invalid_request", "PKCE is required with code_challenge_method S256.");
  if (!/^[\w-]{43}$/.test(challenge))
    throw refuse("invalid_request", "PKCE is required: code_challenge is not a SHA-256 in base64url.");
  return challenge;
}

/** Returns the requested scopes without unknown ones (RFC 6749, 3.3); all scopes if none is requested. */
function scopesOf({ settings }: Proxy, asked: string | undefined, refuse: Refuse): readonly string[] {
  if (asked === undefined) return [...settings.scopes.keys()];
  const scopes = [...new Set(asked.split(" "))].filter((scope) => settings.scopes.has(scope));
  if (scopes.length > 0 || settings.scopes.size === 0) return scopes;
  throw refuse("invalid_scope", "The request names no scope that this server has.");
}

/** Returns the requested resource. A token is for one resource (RFC 8707). */
function resourceOf({ settings }: Proxy, asked: readonly string[], refuse: Refuse): string {
  const [first = settings.resources[0]!, ...others] = new Set(asked);
  const resource = settings.resources.find((each) => isResource(first, each));
  if (others.length === 0 && resource !== undefined) return resource;
  throw refuse("invalid_target", "The request names a resource that this server has no tokens for.");
}

/**
 * Returns the function that refuses a request. Registration is open, so a link to this server could redirect to an address
 * that an attacker has registered (OAuth 2.1, 7.12.2). Without a decision of the user, the browser is therefore redirected
 * only to clients of the operator and to the user's own machine.
 */
function refusing(
  { settings }: Proxy,
  client: Client,
  target: { readonly redirectUri: string; readonly state?: string },
): Refuse {
  return (error, what) => {
    const href = errorLocation(settings.issuer, target, error, what);
    if (client.kind === "known" || isLoopback(target.redirectUri))
      return new Stopped(what, redirectResponse(href));
    return new Stopped(what, errorPage(what, again, { href, host: destinationOf(target.redirectUri) }));
  };
}

/** Returns the redirect URL that reports an error to a client. It names the issuer (RFC 9207). */
export function errorLocation(
  issuer: string,
  { redirectUri, state }: { readonly redirectUri: string; readonly state?: string },
  error: string,
  description?: string,
): string {
  return withParameters(redirectUri, { error, error_description: description, state, iss: issuer });
}
