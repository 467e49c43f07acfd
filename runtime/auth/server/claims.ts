import { malformedMember, type Members } from "@mcpgen/base";
import { AuthError } from "../shared/errors.js";
import type { Claims } from "./token-issuer.js";

/**
 * Types of the claims of tokens and introspection answers that decide about identity and permissions (RFC 7519, 4.1; RFC
 * 7662, 2.2; RFC 8693, 4; RFC 9068, 2.2). A malformed claim never counts as absent, because that could mean another user or
 * more permissions.
 */
const kinds: Members = {
  ...{ iss: "text", sub: "text", aud: "text or texts", jti: "text" },
  ...{ exp: "time", nbf: "time", iat: "time", auth_time: "time" },
  ...{ client_id: "text", azp: "text", appid: "text", cid: "text" },
  ...{ scope: "string or texts", scp: "string or texts" },
  ...{ cnf: "object", act: "object", may_act: "object" },
  ...{ nonce: "text", typ: "text", token_use: "text" },
};

/**
 * Checks the claims of a token and of its actor (RFC 8693, 4.1). @throws {AuthError} `auth-token-refused`: a claim is
 * malformed
 */
export function checkClaims(claims: Claims): void {
  checkKinds(claims, kinds);
  const { act } = claims as { readonly act?: Claims };
  if (act) checkKinds(act, kinds, "act.");
}

/** @throws {AuthError} `auth-token-refused`: a claim does not have the type in the table */
export function checkKinds(claims: Claims, members: Members, place = ""): void {
  const problem = malformedMember(claims, members);
  if (problem !== undefined) throw refused(`it is malformed: its claim ${place}${problem}`);
}

/** Claims that no access token has (OpenID Connect Core, 3.3.2.11; Back-Channel Logout, 2.4). */
const foreign = ["at_hash", "c_hash", "s_hash", "events"];

/** Claims of ID tokens that access tokens may have, too (RFC 9068, 2.2.1). */
const ofLogins = ["auth_time", "acr", "amr"];

/** Claims of access tokens that ID tokens do not have. */
const ofAccess = ["scope", "scp", "client_id", "cid"];

/**
 * Refuses tokens of other kinds, by their claims. An issuer signs ID, logout and refresh tokens with the same keys, and
 * introspects all of them.
 *
 * @param isTyped whether the header marks the token as an access token (RFC 9068, 2.1)
 * @throws {AuthError} `auth-token-refused`
 */
export function refuseOtherTokens(claims: Claims, isTyped: boolean): void {
  const has = (names: readonly string[]): boolean => names.some((name) => claims[name] !== undefined);
  const { token_use: use, typ } = claims;
  // Cognito and Ory use `token_use`, Keycloak uses `typ`.
  const isUsable = use === undefined || use === "access" || use === "access_token";
  const isBearer = typ === undefined || typ === "Bearer" || typ === "DPoP";
  const isAccess = isTyped || use !== undefined || typ !== undefined;
  const isLogin = claims["nonce"] !== undefined || (has(ofLogins) && !has(ofAccess));
  if (!isUsable || !isBearer || has(foreign) || (isLogin && !isAccess))
    throw refused("it is not an access token");
}

export function refused(why: string, cause?: unknown): AuthError {
  return new AuthError("auth-token-refused", why, { cause });
}
