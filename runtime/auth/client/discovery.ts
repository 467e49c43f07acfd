import type { AuthorizationServer } from "oauth4webapi";
import { malformedMember, type Members, withoutNulls } from "@mcpgen/base";
import { AuthError, isUnavailable } from "../shared/errors.js";
import {
  type FoundDocument,
  type Guard,
  type Search,
  fetchDocument,
  firstDocument,
} from "../shared/guarded-fetch.js";
import {
  canonicalResource,
  endpointUrl,
  hostOf,
  issuerText,
  metadataPlaces,
  resourceCovers,
  resourcePlaces,
  wellKnown,
} from "../shared/urls.js";
import { type KnownServer, issuerNames, knownServer } from "./issuer-names.js";
import type { FlowOptions } from "./options.js";

/** The resource identifier of an MCP server, and its authorization server. */
export interface Target {
  /** The value of the parameter `resource`; `undefined` for servers of revisions before this parameter. */
  readonly resource: string | undefined;
  readonly issuer: string;
  readonly scopes?: readonly string[] | undefined;
  /** Whether tokens must or may be bound to a key. */
  readonly dpop: "required" | "offered" | undefined;
}

/** Information in a 401 response about the authorization of a server. */
export interface Hint {
  /** URLs of the protected resource metadata in the challenges. They may be wrong. */
  readonly metadata: readonly string[];
  readonly dpop: boolean;
}

/** How to choose the authorization server: by `chooseIssuer`, else `issuer`, else the first in the metadata. */
type Choice = Pick<FlowOptions, "chooseIssuer"> & { readonly issuer?: string | undefined };

/**
 * Finds the protected resource metadata of a server, and chooses the authorization server (2026-07-28, authorization
 * server discovery; RFC 9728).
 *
 * @returns `undefined` if the server has no metadata
 * @throws {AuthError}
 */
export async function discoverResource(
  server: string,
  hint: Hint,
  options: Choice,
  guard: Guard,
): Promise<Target | undefined> {
  const own = resourcePlaces(server);
  let isBusy = false;
  const found = await findResourceMetadata(server, hint.metadata, guard, (place, fault) => {
    isBusy ||= isUnavailable(fault) && own.includes(place);
  }).catch((error: unknown) => {
    // If the application names the issuer, unusable metadata is ignored, unless the server's own metadata is only
    // unavailable now.
    if (options.issuer !== undefined && !isBusy && error instanceof AuthError) return undefined;
    throw error;
  });
  if (found) return targetOf(found.document, server, { ...options, dpop: hint.dpop, local: guard.local });
  if (hint.metadata.length === 0 || options.issuer !== undefined) return undefined;
  throw invalid(server, "the challenge names metadata that does not exist");
}

/** Maximum number of hints that are followed, because a server could name any number. */
const mostHints = 3;

/**
 * Finds the protected resource metadata of a server: at the URLs of the challenges, or else at the well-known URLs
 * (2026-07-28, protected resource metadata discovery requirements).
 *
 * @param missed as for `firstDocument`
 * @throws {AuthError}
 */
export function findResourceMetadata(
  server: string,
  hints: readonly string[],
  guard: Guard,
  missed?: Search["missed"],
): Promise<FoundDocument | undefined> {
  const own = resourcePlaces(server);
  const places = [...new Set([...hints.slice(0, mostHints), ...own])];
  return firstDocument(places, guard, {
    isHint: (place) => !own.includes(place),
    check: (document) => checkHinted(document, server),
    ...(missed && { missed }),
  });
}

/**
 * Checks the document at a hint. It is usable if it names a resource and authorization servers. A document about another
 * resource is used, too, because it must end the login.
 *
 * @throws {AuthError} `auth-metadata-invalid`
 */
function checkHinted(document: FoundDocument["document"], server: string): void {
  const { resource, authorization_servers: issuers } = judged(document, resourceMembers, server);
  const isForeign = resource !== undefined && !resourceCovers(resource, server);
  if (isForeign || (resource !== undefined && issuers?.length)) return;
  throw invalid(server, "the challenge names metadata without a resource or authorization_servers");
}

/**
 * Reads protected resource metadata, and chooses the authorization server.
 *
 * @throws {AuthError} `auth-resource-mismatch`, `auth-metadata-invalid`, `auth-metadata-unsafe`
 */
export function targetOf(
  document: Readonly<Record<string, unknown>>,
  server: string,
  { issuer: named, chooseIssuer, dpop, local }: Choice & Pick<Hint, "dpop"> & { readonly local: boolean },
): Target {
  const known = judged(document, resourceMembers, server);
  const { resource, authorization_servers: issuers, scopes_supported: scopes } = known;
  if (!resourceCovers(resource, server)) {
    const text = `${issuerText(server)}: its metadata describes another resource, ${issuerText(resource)}, so no token is asked for`;
    throw new AuthError("auth-resource-mismatch", text);
  }
  if (!issuers || issuers.length === 0) throw invalid(server, "authorization_servers is missing or empty");
  const preferred = named !== undefined && issuers.includes(named) ? named : issuers[0]!;
  const issuer = chooseIssuer?.(issuers) ?? preferred;
  checkIssuer(issuer, local);
  return {
    resource,
    issuer,
    scopes,
    dpop: known.dpop_bound_access_tokens_required
      ? "required"
      : dpop || known.dpop_signing_alg_values_supported
        ? "offered"
        : undefined,
  };
}

/** Members of protected resource metadata (RFC 9728, 2) that decide where credentials go, and how they are bound. */
const resourceMembers: Members = {
  ...{ resource: "text", authorization_servers: "texts", scopes_supported: "texts" },
  ...{ dpop_bound_access_tokens_required: "boolean", dpop_signing_alg_values_supported: "texts" },
};

/** Members of authorization server metadata (RFC 8414, 2) that the client reads. PKCE is checked when a login begins. */
const serverMembers: Members = {
  ...{ issuer: "text", scopes_supported: "texts" },
  ...{ token_endpoint_auth_methods_supported: "texts", dpop_signing_alg_values_supported: "texts" },
  ...{ authorization_response_iss_parameter_supported: "boolean" },
  ...{ client_id_metadata_document_supported: "boolean", grant_types_supported: "texts" },
};

/**
 * @throws {AuthError} `auth-metadata-invalid`: a member is malformed. It must not count as absent, because that may be
 *   less strict
 */
function judged(
  document: Readonly<Record<string, unknown>>,
  members: Members,
  at: string,
): Readonly<Record<string, unknown>> & JudgedMembers {
  const present = withoutNulls(document);
  const problem = malformedMember(present, members);
  if (problem !== undefined) throw invalid(at, `its metadata is malformed: ${problem}`);
  return present as Readonly<Record<string, unknown>> & JudgedMembers;
}

interface JudgedMembers {
  readonly authorization_servers?: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly dpop_bound_access_tokens_required?: boolean;
  readonly dpop_signing_alg_values_supported?: readonly string[];
}

function checkIssuer(issuer: string, local: boolean): void {
  if (endpointUrl(issuer, local)?.search === "") return;
  const text = `the issuer ${issuerText(issuer)} is not an https URL without query and fragment`;
  throw new AuthError("auth-metadata-unsafe", text);
}

/** Endpoints that the client uses; each must have a safe URL. */
const endpoints = ["authorization", "token", "registration", "revocation", "device_authorization"];

/**
 * Reads the metadata of an authorization server (RFC 8414; OpenID Connect Discovery 1.0).
 *
 * @throws {AuthError} `auth-issuer-mismatch`: the document names another issuer, compared as text; `auth-unavailable`: the
 *   issuer does not answer now
 */
export async function discoverServer(
  issuer: string,
  guard: Guard,
  exceptions: FlowOptions["issuers"],
): Promise<KnownServer> {
  checkIssuer(issuer, guard.local);
  const found = await firstDocument(metadataPlaces(issuer), guard).catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
    const text = `the metadata of the issuer ${issuerText(issuer)} cannot be read: ${error.message}`;
    throw new AuthError("auth-unavailable", text, { cause: error.cause });
  });
  if (found) return checkedServer(found.document, issuer, guard.local, exceptions);
  throw invalid(issuer, "there is no metadata of an authorization server");
}

function checkedServer(
  found: Readonly<Record<string, unknown>>,
  issuer: string,
  local: boolean,
  exceptions: FlowOptions["issuers"],
): KnownServer {
  const document = judged(found, serverMembers, issuer);
  const named = document["issuer"];
  const names = issuerNames(issuer, exceptions);
  if (typeof named !== "string" || !names.includes(named)) throw otherIssuer(issuer, named);
  for (const name of endpoints) {
    const value = document[`${name}_endpoint`];
    if (value === undefined || endpointUrl(value, local)) continue;
    const text = `${hostOf(issuer)}: ${name}_endpoint is not an https URL`;
    throw new AuthError("auth-metadata-unsafe", text);
  }
  if (document["token_endpoint"] === undefined) throw invalid(issuer, "token_endpoint is missing");
  return knownServer(document as object as AuthorizationServer, issuer, names);
}

/**
 * Makes the error for another issuer. It shows both names in full, and the exception to write if they are right: metadata
 * of an attacker would look the same.
 */
function otherIssuer(issuer: string, named: unknown): AuthError {
  const [one, other] = [issuerText(issuer), issuerText(named)];
  const isShown = other.startsWith('"');
  const text = `the metadata of the issuer ${one} names ${named === undefined ? "no issuer" : `another issuer, ${other}`}`;
  const way = `If you know that both are one authorization server, set issuers: { ${one}: { issuer: ${other} } }`;
  return new AuthError("auth-issuer-mismatch", isShown ? `${text}. ${way}` : text);
}

/**
 * Finds the authorization server at the origin of an MCP server, with or without metadata (2025-03-26, server metadata
 * discovery).
 */
export async function discoverLegacy(
  server: string,
  revision: string,
  guard: Guard,
  exceptions: FlowOptions["issuers"],
): Promise<KnownServer> {
  const { origin } = new URL(server);
  const place = wellKnown(origin, "oauth-authorization-server");
  const document = await fetchDocument(place, guard, { "MCP-Protocol-Version": revision });
  if (document) return checkedServer(document, origin, guard.local, exceptions);
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ["S256"],
  };
}

/** Makes the target of a server without metadata, with the issuer that the application names. */
export function namedTarget(server: string, issuer: string, dpop: boolean): Target {
  return { resource: canonicalResource(server), issuer, dpop: dpop ? "offered" : undefined };
}

function invalid(at: string, text: string): AuthError {
  return new AuthError("auth-metadata-invalid", `${hostOf(at)}: ${text}`);
}
