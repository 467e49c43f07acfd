import { expect, test, vi } from "vitest";
import { generateKeyPair, exportJWK } from "jose";
import {
  type Claims,
  type IntrospectionOptions,
  introspection,
  resourceServer,
  type ResourceServer,
} from "@mcpgen/auth/server";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
} from "../../support/auth/authorization-server.js";
import { bearer, callerOf, denialOf, expectRefused, resource } from "./requests.js";

const clientSecret = "secret of the resource server";

function opaque(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  return authorizationServer({ tokens: "opaque", clients: [{ id: "rs", secret: clientSecret }], ...options });
}

function guardOf(as: AuthorizationServer, more: Partial<IntrospectionOptions> = {}): ResourceServer {
  const issuer = introspection({ issuer: as.issuer, clientId: "rs", clientSecret, ...more });
  return resourceServer({ resource, issuers: [issuer] });
}

test("RFC 7662: an opaque token is introspected once, with the credentials of this server", async () => {
  const as = await opaque();
  const guard = guardOf(as);
  const token = await as.mint({ resource, scope: "a b", subject: "user-7" });
  const { principal, auth } = await callerOf(guard, token);
  expect(principal).toBe(`${as.issuer}|user-7`);
  expect(auth).toMatchObject({ issuer: as.issuer, clientId: "client-1", scopes: ["a", "b"] });
  expect(JSON.stringify(auth)).not.toContain(token);
  expect(guard.http.authenticate(bearer(token))).not.toBeInstanceOf(Promise);
  const calls = as.calls.filter(({ endpoint }) => endpoint === "introspect");
  expect(calls).toHaveLength(1);
  expect(calls[0]!.url.search).toBe("");
  expect(calls[0]!.params.get("token_type_hint")).toBe("access_token");
});

test.each(["ada:grant:secret", "a|b!c", "{a}", "a.b-c_d~e+f/g=="])(
  "RFC 6749, A.12: the token %s is verified unchanged",
  async (text) => {
    const seen: string[] = [];
    const issuer = "https://auth.example.com";
    const verify = async (token: string): Promise<Claims> => {
      seen.push(token);
      return { aud: resource, sub: "ada", exp: Math.floor(Date.now() / 1000) + 60 };
    };
    const guard = resourceServer({ resource, issuers: [{ issuer, opaque: true, verify }] });
    expect((await callerOf(guard, text)).principal).toBe(`${issuer}|ada`);
    expect(seen).toEqual([text]);
  },
);

test("this server may authenticate with private_key_jwt", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" };
  const as = await opaque({ clients: [{ id: "rs", method: "private_key_jwt", jwks: { keys: [jwk] } }] });
  const issuer = introspection({
    issuer: as.issuer,
    clientId: "rs",
    clientKey: { key: privateKey, kid: "k1" },
  });
  await callerOf(resourceServer({ resource, issuers: [issuer] }), await as.mint({ resource }));
});

test("AUTHS-01: an unknown token gets 401; the verdict is kept for 5 seconds", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const as = await opaque();
  const guard = guardOf(as);
  for (let i = 0; i < 3; i++) await expectRefused(guard, "unknown", /not active/);
  expect(as.count("introspect")).toBe(1);
  vi.setSystemTime(Date.now() + 5001);
  await expectRefused(guard, "unknown");
  expect(as.count("introspect")).toBe(2);
});

test("AUTHS-01: a revoked token gets 401 at most 60 s later", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const as = await opaque();
  const guard = guardOf(as);
  const token = await as.mint({ resource });
  await callerOf(guard, token);
  as.expireAccessTokens();
  vi.setSystemTime(Date.now() + 60_001);
  await expectRefused(guard, token, /not active/);
});

test("AUTHS-04: a token for another resource, or without a resource, is refused", async () => {
  const as = await opaque();
  await expectRefused(guardOf(as), await as.mint({ resource: "https://other.example.com" }), /audience/);
  await expectRefused(guardOf(as), await as.mint({ resource: undefined as never }), /audience/);
});

test("for an issuer without audiences, a named claim replaces the audience", async () => {
  const as = await opaque();
  const guard = guardOf(as, { audience: { claim: "client_id", oneOf: ["client-1"] } });
  await callerOf(guard, await as.mint({ resource: undefined as never }));
  await expectRefused(guard, await as.mint({ resource, clientId: "client-2" }), /audience/);
});

const answering = (body: object): AuthorizationServerOptions => ({
  fault: ({ endpoint }, answer) => (endpoint === "introspect" ? { ...answer, status: 200, body } : answer),
});

test.each<[string, object]>([
  ["another issuer", { active: true, aud: resource, sub: "u", iss: "https://other.example.com" }],
  ["a refresh token", { active: true, aud: resource, sub: "u", token_use: "refresh_token" }],
  ["an expired token", { active: true, aud: resource, sub: "u", exp: 1 }],
  ["a token without subject and client", { active: true, aud: resource }],
])("an answer about %s is refused", async (_, body) => {
  await expectRefused(guardOf(await opaque(answering(body))), "token");
});

test("an answer without exp and iss is valid for a minute, for the issuer that gave it", async () => {
  const as = await opaque(answering({ active: true, aud: resource, sub: "u" }));
  const { principal, auth } = await callerOf(guardOf(as), "token");
  expect(principal).toBe(`${as.issuer}|u`);
  expect(auth.expiresAt).toBeLessThanOrEqual(Date.now() / 1000 + 60);
});

test.each<[string, AuthorizationServerOptions]>([
  ["an error", { fault: ({ endpoint }, answer) => (endpoint === "introspect" ? { status: 500 } : answer) }],
  ["401", { clients: [{ id: "rs", secret: "another" }] }],
  [
    "no JSON",
    {
      fault: ({ endpoint }, answer) => (endpoint === "introspect" ? { status: 200, body: "<html>" } : answer),
    },
  ],
  ["a text as active", answering({ active: "true", aud: resource, sub: "u" })],
  ["no connection", { fault: ({ endpoint }, answer) => (endpoint === "introspect" ? "cut" : answer) }],
  ["too much", answering({ active: true, aud: resource, sub: "u".repeat(70_000) })],
  [
    "an endpoint in its network",
    { metadata: { introspection_endpoint: "https://169.254.169.254/introspect" } },
  ],
  ["no endpoint", { metadata: { introspection_endpoint: undefined } }],
])("an issuer that answers with %s: 503, without any secret", async (_, options) => {
  const as = await opaque(options);
  const { status, headers, text } = await denialOf(guardOf(as), "opaque-token-1");
  expect(status).toBe(503);
  for (const secret of ["opaque-token-1", clientSecret])
    expect(JSON.stringify([headers, text])).not.toContain(secret);
});

test("attack 12: introspection follows no redirect, so the token goes nowhere else", async () => {
  const other = await authorizationServer();
  const as = await opaque({
    fault: ({ endpoint }, answer) =>
      endpoint === "introspect"
        ? { status: 307, headers: { location: `${other.issuer}/introspect` } }
        : answer,
  });
  expect((await denialOf(guardOf(as), "token")).status).toBe(503);
  expect(other.calls).toEqual([]);
});

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const foreignIssuer = "https://foreign.example.com";

test.each([
  ["names another issuer", `${encoded({ alg: "ES256" })}.${encoded({ iss: foreignIssuer })}.x`],
  ["names another issuer, unsigned", `${encoded({ alg: "none" })}.${encoded({ iss: foreignIssuer })}.`],
  ["is encrypted for another issuer", `${encoded({ alg: "dir", iss: foreignIssuer })}.a.b.c.d`],
  ...[7, "", null, true, [foreignIssuer], {}].map((iss): [string, string] => [
    `has the issuer ${JSON.stringify(iss)}`,
    `${encoded({ alg: "ES256" })}.${encoded({ iss })}.x`,
  ]),
])("a JWT that %s is refused, and not sent to any issuer", async (_, token) => {
  const as = await opaque();
  await expectRefused(guardOf(as), token, /no issuer of this server issued it/);
  expect(as.calls).toEqual([]);
});

test("a JWT of an issuer that is not in the list is refused without a request to anyone", async () => {
  const [as, foreign] = [await opaque(), await authorizationServer()];
  await expectRefused(guardOf(as), await foreign.mint({ resource }), /no issuer of this server/);
  expect([...as.calls, ...foreign.calls]).toEqual([]);
});

test("alsoIssuers: a JWT of the issuer by its other name is introspected", async () => {
  const body = { active: true, aud: resource, sub: "u", iss: foreignIssuer };
  const as = await opaque(answering(body));
  const token = `${encoded({ alg: "ES256" })}.${encoded({ iss: foreignIssuer })}.x`;
  const guard = guardOf(as, { alsoIssuers: [foreignIssuer] });
  expect((await callerOf(guard, token)).principal).toBe(`${foreignIssuer}|u`);
  expect(as.count("introspect")).toBe(1);
});
