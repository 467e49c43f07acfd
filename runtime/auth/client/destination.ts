import { AuthError } from "../shared/errors.js";
import { hostOf, issuerText } from "../shared/urls.js";
import type { KnownServer } from "./issuer-names.js";

/** An endpoint that receives secrets of a client or its user. */
type Endpoint = "token_endpoint" | "device_authorization_endpoint" | "revocation_endpoint";

/** The origin of a secret: a code, a refresh token, or a client secret. The secret may only be sent back there. */
export interface Provenance {
  readonly issuer: string;
  /** URL of the endpoint that gave the secret; absent for a secret that the application has for this issuer. */
  readonly endpoint?: string | undefined;
}

/** An authorization server that receives secrets. */
export interface Destination {
  readonly as: KnownServer;
  /** Whether the application names the issuer, so that its metadata is trusted. Otherwise only an MCP server names it. */
  readonly isNamed: boolean;
}

/** Whether an application names an issuer, in the option `issuer` or in `issuers`. */
export function isNamedIssuer(
  issuer: string,
  {
    issuer: named,
    issuers = {},
  }: { readonly issuer?: string | undefined; readonly issuers?: object | undefined },
): boolean {
  return issuer === named || Object.hasOwn(issuers, issuer);
}

/**
 * Decides whether a secret may be sent to an endpoint. All code that sends secrets calls it. A secret goes only to endpoints
 * in the metadata of its issuer.
 *
 * If only an MCP server names the issuer, its metadata may mix its own endpoints with endpoints of another issuer, to
 * collect that issuer's secrets (RFC 9700, 4.4). So a secret from an endpoint then goes only to endpoints of the same owner.
 *
 * @param what name of the secret, for messages
 * @throws {AuthError} `auth-issuer-mismatch`, `auth-metadata-unsafe`
 */
export function checkDestination(
  { issuer, endpoint }: Provenance,
  { as, isNamed }: Destination,
  to: Endpoint,
  what: string,
): void {
  if (issuer !== as.issuer) {
    const text = `${what} belongs to ${issuerText(issuer)}, and the server now names ${issuerText(as.issuer)}: name the right issuer, or get credentials of this one`;
    throw new AuthError("auth-issuer-mismatch", text);
  }
  if (belongsTo({ issuer, endpoint }, { as, isNamed }, to)) return;
  const text = `${what} is from ${hostOf(endpoint)}, and ${to} of the issuer ${issuerText(issuer)} is on ${hostOf(as[to])}: if that is right, name the issuer in the option issuer`;
  throw new AuthError("auth-metadata-unsafe", text);
}

/** As `checkDestination`, but returns a boolean, for secrets that can be replaced. */
export function belongsTo(
  { issuer, endpoint }: Provenance,
  { as, isNamed }: Destination,
  to: Endpoint,
): boolean {
  const target = as[to];
  if (issuer !== as.issuer) return false;
  return isNamed || endpoint === undefined || target === undefined || haveOneOwner(endpoint, target);
}

/** Whether two URLs belong to one owner: same port, and the same host or one a subdomain of the other. */
export function haveOneOwner(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => {
    const { protocol, port, hostname } = new URL(text);
    // A numeric address has no subdomains.
    const isName = !/^[\d.]+$|^\[/.test(hostname);
    return { place: `${protocol}${port}`, isName, host: isName ? hostname.replace(/^www\./, "") : hostname };
  }) as [Place, Place];
  if (a.place !== b.place) return false;
  const isBelow = (low: Place, high: Place): boolean =>
    low.isName && high.host.includes(".") && low.host.endsWith(`.${high.host}`);
  return a.host === b.host || isBelow(a, b) || isBelow(b, a);
}

interface Place {
  readonly place: string;
  readonly isName: boolean;
  readonly host: string;
}
