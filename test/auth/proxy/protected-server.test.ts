import { type AuthInfo, resourceServer } from "@mcpgen/auth/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { expect, test } from "vitest";
import { authorizationUrl, issuer, Proxied, resource, type TestClient } from "./proxied.js";

/** A server that a proxy protects, as a worker runs it. */
function protectedServer() {
  const proxied = new Proxied();
  const auth = resourceServer({ resource, issuers: [proxied.proxy], scopes: { required: ["gist"] } });
  const server = createServer({ name: "notes", version: "1.0.0" }, { revisions: serverRevisions });
  server.tool("whoami", {}, async (_, context) => {
    const { subject, upstream, claims } = context.auth as AuthInfo;
    const token = await upstream!();
    return JSON.stringify({ subject, login: proxied.upstream.tokens.get(token)?.login, claims });
  });
  const handler = createHttpHandler(server, auth.http);
  const call = (token?: string): Promise<Response> =>
    handler.fetch(
      new Request(resource, {
        method: "POST",
        headers: {
          ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
          ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "whoami" },
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({
          ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
          params: {
            name: "whoami",
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
              "io.modelcontextprotocol/clientCapabilities": {},
            },
          },
        }),
      }),
    );
  return { proxied, handler, call };
}

test("from the first 401 to the call: the tool calls the upstream with the token of the user", async () => {
  const { proxied, handler, call } = protectedServer();
  const challenge = (await call()).headers.get("www-authenticate")!;
  const [, metadataUrl] = /resource_metadata="([^"]+)"/.exec(challenge)!;
  const metadata = (await (await handler.fetch(new Request(metadataUrl!))).json()) as Record<
    string,
    string[]
  >;
  expect(metadata["authorization_servers"]).toEqual([issuer]);
  const discovered = await handler.fetch(new Request(`${issuer}/.well-known/oauth-authorization-server`));
  expect(await discovered.json()).toMatchObject({ issuer });
  const registered = await handler.fetch(
    new Request(`${issuer}/register`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: "https://app.example.net" },
      body: JSON.stringify({
        redirect_uris: ["https://app.example.net/cb"],
        token_endpoint_auth_method: "none",
      }),
    }),
  );
  const { client_id: id } = (await registered.json()) as { client_id: string };
  const client: TestClient = { id, method: "none", redirectUri: "https://app.example.net/cb" };
  const page = await handler.fetch(new Request(authorizationUrl(client, "v".repeat(43))));
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  const { access_token: token } = await proxied.tokens(client);
  const answer = await (await call(token)).text();
  expect(answer).toContain('\\"login\\":\\"ada\\"');
  expect(answer).toContain('\\"subject\\":\\"17\\"');
  expect([...proxied.upstream.secrets, token].filter((secret) => answer.includes(secret))).toEqual([]);
});

test("the server refuses the token of the upstream, and a token for another scope", async () => {
  const { proxied, call } = protectedServer();
  const client = await proxied.register();
  const { access_token: narrow } = await proxied.tokens(client, { scope: "repo" });
  expect((await call(narrow)).status).toBe(403);
  const [upstreamToken] = proxied.upstream.tokens.keys();
  expect((await call(upstreamToken)).status).toBe(401);
});
