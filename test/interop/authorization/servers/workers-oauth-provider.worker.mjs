// @cloudflare/workers-oauth-provider as authorization server, and a server of ours behind resourceServer(), in one worker.
import { OAuthAuthorizationServer } from "@cloudflare/workers-oauth-provider";
import { AuthError, resourceServer } from "@mcpgen/auth/server";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { protectedTools } from "../protected-tools.mjs";

/** The consent page, which applications of this package have to write themselves. */
async function authorize(request, oauth) {
  if (request.method === "GET") {
    const { handle, headers } = await oauth.beginConsent(await oauth.parseAuthRequest(request));
    headers.set("content-type", "text/html");
    const field = `<input type="hidden" name="handle" value="${handle}">`;
    return new Response(`<form method="post">${field}<button>Allow</button></form>`, { headers });
  }
  const handle = (await request.formData()).get("handle");
  const { request: asked, headers } = await oauth.approveConsent(request, handle);
  const { scope } = asked;
  const facts = { request: asked, userId: "ada", metadata: {}, scope, props: {} };
  headers.set("location", (await oauth.completeAuthorization(facts)).redirectTo);
  return new Response(null, { status: 302, headers });
}

/** Tokens that the package verifies itself: no endpoint for introspection is needed. */
function issuerOf(server, issuer, resource, env) {
  return {
    issuer,
    opaque: true,
    async verify(token) {
      const found = await server.validateToken(resource, token, env);
      if (!found) throw new AuthError("auth-token-refused", "its issuer does not know it");
      const { userId: sub, clientId, scope, audience: aud, expiresAt: exp } = found;
      return { iss: issuer, sub, client_id: clientId, scope: scope.join(" "), aud, exp };
    },
  };
}

// What belongs to a request of a worker must not be used by another one: all is made for each.
// oxlint-disable-next-line import/no-default-export -- it is how workers are found
export default {
  async fetch(request, env, ctx) {
    const { origin, pathname } = new URL(request.url);
    const resource = `${origin}/mcp`;
    const server = new OAuthAuthorizationServer({
      issuer: origin,
      resources: [resource],
      clientRegistrationEndpoint: "/register",
      scopesSupported: ["mcp", "files:write", "offline_access"],
    });
    if (pathname === "/authorize") return authorize(request, server.getOAuthApi(env));
    const auth = resourceServer({
      resource,
      issuers: [issuerOf(server, origin, resource, env)],
      scopes: { required: ["mcp"] },
    });
    const handler = createHttpHandler(protectedTools(), { ...auth.http, sessions: false });
    const ours = pathname === "/mcp" || handler.routes.includes(pathname);
    return ours ? handler.fetch(request) : server.fetch(request, env, ctx);
  },
};
