import type { JSONWebKeySet } from "jose";
import type { Claims, ServerRoute, TokenIssuer } from "../server/token-issuer.js";
import { AuthError, isUnavailable } from "../shared/errors.js";
import { jwksOf, verifyAccessToken } from "./access-token.js";
import { Stopped } from "./authorization-request.js";
import { authorize } from "./authorize.js";
import { callback } from "./callback.js";
import { consent } from "./consent.js";
import { documentCache } from "./document-cache.js";
import { UnredeemedLogins } from "./grants.js";
import { errorPage } from "./html.js";
import { type ProxyOptions, settingsOf } from "./options.js";
import { type Proxy, paths } from "./proxy.js";
import { register } from "./registration.js";
import { Refused, jsonResponse, preflightResponse, wrongMethod } from "./responses.js";
import { revoke } from "./revoke.js";
import { token } from "./token.js";
import { upstreamToken } from "./upstream-token.js";
import { UpstreamClient } from "./upstream.js";

/** An authorization server in front of another one, the upstream. `resourceServer` accepts it as an issuer. */
export interface OAuthProxy extends TokenIssuer {
  /** The endpoints. `resourceServer` also includes them in `http.routes`. */
  readonly routes: readonly ServerRoute[];
  /** Returns the public keys of the proxy's tokens. */
  jwks(): Promise<JSONWebKeySet>;
  /**
   * Verifies that an access token is of this proxy, for one of its resources, and neither expired nor revoked.
   *
   * @throws {AuthError} `auth-token-refused`
   */
  verify(token: string): Promise<Claims>;
  /**
   * Returns a token for the upstream, refreshed if it is about to expire; `context.auth.upstream()` calls it. It is never
   * the token of the client.
   *
   * @param claims of a verified access token
   * @throws {AuthError} `auth-needs-user`: the login has ended. `auth-unavailable`: the upstream cannot refresh now.
   *   `auth-refused`: the upstream refuses
   */
  upstream(claims: Claims): Promise<string>;
}

type Handler = (proxy: Proxy, request: Request) => Response | Promise<Response>;

/**
 * Makes an authorization server for an upstream without open registration. Clients register at the proxy, users consent
 * there and log in at the upstream, and clients get tokens of the proxy. Upstream tokens never leave the proxy.
 *
 * @throws {AuthError} `auth-options`
 */
export function oauthProxy(options: ProxyOptions): OAuthProxy {
  const settings = settingsOf(options);
  const proxy: Proxy = {
    settings,
    documents: documentCache(settings.fetchDocument, settings.clients.customSchemes),
    upstream: new UpstreamClient(settings.upstream, settings.issuer + paths.callback, settings.fetch),
    unredeemed: new UnredeemedLogins(),
  };
  return {
    issuer: settings.issuer,
    routes: routesOf(proxy),
    jwks: () => jwksOf(settings),
    verify: async (accessToken) => {
      const verified = await verifyAccessToken(settings, accessToken);
      if (verified) return verified.claims;
      throw new AuthError("auth-token-refused", "it is not valid here, has expired, or was revoked");
    },
    upstream: async ({ jti }) => upstreamToken(proxy, String(jti).split(".")[0]!),
  };
}

function routesOf(proxy: Proxy): readonly ServerRoute[] {
  const { path, clients } = proxy.settings;
  const route = (end: string, handle: (request: Request) => Promise<Response>): ServerRoute => ({
    path: path + end,
    handle,
  });
  const cacheable = { "cache-control": "public, max-age=300", pragma: "" };
  return [
    {
      path: `/.well-known/oauth-authorization-server${path}`,
      handle: document(() => jsonResponse(metadataOf(proxy), { headers: cacheable })),
    },
    route(
      paths.jwks,
      document(async () => jsonResponse(await jwksOf(proxy.settings), { headers: cacheable })),
    ),
    route(paths.authorize, withPages(proxy, "GET", authorize)),
    route(paths.consent, withPages(proxy, "POST", consent)),
    route(paths.callback, withPages(proxy, "GET", callback)),
    route(paths.token, withErrors(proxy, token)),
    route(paths.revoke, withErrors(proxy, revoke)),
    ...(clients.dcr === "sealed"
      ? [
          route(
            paths.register,
            withErrors(proxy, ({ settings }, request) => register(settings, request)),
          ),
        ]
      : []),
  ];
}

/** Wraps the handler of a public document, which pages of any origin may read. */
function document(answer: () => Response | Promise<Response>): (request: Request) => Promise<Response> {
  return async ({ method }) => {
    if (method === "OPTIONS") return preflightResponse("GET, HEAD");
    if (method !== "GET" && method !== "HEAD") return wrongMethod("GET, HEAD, OPTIONS");
    const response = await answer();
    return method === "GET" ? response : new Response(null, response);
  };
}

/** Wraps the handler of an endpoint for browsers: errors become pages. */
function withPages(proxy: Proxy, allow: string, handler: Handler): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== allow) return wrongMethod(allow);
    try {
      return await handler(proxy, request);
    } catch (error) {
      if (isUnavailable(error)) return busyPage(proxy, error);
      if (!(error instanceof Stopped)) throw error;
      proxy.settings.emit({ type: "refused", reason: error.message });
      return error.response;
    }
  };
}

/** Header for a request that found no room: seconds before it may be repeated. */
const retryAfter = { "retry-after": "5" };

function busyPage({ settings }: Proxy, error: Error): Response {
  settings.emit({ type: "refused", reason: error.message });
  const page = errorPage("A server is busy.", "Try again in some seconds.", undefined, 503);
  page.headers.set("retry-after", retryAfter["retry-after"]);
  return page;
}

/** Wraps the handler of an endpoint for clients: errors become JSON. */
function withErrors(proxy: Proxy, handler: Handler): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === "OPTIONS") return preflightResponse("POST");
    if (request.method !== "POST") return wrongMethod("POST, OPTIONS");
    try {
      return await handler(proxy, request);
    } catch (caught) {
      const error = isUnavailable(caught)
        ? new Refused("temporarily_unavailable", caught.message, { status: 503, headers: retryAfter })
        : caught;
      if (!(error instanceof Refused)) throw error;
      proxy.settings.emit({ type: "refused", reason: error.error });
      const { status, headers } = error;
      return jsonResponse({ error: error.error, error_description: error.message }, { status, headers });
    }
  };
}

/** Returns the metadata of the authorization server (RFC 8414). */
export function metadataOf({ settings }: Proxy): Readonly<Record<string, unknown>> {
  const { issuer, clients, scopes, documentation } = settings;
  const methods = [
    "none",
    "client_secret_basic",
    "client_secret_post",
    ...(clients.cimd ? ["private_key_jwt"] : []),
  ];
  const algorithms = clients.cimd && { token_endpoint_auth_signing_alg_values_supported: signing };
  return {
    issuer,
    authorization_endpoint: issuer + paths.authorize,
    token_endpoint: issuer + paths.token,
    ...(clients.dcr === "sealed" && { registration_endpoint: issuer + paths.register }),
    revocation_endpoint: issuer + paths.revoke,
    jwks_uri: issuer + paths.jwks,
    ...(documentation !== undefined && { service_documentation: documentation }),
    ...(scopes.size > 0 && { scopes_supported: [...scopes.keys()] }),
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: methods,
    ...algorithms,
    revocation_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: clients.cimd,
  };
}

const signing = ["ES256", "ES384", "RS256", "PS256", "EdDSA"];
