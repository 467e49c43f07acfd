import type { Claims } from "./token-issuer.js";

/** The content of a verified token: `context.auth` of handlers. It does not contain the token itself. */
export interface AuthInfo {
  /** `iss` of the token, or the issuer that answered the introspection. */
  readonly issuer: string;
  /** `sub`, which is unique only at the issuer. */
  readonly subject?: string;
  readonly clientId?: string;
  /** The granted scopes, unchanged from the token. */
  readonly scopes: readonly string[];
  /** Expiry in seconds since 1970. */
  readonly expiresAt?: number;
  /** All claims, or all members of the introspection response. */
  readonly claims: Claims;
  /**
   * Returns a token for the API behind the issuer, if the issuer is `oauthProxy()`. It is never the token of the
   * request.
   *
   * @throws {AuthError} `auth-needs-user`: the login has ended
   */
  readonly upstream?: () => Promise<string>;
}

/** Freezes claims deeply, because requests with the same token share them. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) frozen(member);
  return value;
}
