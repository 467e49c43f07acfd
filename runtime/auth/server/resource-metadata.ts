/** A route of the HTTP server (`routes` of its options). */
export interface MetadataRoute {
  readonly path: string;
  handle(request: Request): Response;
}

const wellKnown = "/.well-known/oauth-protected-resource";

/** The URL of the metadata of a resource: the well-known path stands before the resource's own (RFC 9728, 3.1). */
export function metadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return origin + pathOf(pathname) + search;
}

function pathOf(pathname: string): string {
  return wellKnown + (pathname === "/" ? "" : pathname);
}

/**
 * The routes of the metadata: with the path of the resource, and at the root of the origin. Pages of any origin may read
 * them, and caches keep them.
 */
export function metadataRoutes(resource: string, document: object): MetadataRoute[] {
  const text = JSON.stringify(document);
  const handle = (request: Request): Response => answer(request.method, text);
  const paths = new Set([pathOf(new URL(resource).pathname), wellKnown]);
  return [...paths].map((path) => ({ path, handle }));
}

const methods = "GET, HEAD, OPTIONS";

/** Clients in browsers send the header of the revision. */
const cors = { "access-control-allow-origin": "*" };

function answer(method: string, text: string): Response {
  if (method === "OPTIONS") {
    const allowed = { "access-control-allow-methods": methods, "access-control-allow-headers": "*" };
    return new Response(null, {
      status: 204,
      headers: { ...cors, ...allowed, "access-control-max-age": "86400" },
    });
  }
  if (method !== "GET" && method !== "HEAD")
    return new Response(null, { status: 405, headers: { ...cors, allow: methods } });
  const headers = {
    ...cors,
    "content-type": "application/json",
    "content-length": String(new TextEncoder().encode(text).length),
    "cache-control": "public, max-age=3600",
  };
  return new Response(method === "HEAD" ? null : text, { headers });
}

/** The parameters of a challenge, in the order in which they are written. */
export interface ChallengeFacts {
  /** RFC 6750, 3.1. Absent if no token was sent. */
  readonly error?: string;
  /** Why, in words of our own: no text of a token or an issuer. */
  readonly description?: string;
  readonly scopes: readonly string[];
  /** URL of the protected resource metadata. */
  readonly metadata: string;
  /** Algorithms of DPoP proofs, if those are accepted. */
  readonly proofs?: readonly string[];
}

/** Bytes of the longest list of scopes in a challenge: clients and proxies limit headers. */
export const mostScopeText = 2048;

/** A challenge (RFC 9110, 11.6.1; RFC 9728, 5.1). */
export function challengeText(scheme: "Bearer" | "DPoP", facts: ChallengeFacts): string {
  const { error, description, scopes, metadata, proofs } = facts;
  const parameters = {
    error,
    error_description: description,
    algs: scheme === "DPoP" ? proofs?.join(" ") : undefined,
    scope: scopes.length > 0 ? scopes.join(" ") : undefined,
    resource_metadata: metadata,
  };
  const texts = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}="${value.replace(/["\\]/g, "\\$&")}"`,
  );
  return `${scheme} ${texts.join(", ")}`;
}
