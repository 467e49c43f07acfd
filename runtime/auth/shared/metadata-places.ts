import { wellKnown } from "./urls.js";

/** Where the protected resource metadata of a server may be: with its path, then at the root of its host (RFC 9728, 3.1). */
export function resourcePlaces(server: string): string[] {
  return [...new Set([true, false].map((path) => wellKnown(server, "oauth-protected-resource", path)))];
}

/** Where the metadata of an issuer may be, in the order of the specification. */
export function metadataPlaces(issuer: string): string[] {
  const oauth = wellKnown(issuer, "oauth-authorization-server");
  const oidc = wellKnown(issuer, "openid-configuration");
  if (new URL(issuer).pathname === "/") return [oauth, oidc];
  return [oauth, oidc, `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`];
}
