import type { Claims } from "./token-issuer.js";

/** What a verified token says: `context.auth` of handlers. It does not hold the token. */
export interface AuthInfo {
  /** `iss` of the token, or the issuer that introspected it. */
  readonly issuer: string;
  /** `sub`: unique at the issuer only. */
  readonly subject?: string;
  readonly clientId?: string;
  /** The granted scopes, as the issuer wrote them. */
  readonly scopes: readonly string[];
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  /** All claims, or all members of the introspection response. */
  readonly claims: Claims;
  /**
   * A token for the API behind the issuer, if the issuer is `oauthProxy()`. It is never the token of the request.
   *
   * @throws {AuthError} `auth-needs-user`: the login has ended
   */
  readonly upstream?: () => Promise<string>;
}

/** Freezes claims: requests with the same token share them. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) frozen(member);
  return value;
}
