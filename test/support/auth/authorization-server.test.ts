import * as oauth from "oauth4webapi";
import { expect, test } from "vitest";
import { authorizationServer, type AuthorizationServer } from "./authorization-server.js";
import { jwtBearer, tokenExchange } from "./options.js";
import { protectedResource } from "./protected-resource.js";

// Tests the fixture itself, with a client for which it was not written.

const insecure = { [oauth.allowInsecureRequests]: true };
const redirectUri = "http://127.0.0.1:4711/callback";
const resource = "https://rs.example/mcp";

async function discovered({ issuer }: AuthorizationServer): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  const response = await oauth.discoveryRequest(url, { ...insecure, algorithm: "oauth2" });
  return oauth.processDiscoveryResponse(url, response);
}

async function registered(as: oauth.AuthorizationServer): Promise<oauth.Client> {
  const response = await oauth.dynamicClientRegistrationRequest(
    as,
    {
      redirect_uris: [redirectUri],
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    },
    insecure,
  );
  return oauth.processDynamicClientRegistrationResponse(response);
}

async function codeFor(
  server: AuthorizationServer,
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  verifier: string,
): Promise<URLSearchParams> {
  const url = new URL(as.authorization_endpoint!);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: "state-1",
    resource,
  }).toString();
  return oauth.validateAuthResponse(as, client, new URL(await server.visit(url.href)), "state-1");
}

async function login(server: AuthorizationServer, options: oauth.TokenEndpointRequestOptions = {}) {
  const as = await discovered(server);
  const client = await registered(as);
  const verifier = oauth.generateRandomCodeVerifier();
  const params = await codeFor(server, as, client, verifier);
  const request = (): Promise<Response> =>
    oauth.authorizationCodeGrantRequest(as, client, oauth.None(), params, redirectUri, verifier, {
      ...insecure,
      additionalParameters: { resource },
      ...options,
    });
  const process = (response: Response) => oauth.processAuthorizationCodeResponse(as, client, response);
  return { as, client, request, process };
}

test("a whole flow: discovery, registration, code, token; a code works once, its reuse revokes", async () => {
  const server = await authorizationServer({ path: "/tenant1" });
  const { request, process } = await login(server);
  const tokens = await process(await request());
  expect(tokens.token_type).toBe("bearer");
  expect(server.state.active(tokens.access_token)).toMatchObject({ resource, subject: "user-1" });
  expect(server.count("token authorization_code")).toBe(1);
  expect(server.secrets.has(tokens.access_token)).toBe(true);
  expect((await request()).status).toBe(400);
  expect(server.state.active(tokens.access_token)).toBeUndefined();
});

test("refresh tokens rotate; the second use of one revokes the family", async () => {
  const server = await authorizationServer();
  const { as, client, request, process } = await login(server);
  const first = await process(await request());
  const refresh = (token: string): Promise<Response> =>
    oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, {
      ...insecure,
      additionalParameters: { resource },
    });
  const second = await oauth.processRefreshTokenResponse(as, client, await refresh(first.refresh_token!));
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect((await refresh(first.refresh_token!)).status).toBe(400);
  expect(server.state.reuses).toBe(1);
  expect((await refresh(second.refresh_token!)).status).toBe(400);
});

test("DPoP: nonces of the authorization server and of the resource, each once", async () => {
  const server = await authorizationServer({ dpop: "required", nonces: true });
  const rs = await protectedResource({ servers: [server], dpop: true, nonces: true });
  const keys = await oauth.generateKeyPair("ES256");
  const handle = oauth.DPoP({}, keys);
  const { request, process } = await login(server, { DPoP: handle });
  await expect(process(await request())).rejects.toSatisfy(oauth.isDPoPNonceError);
  const tokens = await process(await request());
  expect(tokens.token_type).toBe("dpop");
  const token = await server.mint({ resource: rs.url, jkt: await handle.calculateThumbprint() });
  const call = (): Promise<Response> =>
    oauth.protectedResourceRequest(token, "POST", new URL(rs.url), undefined, undefined, {
      ...insecure,
      DPoP: handle,
    });
  await expect(call()).rejects.toSatisfy(oauth.isDPoPNonceError);
  expect((await call()).status).toBe(200);
});

test("client credentials, introspection, revocation, token exchange, device grant, jwt-bearer", async () => {
  const client = { client_id: "c", use_mtls_endpoint_aliases: false };
  const idp = await authorizationServer({ clients: [{ id: "c", secret: "s3cret" }] });
  const trusted = [{ issuer: idp.issuer, jwks: () => idp.state.keys.jwks(), kind: "id-jag" as const }];
  const server = await authorizationServer({ trusted, clients: [{ id: "c", secret: "s3cret" }] });
  const auth = oauth.ClientSecretBasic("s3cret");
  const as = await discovered(server);
  const granted = await oauth.clientCredentialsGrantRequest(as, client, auth, { resource }, insecure);
  const { access_token } = await oauth.processClientCredentialsResponse(as, client, granted);
  const asked = async (): Promise<oauth.IntrospectionResponse> =>
    oauth.processIntrospectionResponse(
      as,
      client,
      await oauth.introspectionRequest(as, client, auth, access_token, insecure),
    );
  expect(await asked()).toMatchObject({ active: true, aud: resource, sub: "c" });
  await oauth.revocationRequest(as, client, auth, access_token, insecure);
  expect(await asked()).toEqual({ active: false });

  const idpMetadata = await discovered(idp);
  const idToken = await idp.sign({ iss: idp.issuer, sub: "alice", aud: "c", exp: 4e9 });
  const type = "urn:ietf:params:oauth:token-type:";
  const params = {
    requested_token_type: `${type}id-jag`,
    audience: server.issuer,
    resource,
    subject_token: idToken,
    subject_token_type: `${type}id_token`,
  };
  const exchanged = await oauth.genericTokenEndpointRequest(
    idpMetadata,
    client,
    auth,
    tokenExchange,
    params,
    insecure,
  );
  const { access_token: assertion } = (await exchanged.json()) as { access_token: string };
  const bearer = await oauth.genericTokenEndpointRequest(
    as,
    client,
    auth,
    jwtBearer,
    { assertion },
    insecure,
  );
  expect(bearer.status).toBe(200);

  const started = await oauth.deviceAuthorizationRequest(as, client, auth, { resource }, insecure);
  const device = await oauth.processDeviceAuthorizationResponse(as, client, started);
  server.decideDevice(device.user_code);
  const done = await oauth.deviceCodeGrantRequest(as, client, auth, device.device_code, insecure);
  expect((await oauth.processDeviceCodeResponse(as, client, done)).access_token).toBeTypeOf("string");
});

test.each([
  ["no PKCE", { code_challenge: undefined }, "invalid_request"],
  ["plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
  ["no resource", { resource: undefined }, "invalid_target"],
  ["no state", { state: undefined }, "invalid_request"],
])("an authorization request is refused: %s", async (_, change, error) => {
  const clients = [{ id: "c", redirectUris: [redirectUri] }];
  const server = await authorizationServer({ clients });
  const params = {
    response_type: "code",
    client_id: "c",
    redirect_uri: redirectUri,
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
    state: "s",
    resource,
    ...change,
  };
  const url = new URL(`${server.issuer}/authorize`);
  for (const [name, value] of Object.entries(params)) if (value) url.searchParams.set(name, value);
  const answer = new URL(await server.visit(url.href)).searchParams;
  expect([answer.get("error"), answer.get("iss")]).toEqual([error, server.issuer]);
});
