import { malformedMember, type Members } from "@mcpgen/base";
import { AuthError } from "../shared/errors.js";
import type { Claims } from "./token-issuer.js";

/**
 * The claims of tokens and of introspection answers that decide about identity and rights (RFC 7519, 4.1; RFC 7662, 2.2; RFC
 * 8693, 4; RFC 9068, 2.2). One that is present and malformed is never read as absent: that would be another user, or more rights.
 */
const kinds: Members = {
  ...{ iss: "text", sub: "text", aud: "text or texts", jti: "text" },
  ...{ exp: "time", nbf: "time", iat: "time", auth_time: "time" },
  ...{ client_id: "text", azp: "text", appid: "text", cid: "text" },
  ...{ scope: "string or texts", scp: "string or texts" },
  ...{ cnf: "object", act: "object", may_act: "object" },
  ...{ nonce: "text", typ: "text", token_use: "text" },
};

/** @throws {AuthError} `auth-token-refused`: a claim is malformed, of the token or of its actor (RFC 8693, 4.1) */
export function checkClaims(claims: Claims): void {
  checkKinds(claims, kinds);
  const { act } = claims as { readonly act?: Claims };
  if (act) checkKinds(act, kinds, "act.");
}

/** @throws {AuthError} `auth-token-refused`: a claim is present, and is not what the table says */
export function checkKinds(claims: Claims, members: Members, place = ""): void {
  const problem = malformedMember(claims, members);
  if (problem !== undefined) throw refused(`it is malformed: its claim ${place}${problem}`);
}

/** Claims that no access token has (OpenID Connect Core, 3.3.2.11; Back-Channel Logout, 2.4). */
const foreign = ["at_hash", "c_hash", "s_hash", "events"];

/** Claims of ID tokens that access tokens may have, too (RFC 9068, 2.2.1). */
const ofLogins = ["auth_time", "acr", "amr"];

/** Claims that say what a token is for: ID tokens have none of them. */
const ofAccess = ["scope", "scp", "client_id", "cid"];

/**
 * ID, logout and refresh tokens are signed with the same keys, and one issuer introspects all of them. Claims say what they are.
 *
 * @param isTyped whether its header says that it is an access token (RFC 9068, 2.1)
 * @throws {AuthError} `auth-token-refused`
 */
export function refuseOtherTokens(claims: Claims, isTyped: boolean): void {
  const has = (names: readonly string[]): boolean => names.some((name) => claims[name] !== undefined);
  const { token_use: use, typ } = claims;
  // Cognito and Ory write `token_use`, Keycloak `typ`.
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
