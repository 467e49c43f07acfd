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

/** The resource that a server is, and its authorization server. */
export interface Target {
  /** The value of the parameter `resource`; `undefined` at servers that are older than it. */
  readonly resource: string | undefined;
  readonly issuer: string;
  readonly scopes?: readonly string[] | undefined;
  /** Whether tokens must be bound to a key, or may be. */
  readonly dpop: "required" | "offered" | undefined;
}

/** What a refusal says about the authorization of a server. */
export interface Hint {
  /** Where the protected resource metadata is said to be, by each challenge: hints, which may be wrong. */
  readonly metadata: readonly string[];
  readonly dpop: boolean;
}

/** How an authorization server is chosen: by the application, else the one that it names, else the first. */
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
    // The application says what the metadata do not. Those of the server itself may say it later.
    if (options.issuer !== undefined && !isBusy && error instanceof AuthError) return undefined;
    throw error;
  });
  if (found) return targetOf(found.document, server, { ...options, dpop: hint.dpop, local: guard.local });
  if (hint.metadata.length === 0 || options.issuer !== undefined) return undefined;
  throw invalid(server, "the challenge names metadata that does not exist");
}

/** Hints that are followed: a server could name any number. */
const mostHints = 3;

/**
 * The protected resource metadata of a server: at the URLs of the challenges; where these are unusable, and without one, at the
 * well-known places (2026-07-28, protected resource metadata discovery requirements).
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
 * A document to which a hint led is used if it says who authorizes. One about another resource is, too: it ends the login.
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
 * What protected resource metadata says about a server.
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

/** Members of authorization server metadata (RFC 8414, 2) that the client reads; PKCE is judged where a login begins. */
const serverMembers: Members = {
  ...{ issuer: "text", scopes_supported: "texts" },
  ...{ token_endpoint_auth_methods_supported: "texts", dpop_signing_alg_values_supported: "texts" },
  ...{ authorization_response_iss_parameter_supported: "boolean" },
  ...{ client_id_metadata_document_supported: "boolean", grant_types_supported: "texts" },
};

/** @throws {AuthError} `auth-metadata-invalid`: a member is malformed, which might stand for something stricter than its absence */
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

/** Endpoints that the client uses: each must be safe. */
const endpoints = ["authorization", "token", "registration", "revocation", "device_authorization"];

/**
 * The metadata of an authorization server (RFC 8414; OpenID Connect Discovery 1.0).
 *
 * @throws {AuthError} `auth-issuer-mismatch`: the document is of another issuer, compared without normalization
 */
export async function discoverServer(
  issuer: string,
  guard: Guard,
  exceptions: FlowOptions["issuers"],
): Promise<KnownServer> {
  checkIssuer(issuer, guard.local);
  const found = await firstDocument(metadataPlaces(issuer), guard);
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

/** Both names in full, and the exception to write if they are right: an attacker's metadata looks the same. */
function otherIssuer(issuer: string, named: unknown): AuthError {
  const [one, other] = [issuerText(issuer), issuerText(named)];
  const isShown = other.startsWith('"');
  const text = `the metadata of the issuer ${one} names ${named === undefined ? "no issuer" : `another issuer, ${other}`}`;
  const way = `If you know that both are one authorization server, set issuers: { ${one}: { issuer: ${other} } }`;
  return new AuthError("auth-issuer-mismatch", isShown ? `${text}. ${way}` : text);
}

/**
 * The authorization server at the origin of an MCP server, with metadata or without (2025-03-26, server metadata
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

/** The target of a server without metadata, with an issuer that the application names. */
export function namedTarget(server: string, issuer: string, dpop: boolean): Target {
  return { resource: canonicalResource(server), issuer, dpop: dpop ? "offered" : undefined };
}

function invalid(at: string, text: string): AuthError {
  return new AuthError("auth-metadata-invalid", `${hostOf(at)}: ${text}`);
}
