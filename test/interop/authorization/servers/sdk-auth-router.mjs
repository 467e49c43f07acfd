// An authorization server and a protected server of the official SDK, version 1: its mcpAuthRouter(), with a provider that keeps all in
// memory, and its requireBearerAuth(). SDK=legacy takes the copy of the router that belongs to version 2.
import { randomUUID } from "node:crypto";
import express from "express";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { serveAt } from "./listening.mjs";

const {
  mcpAuthRouter,
  requireBearerAuth,
  InvalidGrantError,
  InvalidTokenError,
  getOAuthProtectedResourceMetadataUrl,
} =
  process.env.SDK === "legacy"
    ? await import("@modelcontextprotocol/server-legacy/auth")
    : {
        ...(await import("@modelcontextprotocol/sdk/server/auth/router.js")),
        ...(await import("@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js")),
        ...(await import("@modelcontextprotocol/sdk/server/auth/errors.js")),
      };

/** An OAuthServerProvider: tokens are random texts, refresh tokens are used once. */
class MemoryProvider {
  #clients = new Map();
  #codes = new Map();
  #tokens = new Map();
  clientsStore = {
    getClient: (id) => this.#clients.get(id),
    registerClient: (client) => (this.#clients.set(client.client_id, client), client),
  };

  constructor(resource) {
    this.resource = resource;
  }

  async authorize(client, params, response) {
    const id = randomUUID();
    this.#codes.set(id, { client: client.client_id, ...params });
    response.send(
      `<form method="post" action="/consent"><input type="hidden" name="id" value="${id}"><button>Allow</button></form>`,
    );
  }

  consented(id) {
    const { redirectUri, state, issuer } = this.#codes.get(id);
    const target = new URL(redirectUri);
    target.searchParams.set("code", id);
    if (state !== undefined) target.searchParams.set("state", state);
    // Version 2 announces that responses contain `iss` (RFC 9207), but the provider has to send it.
    if (issuer !== undefined) target.searchParams.set("iss", issuer);
    return target.href;
  }

  async challengeForAuthorizationCode(_, code) {
    if (!this.#codes.has(code)) throw new InvalidGrantError("no such code");
    return this.#codes.get(code).codeChallenge;
  }

  async exchangeAuthorizationCode(client, code, _verifier, _redirect, resource) {
    const { scopes } = this.#codes.get(code);
    this.#codes.delete(code);
    return this.#issue(client, scopes, resource);
  }

  async exchangeRefreshToken(client, token, _scopes, resource) {
    const found = this.#tokens.get(token);
    if (!found || found.kind !== "refresh") throw new InvalidGrantError("no such refresh token");
    this.#tokens.delete(token);
    return this.#issue(client, found.scopes, resource);
  }

  #issue(client, scopes = [], resource) {
    const [access, refresh] = [randomUUID(), randomUUID()];
    const facts = {
      clientId: client.client_id,
      scopes,
      resource,
      expiresAt: Math.floor(Date.now() / 1000) + 600,
    };
    this.#tokens.set(access, { kind: "access", ...facts });
    this.#tokens.set(refresh, { kind: "refresh", ...facts });
    return {
      ...{ access_token: access, refresh_token: refresh },
      ...{ token_type: "bearer", expires_in: 600, scope: scopes.join(" ") },
    };
  }

  async verifyAccessToken(token) {
    const found = this.#tokens.get(token);
    if (found?.kind !== "access" || found.resource?.href !== this.resource.href)
      throw new InvalidTokenError("no such token");
    return { token, ...found };
  }

  async revokeToken(_, { token }) {
    this.#tokens.delete(token);
  }
}

async function answer(request, response) {
  const server = new McpServer({ name: "protected", version: "1" });
  server.registerTool("whoami", {}, ({ authInfo: { clientId, scopes } }) => ({
    content: [{ type: "text", text: JSON.stringify({ clientId, scopes }) }],
  }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
}

await serveAt((origin) => {
  const resource = new URL("/mcp", origin);
  const provider = new MemoryProvider(resource);
  const app = express();
  const limits = { rateLimit: false };
  app.use(
    mcpAuthRouter({
      provider,
      issuerUrl: new URL(origin),
      resourceServerUrl: resource,
      scopesSupported: ["mcp"],
      authorizationOptions: limits,
      tokenOptions: limits,
      clientRegistrationOptions: limits,
      revocationOptions: limits,
    }),
  );
  app.post("/consent", express.urlencoded({ extended: false }), (request, response) =>
    response.redirect(provider.consented(request.body.id)),
  );
  const gate = requireBearerAuth({
    verifier: provider,
    requiredScopes: ["mcp"],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource),
  });
  app.all("/mcp", gate, express.json(), (request, response, next) => {
    answer(request, response).catch(next);
  });
  return app;
});
