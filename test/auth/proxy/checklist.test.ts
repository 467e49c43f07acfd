import { describe, expect, test } from "vitest";
import { authorizationUrl, issuer, type Params, Proxied, redirectUri, resource } from "./proxied.js";

// The requirements on an authorization server of MCP, at each revision: clients of 2025-03-26 send no resource.

const verifier = "v".repeat(43);
const json = async (response: Response) => (await response.json()) as Record<string, unknown>;
const metadata = async (proxied: Proxied) =>
  json(await proxied.ask("/.well-known/oauth-authorization-server"));
const known = [
  { id: "known", name: "Known client", secret: "a secret of the known client", redirectUris: [redirectUri] },
];
const knownClient = { id: "known", secret: known[0]!.secret, method: "client_secret_basic", redirectUri };
const scopes = { "mcp:read": ["repo"], "mcp:write": ["gist"] };

describe.each<[string, Params]>([
  ["2025-03-26", { resource: undefined }],
  ["2025-06-18 and later", {}],
])("%s", (_, params) => {
  test("metadata (RFC 8414) list the supported features", async () => {
    const response = await new Proxied().ask("/.well-known/oauth-authorization-server");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await json(response)).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      jwks_uri: `${issuer}/jwks.json`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      token_endpoint_auth_methods_supported: expect.arrayContaining([
        "none",
        "client_secret_basic",
      ]) as unknown,
    });
  });

  test("a public client logs in with S256", async () => {
    const proxied = new Proxied({ scopes });
    const client = await proxied.register();
    const login = await proxied.login(client, { scope: "mcp:read", ...params });
    expect([...login.end.url.searchParams.keys()].toSorted()).toEqual(["code", "iss", "state"]);
    const response = await proxied.redeem(client, login, params);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("pragma")).toBe("no-cache");
    const tokens = await json(response);
    expect(tokens).toMatchObject({ token_type: "Bearer", scope: "mcp:read" });
    expect(tokens["expires_in"]).toBeGreaterThan(0);
    expect(await proxied.proxy.verify(String(tokens["access_token"]))).toMatchObject({ aud: resource });
  });

  test.each<Params>([
    { code_challenge: undefined, code_challenge_method: undefined },
    { code_challenge_method: "plain" },
    { code_challenge_method: undefined },
    { code_challenge_method: "S512" },
  ])("PKCE with %o is refused", async (change) => {
    const proxied = new Proxied();
    const url = authorizationUrl(await proxied.register(), verifier, { ...params, ...change });
    const { response } = await proxied.browser().open(url);
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });

  test("another verifier is refused, and the code is not consumed", async () => {
    const proxied = new Proxied();
    const client = await proxied.register();
    const login = await proxied.login(client, params);
    const refused = await proxied.redeem(client, login, { ...params, code_verifier: "w".repeat(50) });
    expect([refused.status, refused.headers.get("cache-control")]).toEqual([400, "no-store"]);
    expect(await json(refused)).toMatchObject({ error: "invalid_grant" });
    expect((await proxied.redeem(client, login, params)).status).toBe(200);
  });

  test("neither an unknown client nor an unregistered redirect URI is redirected", async () => {
    const proxied = new Proxied();
    const client = await proxied.register();
    for (const change of [{ client_id: "unknown-client" }, { redirect_uri: "https://attacker.example/cb" }]) {
      const url = authorizationUrl(client, verifier, { ...params, ...change });
      const { response } = await proxied.browser().open(url);
      expect([response.status, response.headers.get("location")]).toEqual([400, null]);
    }
  });

  test("a wrong secret is 401 invalid_client with a challenge, and does not consume the code", async () => {
    const proxied = new Proxied();
    const client = await proxied.register({ token_endpoint_auth_method: "client_secret_basic" });
    const login = await proxied.login(client, params);
    const refused = await proxied.redeem({ ...client, secret: "not-the-client-secret" }, login, params);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toBe('Basic realm="OAuth"');
    expect(await json(refused)).toMatchObject({ error: "invalid_client" });
    expect((await proxied.redeem(client, login, params)).status).toBe(200);
  });

  test.each([
    ["client_secret_basic", "client_secret_post"],
    ["client_secret_post", "client_secret_basic"],
    ["none", "client_secret_basic"],
    ["none", "client_secret_post"],
  ])("a client that registered %s does not authenticate by %s", async (registered, presented) => {
    const proxied = new Proxied();
    const client = await proxied.register({ token_endpoint_auth_method: registered });
    const login = await proxied.login(client, params);
    const other = { ...client, secret: client.secret ?? "a secret that was never issued", method: presented };
    const refused = await proxied.redeem(other, login, params);
    const challenge = presented === "client_secret_basic" ? 'Basic realm="OAuth"' : null;
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, challenge]);
    expect((await proxied.redeem(client, login, params)).status).toBe(200);
  });

  test("a client that registers for a secret gets one, and uses it", async () => {
    for (const method of ["client_secret_basic", "client_secret_post"]) {
      const proxied = new Proxied();
      const client = await proxied.register({ token_endpoint_auth_method: method });
      expect(client.secret).toBeDefined();
      expect((await proxied.redeem(client, await proxied.login(client, params), params)).status).toBe(200);
    }
  });

  test("registration with unsupported values is refused", async () => {
    const response = await new Proxied().registration({
      redirect_uris: [redirectUri],
      grant_types: ["password"],
      response_types: [],
      token_endpoint_auth_method: "private_key_jwt",
    });
    expect([response.status, response.headers.get("cache-control")]).toEqual([400, "no-store"]);
    expect(await json(response)).toMatchObject({ error: "invalid_client_metadata" });
  });

  test("a registration is answered with the registered values", async () => {
    const asked = {
      client_name: "Agent",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
    const registered = await json(await new Proxied().registration({ ...asked, software_id: "ignored" }));
    expect(registered).toMatchObject(asked);
    expect(Object.keys(registered)).not.toContain("client_secret");
    expect(Object.keys(registered)).not.toContain("software_id");
  });

  test("a client of the operator logs in without dynamic registration", async () => {
    const proxied = new Proxied({ clients: { dcr: false, known } });
    expect(await metadata(proxied)).not.toHaveProperty("registration_endpoint");
    expect((await proxied.registration({ redirect_uris: [redirectUri] })).status).toBe(404);
    const login = await proxied.login(knownClient, params);
    expect((await proxied.redeem(knownClient, login, params)).status).toBe(200);
  });

  test("a token may have fewer scopes than were allowed, never more", async () => {
    const proxied = new Proxied({ scopes });
    const client = await proxied.register();
    const login = await proxied.login(client, { ...params, scope: "mcp:read mcp:write unknown" });
    const form = { ...params, scope: "mcp:read mcp:admin" };
    const tokens = await json(await proxied.redeem(client, login, form));
    expect(tokens["scope"]).toBe("mcp:read");
    const refresh = (scope: string) => proxied.refresh(client, String(tokens["refresh_token"]), { scope });
    expect(await json(await refresh("mcp:write"))).toMatchObject({ scope: "mcp:write" });
    expect(await json(await refresh("mcp:admin"))).toMatchObject({ error: "invalid_scope" });
  });

  test("a refresh token rotates, with one retry of the previous one", async () => {
    const proxied = new Proxied();
    const client = await proxied.register();
    const first = await proxied.tokens(client, params);
    const second = await json(await proxied.refresh(client, first.refresh_token));
    const retried = await json(await proxied.refresh(client, first.refresh_token));
    expect(retried["access_token"]).toBeTruthy();
    expect((await proxied.refresh(client, String(retried["refresh_token"]))).status).toBe(200);
    const replayed = await proxied.refresh(client, first.refresh_token);
    expect([replayed.status, (await json(replayed))["error"]]).toEqual([400, "invalid_grant"]);
    expect(second["refresh_token"]).not.toBe(first.refresh_token);
  });

  test("revoking an access token ends only that token", async () => {
    const proxied = new Proxied();
    const client = await proxied.register();
    const { access_token: token, refresh_token: refresh } = await proxied.tokens(client, params);
    expect((await proxied.tokenRequest(client, { token }, "/revoke")).status).toBe(200);
    await expect(proxied.proxy.verify(token)).rejects.toMatchObject({ code: "auth-token-refused" });
    const answer = await json(await proxied.refresh(client, refresh));
    await proxied.proxy.verify(String(answer["access_token"]));
  });

  test("revoking a refresh token ends the login", async () => {
    const proxied = new Proxied();
    const client = await proxied.register();
    const { access_token: access, refresh_token: token } = await proxied.tokens(client, params);
    expect((await proxied.tokenRequest(client, { token }, "/revoke")).status).toBe(200);
    await expect(proxied.proxy.verify(access)).rejects.toMatchObject({ code: "auth-token-refused" });
    expect(await json(await proxied.refresh(client, token))).toMatchObject({ error: "invalid_grant" });
  });

  test("a client does not revoke tokens of another, and learns nothing of them", async () => {
    const proxied = new Proxied();
    const client = await proxied.register();
    const other = await proxied.register();
    const tokens = await proxied.tokens(client, params);
    for (const token of [tokens.access_token, tokens.refresh_token, "unknown"])
      expect((await proxied.tokenRequest(other, { token }, "/revoke")).status).toBe(200);
    await proxied.proxy.verify(tokens.access_token);
    expect((await proxied.refresh(client, tokens.refresh_token)).status).toBe(200);
  });

  test("revocation needs the method that the client registered", async () => {
    const proxied = new Proxied();
    const client = await proxied.register({ token_endpoint_auth_method: "client_secret_basic" });
    const { access_token: token } = await proxied.tokens(client, params);
    const refused = await proxied.tokenRequest(
      { ...client, method: "client_secret_post" },
      { token },
      "/revoke",
    );
    expect(refused.status).toBe(401);
    expect(await json(refused)).toEqual({
      error: "invalid_client",
      error_description: "Client authentication failed",
    });
    await proxied.proxy.verify(token);
    expect((await proxied.tokenRequest(client, { token }, "/revoke")).status).toBe(200);
    await expect(proxied.proxy.verify(token)).rejects.toMatchObject({ code: "auth-token-refused" });
  });

  test("a code that is exchanged again ends the tokens of the first exchange", async () => {
    const proxied = new Proxied();
    const client = await proxied.register();
    const login = await proxied.login(client, params);
    const tokens = await json(await proxied.redeem(client, login, params));
    expect(await json(await proxied.redeem(client, login, params))).toMatchObject({ error: "invalid_grant" });
    await expect(proxied.proxy.verify(String(tokens["access_token"]))).rejects.toMatchObject({});
  });

  test("iss is the issuer, once, in success and in error (RFC 9207)", async () => {
    const proxied = new Proxied();
    const client = await proxied.register();
    const login = await proxied.login(client, params);
    expect(login.end.url.searchParams.getAll("iss")).toEqual([(await metadata(proxied))["issuer"]]);
    const browser = proxied.browser();
    const denied = await browser.decide(
      await browser.open(authorizationUrl(client, verifier, params)),
      "deny",
    );
    const { searchParams } = denied.url;
    expect(searchParams.getAll("error")).toEqual(["access_denied"]);
    expect(searchParams.getAll("state")).toEqual(["client-state"]);
    expect(searchParams.getAll("iss")).toEqual([issuer]);
    expect(searchParams.has("code")).toBe(false);
  });

  test("offline_access is not a scope of the resource", async () => {
    const proxied = new Proxied({ scopes });
    expect((await metadata(proxied))["scopes_supported"]).toEqual(["mcp:read", "mcp:write"]);
  });
});

describe("resource indicators, 2025-06-18 and later", () => {
  test.each([
    `${resource}#fragment`,
    "https://api.example.com/other",
    "https://api.example.com",
    `${resource}/`,
  ])("the resource %s is refused", async (other) => {
    const proxied = new Proxied();
    const url = authorizationUrl(await proxied.register(), verifier, { resource: other });
    const { response, text } = await proxied.browser().open(url);
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
    expect(text).toContain("error=invalid_target");
  });

  test("without a resource, the server's resource is assumed", async () => {
    const proxied = new Proxied();
    const url = authorizationUrl(await proxied.register(), verifier, { resource: undefined });
    expect((await proxied.browser().open(url)).text).toContain(resource);
  });

  test("a token request names no other resource; the code is not consumed", async () => {
    const proxied = new Proxied();
    const client = await proxied.register();
    const login = await proxied.login(client);
    const refused = await proxied.redeem(client, login, { resource: "https://api.example.com/other" });
    expect([refused.status, (await json(refused))["error"]]).toEqual([400, "invalid_target"]);
    expect((await proxied.redeem(client, login)).status).toBe(200);
  });
});

test("a resource without path may be named with a slash, as URL parsers write it", async () => {
  const proxied = new Proxied({ resource: issuer });
  const client = await proxied.register();
  const params = { resource: `${issuer}/` };
  const tokens = await json(await proxied.redeem(client, await proxied.login(client, params), params));
  expect(await proxied.proxy.verify(String(tokens["access_token"]))).toMatchObject({ aud: issuer });
});

test("a request that does not fit into a cookie is refused before the upstream is asked", async () => {
  const id = "x".repeat(3000);
  const proxied = new Proxied({ clients: { known: [{ id, name: "Long", redirectUris: [redirectUri] }] } });
  const { end } = await proxied.login({ id, method: "none", redirectUri });
  expect([end.response.status, end.url.pathname]).toEqual([400, "/consent"]);
  expect(proxied.upstream.requests).toEqual([]);
});

test("a client that revokes a hundred access tokens of one login ends it", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  let { access_token: token, refresh_token: refresh } = await proxied.tokens(client);
  for (let count = 0; count <= 100; count += 1) {
    await proxied.tokenRequest(client, { token }, "/revoke");
    if (count === 100) break;
    const answer = await json(await proxied.refresh(client, refresh));
    [token, refresh] = [String(answer["access_token"]), String(answer["refresh_token"])];
  }
  expect(await json(await proxied.refresh(client, refresh))).toMatchObject({ error: "invalid_grant" });
});

test("endpoints: other methods, bodies and types are refused", async () => {
  const proxied = new Proxied();
  const status = async (path: string, init?: RequestInit): Promise<number> =>
    (await proxied.ask(path, init)).status;
  expect(await status("/token")).toBe(405);
  expect(await status("/authorize", { method: "POST" })).toBe(405);
  expect(await status("/consent")).toBe(405);
  expect(await status("/jwks.json", { method: "DELETE" })).toBe(405);
  expect(await status("/token", { method: "OPTIONS" })).toBe(204);
  expect(await status("/.well-known/oauth-authorization-server", { method: "HEAD" })).toBe(200);
  expect(
    await status("/token", { method: "POST", body: "{}", headers: { "content-type": "application/json" } }),
  ).toBe(400);
  expect((await proxied.post("/token", { grant_type: "authorization_code" })).status).toBe(401);
  const client = await proxied.register();
  const answer = await proxied.tokenRequest(client, { grant_type: "password" });
  expect(await json(answer)).toMatchObject({ error: "unsupported_grant_type" });
  const form = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" } };
  expect(await status("/token", { ...form, body: `client_id=${client.id}&client_id=x` })).toBe(400);
  expect(await status("/token", { ...form, body: "x=1&".repeat(30_000) })).toBe(413);
});

test("without refresh_token in grant_types, a client gets no refresh token", async () => {
  const proxied = new Proxied();
  const client = await proxied.register({ grant_types: ["authorization_code"] });
  expect(await proxied.tokens(client)).not.toHaveProperty("refresh_token");
});
