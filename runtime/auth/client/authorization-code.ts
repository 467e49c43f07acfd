import type { AuthorizationServer } from "oauth4webapi";
import { base64Url, sha256 } from "../shared/base64url.js";
import { AuthError } from "../shared/errors.js";
import { setAll } from "../shared/form-request.js";
import { shown } from "../shared/token-response.js";
import { hostOf } from "../shared/urls.js";
import type { AuthorizationFacts, RedirectReceiver } from "./options.js";
import { type TokenEndpoint, TokenRefusal, type Tokens, requestTokens } from "./token-request.js";

/** One authorization of a user. */
export interface CodeRequest {
  readonly receiver: RedirectReceiver;
  /** Value of the parameter `resource`. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  readonly facts: Omit<AuthorizationFacts, "state">;
  readonly signal: AbortSignal;
}

/** @throws {AuthError} `auth-pkce-unsupported` (2026-07-28, authorization code protection) */
export function checkPkce(as: AuthorizationServer, assumed: boolean): void {
  const methods: unknown = as.code_challenge_methods_supported;
  if (assumed && methods === undefined) return;
  if (Array.isArray(methods) && methods.includes("S256")) return;
  const host = hostOf(as.issuer);
  const text = `the metadata of ${host} does not list PKCE with S256. If it has PKCE, set issuers: { ${JSON.stringify(as.issuer)}: { pkce: "assumed" } }`;
  throw new AuthError("auth-pkce-unsupported", text);
}

/**
 * The authorization code flow with PKCE (OAuth 2.1, 4.1), and the check of the issuer in the response (RFC 9207).
 *
 * @throws {AuthError} without text of the authorization server
 */
export async function codeFlow(endpoint: TokenEndpoint, request: CodeRequest): Promise<Tokens> {
  const { as, client, proofs } = endpoint;
  const { receiver, resource, scopes, facts, signal } = request;
  if (as.authorization_endpoint === undefined)
    throw new AuthError("auth-metadata-invalid", `${hostOf(as.issuer)}: authorization_endpoint is missing`);
  const verifier = randomText();
  const state = randomText();
  const url = new URL(as.authorization_endpoint);
  setAll(url.searchParams, {
    response_type: "code",
    client_id: client.id,
    redirect_uri: receiver.uri,
    code_challenge: await sha256(verifier),
    code_challenge_method: "S256",
    state,
    scope: scopes.join(" ") || undefined,
    resource,
    // OpenID Connect Core, 11.
    prompt: scopes.includes("offline_access") ? "consent" : undefined,
    dpop_jkt: await proofs?.thumbprint(),
  });
  const answer = await receiver.receive(url.href, { ...facts, state }, signal);
  return requestTokens(endpoint, {
    grant_type: "authorization_code",
    code: codeOf(as, receiver.uri, answer, state),
    redirect_uri: receiver.uri,
    code_verifier: verifier,
    resource,
  });
}

const randomText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)));

/** The code of a redirect, after issuer and state are checked: before that, nothing in it is believed. */
function codeOf(as: AuthorizationServer, uri: string, answer: string, state: string): string {
  const host = hostOf(as.issuer);
  const url = URL.canParse(answer) ? new URL(answer) : undefined;
  const expected = new URL(uri);
  if (
    !url ||
    url.protocol + url.host + url.pathname !== expected.protocol + expected.host + expected.pathname
  )
    throw new AuthError(
      "auth-refused",
      `the authorization of ${host} came back to another URL than the redirect URI`,
    );
  // A parameter that is there twice is none of them (RFC 6749, 3.1).
  const once = (name: string): string | undefined => {
    const all = url.searchParams.getAll(name);
    return all.length > 1 ? "" : all[0];
  };
  const issuer = once("iss");
  const isMissing = issuer === undefined && as.authorization_response_iss_parameter_supported === true;
  if (isMissing || (issuer ?? as.issuer) !== as.issuer)
    throw new AuthError("auth-issuer-mismatch", `the authorization response is not of the issuer ${host}`);
  const error = once("error");
  const code = once("code");
  if (once("state") !== state || !(error ?? code))
    throw new AuthError(
      "auth-refused",
      `the authorization response of ${host} does not belong to this request`,
    );
  if (error === undefined) return code!;
  throw new TokenRefusal(as.issuer, shown(error), "The user or the server did not authorize the client");
}
