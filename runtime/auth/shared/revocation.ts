import * as oauth from "oauth4webapi";

/** The tokens of one login. */
interface RevocableTokens {
  readonly access: string;
  readonly refresh?: string | undefined;
}

/** The endpoint and the client of a revocation. */
interface RevocationRequest {
  readonly as: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly authentication: oauth.ClientAuth;
  readonly options: oauth.RevocationRequestOptions;
}

/**
 * Revokes the tokens of a login (RFC 7009): first the refresh token, which ends the login, then the access
 * token.
 *
 * @throws the library's error, if the server did not revoke the refresh token, or the only token
 */
export async function revokeTokens(
  { access, refresh }: RevocableTokens,
  { as, client, authentication, options }: RevocationRequest,
): Promise<void> {
  // Most servers revoke the access tokens together with the refresh token; the others accept both at the
  // endpoint.
  const first = refresh === undefined ? [] : ([[refresh, "refresh_token"]] as const);
  for (const [token, hint] of [...first, [access, "access_token"] as const]) {
    const request = { ...options, additionalParameters: { token_type_hint: hint } };
    const response = await oauth.revocationRequest(as, client, authentication, token, request);
    try {
      await oauth.processRevocationResponse(response);
    } catch (error) {
      // The refresh token is already revoked, which ends the login. Many servers cannot revoke a JWT.
      if (hint !== "access_token" || !first.length || !isUnsupported(error)) throw error;
    }
  }
}

/** Whether the server does not revoke tokens of this type (RFC 7009, 2.2.1). */
function isUnsupported(error: unknown): boolean {
  return error instanceof oauth.ResponseBodyError && error.error === "unsupported_token_type";
}
