/** A route of the HTTP server (`routes` of its options). */
export interface MetadataRoute {
  readonly path: string;
  handle(request: Request): Response;
}

const wellKnown = "/.well-known/oauth-protected-resource";

/** Returns the URL of a resource's metadata: the well-known path precedes the resource's path (RFC 9728, 3.1). */
export function metadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return origin + pathOf(pathname) + search;
}

function pathOf(pathname: string): string {
  return wellKnown + (pathname === "/" ? "" : pathname);
}

/**
 * Returns the routes of the metadata: one with the path of the resource, one at the root of the origin. Pages of any
 * origin may read them, and caches may store them.
 */
export function metadataRoutes(resource: string, document: object): MetadataRoute[] {
  const text = JSON.stringify(document);
  const handle = (request: Request): Response => answer(request.method, text);
  const paths = new Set([pathOf(new URL(resource).pathname), wellKnown]);
  return [...paths].map((path) => ({ path, handle }));
}

const methods = "GET, HEAD, OPTIONS";

/** Clients in browsers send the header `MCP-Protocol-Version`. */
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

/** The parameters of a challenge, in the order of output. */
export interface ChallengeFacts {
  /** Error code (RFC 6750, 3.1); absent if no token was sent. */
  readonly error?: string;
  /** The reason. Contains no text of a token or an issuer. */
  readonly description?: string;
  readonly scopes: readonly string[];
  /** URL of the protected resource metadata. */
  readonly metadata: string;
  /** Accepted algorithms of DPoP proofs; absent if proofs are not accepted. */
  readonly proofs?: readonly string[];
}

/** Maximum length of the list of scopes in a challenge in bytes, because clients and proxies limit headers. */
export const mostScopeText = 2048;

/** Formats a challenge (RFC 9110, 11.6.1; RFC 9728, 5.1). */
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
