// Protected servers of the official SDK 2, by its documentation: its gate, its metadata, its scope challenges, and a verifier of
// tokens, which it leaves to the application.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import {
  McpServer,
  OAuthError,
  OAuthErrorCode,
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  oauthMetadataResponse,
  requireBearerAuth,
  requireScopes,
} from "@modelcontextprotocol/server";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";

function makeServer() {
  const server = new McpServer({ name: "protected", version: "1" });
  const answer = (text) => ({ content: [{ type: "text", text }] });
  server.registerTool("echo", {}, () => answer("echoed"));
  const scopeChallenge = requireScopes("files:write", "files:read");
  server.registerTool("write", { scopeChallenge }, () => answer("written"));
  server.registerTool("whoami", {}, ({ http }) => answer(JSON.stringify(http?.authInfo)));
  return server;
}

/** A careful application's verifier: keys of known issuers, exact issuer, algorithms, audience. */
function verifierFor(resource, issuers) {
  const keys = new Map(issuers.map((issuer) => [issuer, createRemoteJWKSet(new URL(`${issuer}/jwks.json`))]));
  return {
    async verifyAccessToken(token) {
      try {
        const { iss } = decodeJwt(token);
        if (!keys.has(iss)) throw new Error("unknown issuer");
        const { payload } = await jwtVerify(token, keys.get(iss), { issuer: iss, algorithms: ["ES256"] });
        const isForUs = [payload.aud].flat().includes(resource);
        return {
          token,
          clientId: payload.client_id,
          scopes: (payload.scope ?? "").split(" "),
          expiresAt: payload.exp,
          ...(isForUs && { resource: new URL(resource) }),
        };
      } catch {
        throw new OAuthError(OAuthErrorCode.InvalidToken, "the token is not valid");
      }
    },
  };
}

/** @param mode `handler`, each request for itself, or `sessions` */
export function protectedSdk(mode, { resource, as, second }) {
  const gate = requireBearerAuth({
    verifier: verifierFor(resource, [as.issuer, second.issuer]),
    requiredScopes: ["mcp"],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(resource)),
    expectedResource: new URL(resource),
  });
  const metadata = {
    oauthMetadata: as.metadata(),
    resourceServerUrl: new URL(resource),
    scopesSupported: ["mcp"],
    dangerouslyAllowInsecureIssuerUrl: true,
  };
  const handler = createMcpHandler(() => makeServer());
  const sessions = new Map();
  return createServer(async (request, response) => {
    const web = webRequest(request);
    const wellKnown = oauthMetadataResponse(web, metadata);
    if (wellKnown) return send(response, wellKnown);
    const auth = await gate(web);
    if (auth instanceof Response) return send(response, auth);
    if (mode === "handler") {
      const body = request.method === "POST" ? { body: await bodyOf(request), duplex: "half" } : {};
      const { url, method, headers } = web;
      return send(
        response,
        await handler.fetch(new Request(url, { method, headers, ...body }), { authInfo: auth }),
      );
    }
    request.auth = auth;
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (!transport) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await makeServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
}

function webRequest({ url, method, headers }) {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return new Request(`http://${headers.host}${url}`, { method, headers: entries });
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function send(response, answer) {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}
