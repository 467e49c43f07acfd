import { wellKnown } from "./urls.js";

/** Where the metadata of an issuer may be, in the order of the specification. */
export function metadataPlaces(issuer: string): string[] {
  const oauth = wellKnown(issuer, "oauth-authorization-server");
  const oidc = wellKnown(issuer, "openid-configuration");
  if (new URL(issuer).pathname === "/") return [oauth, oidc];
  return [oauth, oidc, `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`];
}
