import type { ClientDocuments } from "./client-documents.js";
import type { Logins, UnredeemedLogins } from "./grants.js";
import type { Settings } from "./options.js";

/** The dependencies of all endpoints of a proxy. */
export interface Proxy extends Logins {
  readonly documents: ClientDocuments;
  readonly unredeemed: UnredeemedLogins;
}

/** The paths of the endpoints below the issuer. */
export const paths = {
  authorize: "/authorize",
  consent: "/consent",
  callback: "/oauth/callback",
  token: "/token",
  register: "/register",
  revoke: "/revoke",
  jwks: "/jwks.json",
} as const;

/**
 * Returns the scopes to request from the upstream: the identity scopes, and those that the scopes of this server
 * need.
 */
export function upstreamScopes(
  { upstream, scopes }: Settings,
  granted: readonly string[],
): readonly string[] {
  const needed = granted.flatMap((scope) => scopes.get(scope) ?? []);
  return [...new Set([...(upstream.identityScopes ?? []), ...needed])];
}
