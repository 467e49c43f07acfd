import * as oauth from "oauth4webapi";
import { AuthError } from "../shared/errors.js";
import { hostOf, issuerText } from "../shared/urls.js";
import { TokenRefusal, type Tokens, shown } from "../shared/token-response.js";
import { checkDestination } from "./destination.js";
import { type KnownServer, isFrom } from "./issuer-names.js";
import type { AuthorizationFacts, RedirectReceiver } from "./options.js";
import { type TokenEndpoint, authentication, requestTokens } from "./token-request.js";

/** The parameters of one authorization by a user. */
export interface CodeRequest {
  readonly receiver: RedirectReceiver;
  /** The value of the parameter `resource`. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  readonly facts: Omit<AuthorizationFacts, "state">;
  readonly signal: AbortSignal;
}

/** @throws {AuthError} `auth-pkce-unsupported` (2026-07-28, authorization code protection) */
export function checkPkce(as: oauth.AuthorizationServer, assumed: boolean): void {
  const methods: unknown = as.code_challenge_methods_supported;
  if (assumed && methods === undefined) return;
  if (Array.isArray(methods) && methods.includes("S256")) return;
  const host = hostOf(as.issuer);
  const text = `the metadata of ${host} does not list PKCE with S256. If it has PKCE, set issuers: { ${JSON.stringify(as.issuer)}: { pkce: "assumed" } }`;
  throw new AuthError("auth-pkce-unsupported", text);
}

/**
 * Runs the authorization code flow with PKCE (OAuth 2.1, 4.1), and checks the issuer in the response (RFC 9207).
 *
 * @throws {AuthError} its message contains no text of the authorization server
 */
export async function codeFlow(endpoint: TokenEndpoint, request: CodeRequest): Promise<Tokens> {
  const { as, client, proofs } = endpoint;
  const { receiver, resource, scopes, facts, signal } = request;
  if (as.authorization_endpoint === undefined)
    throw new AuthError("auth-metadata-invalid", `${hostOf(as.issuer)}: authorization_endpoint is missing`);
  // A response with `iss` proves which issuer gave the code. Otherwise, check that the endpoint has the same
  // owner.
  if (as.authorization_response_iss_parameter_supported !== true)
    checkDestination(
      { issuer: as.issuer, endpoint: as.authorization_endpoint },
      endpoint,
      "token_endpoint",
      "the authorization code",
    );
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(as.authorization_endpoint);
  const params = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: receiver.uri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    scope: scopes.length > 0 ? scopes.join(" ") : undefined,
    resource,
    // OpenID Connect requires `consent` for `offline_access` (OpenID Connect Core, 11).
    prompt: scopes.includes("offline_access") ? "consent" : undefined,
    dpop_jkt: await proofs?.handle.calculateThumbprint(),
  };
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) url.searchParams.set(name, value);
  const answer = await receiver.receive(url.href, { ...facts, state }, signal);
  const code = checkedResponse(as, answer, { client: client.id, uri: receiver.uri, state });
  const auth = await authentication(endpoint);
  return requestTokens(endpoint, (options) =>
    oauth.authorizationCodeGrantRequest(as, { client_id: client.id }, auth, code, receiver.uri, verifier, {
      ...options,
      ...(resource !== undefined && { additionalParameters: { resource } }),
    }),
  );
}

/**
 * Returns the parameters of a redirect after checking issuer and state. Nothing else in it is used before.
 *
 * @param sent parameters of the request, with the redirect URI
 */
function checkedResponse(
  as: KnownServer,
  answer: string,
  sent: { readonly client: string; readonly uri: string; readonly state: string },
): URLSearchParams {
  const host = hostOf(as.issuer);
  const url = URL.canParse(answer) ? new URL(answer) : undefined;
  const expected = new URL(sent.uri);
  if (
    !url ||
    url.protocol + url.host + url.pathname !== expected.protocol + expected.host + expected.pathname
  )
    throw new AuthError(
      "auth-refused",
      `the authorization of ${host} came back to another URL than the redirect URI`,
    );
  const issuers = url.searchParams.getAll("iss");
  const needed = as.authorization_response_iss_parameter_supported === true;
  const foreign = issuers.find((issuer) => !isFrom(as, issuer));
  if (foreign !== undefined || (needed && issuers.length === 0)) {
    const named = foreign === undefined ? "no issuer" : issuerText(foreign);
    const text = `the authorization response is not of the issuer ${issuerText(as.issuer)}: it names ${named}`;
    throw new AuthError("auth-issuer-mismatch", text);
  }
  try {
    const [issuer = as.issuer] = issuers;
    return oauth.validateAuthResponse({ ...as, issuer }, { client_id: sent.client }, url, sent.state);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError)
      throw new TokenRefusal(
        as.issuer,
        shown(error.error),
        "The user or the server did not authorize the client",
      );
    throw new AuthError(
      "auth-refused",
      `the authorization response of ${host} does not belong to this request`,
    );
  }
}
