import type { AuthorizationServer } from "oauth4webapi";
import { AuthError } from "../shared/errors.js";
import { type Guard, fetchDocument } from "../shared/guarded-fetch.js";
import { metadataPlaces } from "../shared/metadata-places.js";
import { canonicalResource, endpointUrl, hostOf, resourceCovers, wellKnown } from "../shared/urls.js";
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
  readonly metadata?: string | undefined;
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
  const places =
    hint.metadata === undefined
      ? [...new Set([true, false].map((path) => wellKnown(server, "oauth-protected-resource", path)))]
      : [hint.metadata];
  for (const place of places) {
    const document = await fetchDocument(place, guard);
    if (document) return targetOf(document, server, hint, options, guard.local);
  }
  if (hint.metadata === undefined) return undefined;
  throw invalid(server, "the challenge names metadata that does not exist");
}

/**
 * What protected resource metadata says about a server.
 *
 * @throws {AuthError} `auth-resource-mismatch`, `auth-metadata-invalid`, `auth-metadata-unsafe`
 */
export function targetOf(
  document: Readonly<Record<string, unknown>>,
  server: string,
  hint: Hint,
  { issuer: named, chooseIssuer }: Choice,
  local: boolean,
): Target {
  const { resource, authorization_servers: issuers, scopes_supported: scopes } = document;
  if (!resourceCovers(resource, server)) {
    const text = `${hostOf(server)}: its metadata describes another resource (${hostOf(resource)}), so no token is asked for`;
    throw new AuthError("auth-resource-mismatch", text);
  }
  const isText = (value: unknown): value is string => typeof value === "string";
  if (!Array.isArray(issuers) || issuers.length === 0 || !issuers.every(isText))
    throw invalid(server, "authorization_servers is missing or empty");
  const preferred = named !== undefined && issuers.includes(named) ? named : issuers[0]!;
  const issuer = chooseIssuer?.(issuers) ?? preferred;
  checkIssuer(issuer, local);
  return {
    resource,
    issuer,
    scopes: Array.isArray(scopes) ? scopes.filter(isText) : undefined,
    dpop:
      document["dpop_bound_access_tokens_required"] === true
        ? "required"
        : hint.dpop || Array.isArray(document["dpop_signing_alg_values_supported"])
          ? "offered"
          : undefined,
  };
}

function checkIssuer(issuer: string, local: boolean): void {
  if (endpointUrl(issuer, local)?.search === "") return;
  const text = `the issuer ${hostOf(issuer)} is not an https URL without query and fragment`;
  throw new AuthError("auth-metadata-unsafe", text);
}

/** Endpoints that the client uses: each must be safe. */
const endpoints = ["authorization", "token", "registration", "revocation", "device_authorization"];

/**
 * The metadata of an authorization server (RFC 8414; OpenID Connect Discovery 1.0).
 *
 * @throws {AuthError} `auth-issuer-mismatch`: the document is of another issuer, compared without normalization
 */
export async function discoverServer(issuer: string, guard: Guard): Promise<AuthorizationServer> {
  checkIssuer(issuer, guard.local);
  for (const place of metadataPlaces(issuer)) {
    const document = await fetchDocument(place, guard);
    if (document) return checkedServer(document, issuer, guard.local);
  }
  throw invalid(issuer, "there is no metadata of an authorization server");
}

function checkedServer(
  document: Readonly<Record<string, unknown>>,
  issuer: string,
  local: boolean,
): AuthorizationServer {
  if (document["issuer"] !== issuer) {
    const text = `the metadata of the issuer ${hostOf(issuer)} names another issuer (${hostOf(document["issuer"])})`;
    throw new AuthError("auth-issuer-mismatch", text);
  }
  for (const name of endpoints) {
    const value = document[`${name}_endpoint`];
    if (value === undefined || endpointUrl(value, local)) continue;
    const text = `${hostOf(issuer)}: ${name}_endpoint is not an https URL`;
    throw new AuthError("auth-metadata-unsafe", text);
  }
  if (document["token_endpoint"] === undefined) throw invalid(issuer, "token_endpoint is missing");
  return document as AuthorizationServer;
}

/**
 * The authorization server at the origin of an MCP server, with metadata or without (2025-03-26, server metadata
 * discovery).
 */
export async function discoverLegacy(
  server: string,
  revision: string,
  guard: Guard,
): Promise<AuthorizationServer> {
  const { origin } = new URL(server);
  const place = wellKnown(origin, "oauth-authorization-server");
  const document = await fetchDocument(place, guard, { "MCP-Protocol-Version": revision });
  if (document) return checkedServer(document, origin, guard.local);
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
