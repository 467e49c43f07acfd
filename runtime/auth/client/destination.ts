import { AuthError } from "../shared/errors.js";
import { hostOf, issuerText } from "../shared/urls.js";
import type { KnownServer } from "./issuer-names.js";

/** An endpoint that gets secrets of a client or of its user. */
type Endpoint = "token_endpoint" | "device_authorization_endpoint" | "revocation_endpoint";

/** Where a secret is from: a code, a refresh token, a client secret. It goes back there, and nowhere else. */
export interface Provenance {
  readonly issuer: string;
  /** URL of the endpoint that gave it; absent for a secret that the application has for this issuer. */
  readonly endpoint?: string | undefined;
}

/** An authorization server that secrets are sent to. */
export interface Destination {
  readonly as: KnownServer;
  /** Whether the application names the issuer, so that its metadata is believed; else a server alone has named it. */
  readonly isNamed: boolean;
}

/** Whether an application names an issuer: as the one to use, or with an exception. */
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
 * The one place that decides where a secret goes: to an endpoint of its issuer, as the metadata of that issuer names it.
 *
 * Metadata of an issuer that only a server has named may mix its own endpoints with those of another issuer, to collect what
 * these give (RFC 9700, 4.4). So a secret that an endpoint gave goes to endpoints of the same owner alone.
 *
 * @param what the secret, for messages
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

/** The same as a question, for secrets that can be replaced. */
export function belongsTo(
  { issuer, endpoint }: Provenance,
  { as, isNamed }: Destination,
  to: Endpoint,
): boolean {
  const target = as[to];
  if (issuer !== as.issuer) return false;
  return isNamed || endpoint === undefined || target === undefined || haveOneOwner(endpoint, target);
}

/** Whether two URLs belong to one owner: the same host and port, or a host below the other one. */
export function haveOneOwner(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => {
    const { protocol, port, hostname } = new URL(text);
    // The names below a numeric address are not its own.
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
