import { parseChallenges } from "../shared/challenges.js";
import { AuthError, type AuthErrorCode } from "../shared/errors.js";
import type { FoundDocument, Guard } from "../shared/guarded-fetch.js";
import { canonicalResource, hostOf, isLoopback, metadataPlaces } from "../shared/urls.js";
import { type Target, discoverServer, findResourceMetadata, targetOf } from "./discovery.js";
import type { FlowOptions } from "./options.js";

/** A fault that keeps some or all clients from getting a token. */
export interface ServerFault {
  readonly kind:
    | "challenge-missing"
    | "challenge-without-metadata"
    | "metadata-missing"
    | "metadata-elsewhere"
    | "metadata-unusable"
    | "resource-mismatch"
    | "resource-broader"
    | "issuer-missing"
    | "issuer-unusable"
    | "pkce-missing";
  /** The URL of the server or of a document. */
  readonly at: string;
  /** Contains no text of a server, except hosts and issuers. */
  readonly message: string;
}

/** The result of an inspection: metadata of a server, and faults. */
export interface ServerInspection {
  readonly resource?: string;
  readonly issuers: readonly string[];
  /** `scopes_supported` of the protected resource metadata. */
  readonly scopes?: readonly string[];
  readonly faults: readonly ServerFault[];
}

/** Maximum number of authorization servers to inspect. */
const mostIssuers = 3;

/**
 * Finds faults in the authorization of a server, as `oauth()` would meet them: in the challenge, the protected resource
 * metadata, and the metadata of the authorization servers (2026-07-28, authorization server discovery; RFC 9728, RFC
 * 8414). Requests no token.
 *
 * @param refused the answer to a request without a token
 */
export async function inspectServer(
  server: string,
  refused: { readonly headers: { get(name: string): string | null } },
  options: Pick<FlowOptions, "fetch" | "privateNetwork" | "issuers"> & { readonly signal?: AbortSignal } = {},
): Promise<ServerInspection> {
  const faults: ServerFault[] = [];
  const { fetch, privateNetwork, signal } = options;
  const guard: Guard = { fetch, privateNetwork, signal, local: isLoopback(new URL(server).hostname) };
  const named = namedMetadata(server, refused.headers.get("www-authenticate"), faults);
  const found = await findMetadata(server, named, guard, faults);
  if (!found) return { issuers: [], faults };
  const { authorization_servers: listed } = found.document;
  const issuers = Array.isArray(listed) ? listed.filter((each) => typeof each === "string") : [];
  let target: Target;
  try {
    target = targetOf(found.document, server, { dpop: false, local: guard.local });
  } catch (error) {
    const kinds = {
      "auth-resource-mismatch": "resource-mismatch",
      "auth-metadata-unsafe": "issuer-unusable",
    } as const;
    faults.push(faultOf(error, found.place, kinds, "issuer-missing"));
    return { issuers, faults };
  }
  const { resource = "", scopes } = target;
  if (resource !== server && resource !== canonicalResource(server)) {
    const message = "resource is not the URL of the server, but one that contains it";
    faults.push({ kind: "resource-broader", at: found.place, message });
  }
  for (const issuer of issuers.slice(0, mostIssuers))
    await inspectIssuer(issuer, guard, faults, options.issuers);
  return { resource, issuers, faults, ...(scopes && { scopes }) };
}

/** Returns the URLs of the metadata in the challenges. */
function namedMetadata(server: string, header: string | null, faults: ServerFault[]): readonly string[] {
  const challenges = parseChallenges(header).filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const named = challenges.flatMap(({ params }) => params["resource_metadata"] ?? []);
  if (challenges.length === 0) {
    const message = "the refusal has no challenge Bearer or DPoP in WWW-Authenticate";
    faults.push({ kind: "challenge-missing", at: server, message });
  } else if (named.length === 0) {
    const message = "the challenge in WWW-Authenticate has no resource_metadata";
    faults.push({ kind: "challenge-without-metadata", at: server, message });
  }
  return named;
}

async function findMetadata(
  server: string,
  named: readonly string[],
  guard: Guard,
  faults: ServerFault[],
): Promise<FoundDocument | undefined> {
  const missing: string[] = [];
  const missed = (place: string, fault?: AuthError): void => {
    if (fault) faults.push(faultOf(fault, place, {}, "metadata-unusable"));
    else missing.push(place);
  };
  let found: FoundDocument | undefined;
  try {
    found = await findResourceMetadata(server, named, guard, missed);
  } catch (error) {
    if (error instanceof AuthError) return undefined;
    throw error;
  }
  const [at, ...others] = missing;
  if (at === undefined) return found;
  const kind = !found || named.includes(at) ? "metadata-missing" : "metadata-elsewhere";
  const alone = "there is no protected resource metadata";
  const nowhere = others.length > 0 ? `${alone}, and none at ${others.join(" or ")}` : alone;
  faults.push({ kind, at, message: found ? `there is no metadata here, but at ${found.place}` : nowhere });
  return found;
}

async function inspectIssuer(
  issuer: string,
  guard: Guard,
  faults: ServerFault[],
  exceptions: FlowOptions["issuers"],
): Promise<void> {
  try {
    const as = await discoverServer(issuer, guard, exceptions);
    const assumed = exceptions?.[issuer]?.pkce === "assumed";
    const { authorization_endpoint: endpoint, code_challenge_methods_supported: methods } = as;
    if (endpoint === undefined || assumed || methods?.includes("S256")) return;
    const message = `${hostOf(issuer)}: code_challenge_methods_supported does not list S256`;
    faults.push({ kind: "pkce-missing", at: metadataPlaces(issuer)[0]!, message });
  } catch (error) {
    const at = URL.canParse(issuer) ? metadataPlaces(issuer)[0]! : "authorization_servers";
    faults.push(faultOf(error, at, {}, "issuer-unusable"));
  }
}

function faultOf(
  error: unknown,
  at: string,
  kinds: Readonly<Partial<Record<AuthErrorCode, ServerFault["kind"]>>>,
  other: ServerFault["kind"],
): ServerFault {
  if (!(error instanceof AuthError)) throw error;
  const { code, message } = error;
  return { kind: kinds[code] ?? other, at, message };
}
