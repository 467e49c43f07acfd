// Claims about identity and rights: a malformed claim is never treated as absent.
import { describe, expect, test } from "vitest";
import { type TokenIssuer, entra, introspection, jwks, resourceServer, zitadel } from "@mcpgen/auth/server";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { jsonTypes } from "../../support/mutations.mjs";
import { callerOf, claimsFor, denialOf, expectRefused, guardOf, resource } from "./requests.js";

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === "string");
const never = (): boolean => false;

/** For each claim: whether a token with this value of the claim, otherwise valid, must be accepted. */
const accepted: Readonly<Record<string, (value: unknown) => boolean>> = {
  sub: isText,
  jti: isText,
  client_id: isText,
  azp: isText,
  appid: isText,
  cid: isText,
  iat: (value) => typeof value === "number",
  nbf: (value) => typeof value === "number",
  auth_time: (value) => typeof value === "number",
  scope: (value) => typeof value === "string" || isTexts(value),
  scp: (value) => typeof value === "string" || isTexts(value),
  act: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  // Any value of the table is a wrong issuer, audience, time or kind of token.
  iss: never,
  aud: never,
  exp: never,
  cnf: never,
  nonce: never,
  at_hash: never,
  c_hash: never,
  s_hash: never,
  events: never,
  typ: never,
  token_use: never,
};

/** The issuer of a JWT and of an opaque token with the same claims. */
async function issuerOf(
  way: string,
  claims: (issuer: string) => object,
): Promise<readonly [TokenIssuer, string]> {
  const as = await authorizationServer();
  if (way === "JWT") return [jwks(as.issuer), await as.sign(claims(as.issuer) as never)];
  const { issuer } = as;
  const opaque = introspection({
    ...{ issuer, endpoint: `${issuer}/introspect`, clientId: "rs", clientSecret: "secret" },
    fetch: () => Promise.resolve(Response.json({ active: true, ...claims(issuer) })),
  });
  return [opaque, "opaque"];
}

describe.each(["JWT", "introspection"])("%s: a claim of every JSON type", (way) => {
  test.each(Object.entries(accepted))(
    "%s",
    async (claim, fits) => {
      for (const [type, value] of jsonTypes) {
        const as = await authorizationServer();
        const [issuer, token] = await issuerOf(way, (iss) => ({ ...claimsFor(as), iss, [claim]: value }));
        const found = await resourceServer({ resource, issuers: [issuer] }).http.authenticate({
          method: "POST",
          url: resource,
          header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
        });
        const status = "status" in found ? found.status : 200;
        expect([claim, type, status < 400]).toEqual([claim, type, fits(value)]);
        // The library that reads introspection responses reports some malformed ones as an error of the issuer.
        expect(way === "JWT" ? [401] : [401, 503, 200]).toContain(
          status < 400 ? (way === "JWT" ? 401 : 200) : status,
        );
        if (claim === "sub" && status < 400)
          expect(found).toMatchObject({ principal: `${issuer.issuer}|${String(value)}` });
      }
    },
    20_000,
  );
});

test("a time that JSON cannot represent, or that is not a valid date, is refused", async () => {
  const as = await authorizationServer();
  const numbers = ["1e400", "-1e400", "1e300", "8640000000001"];
  for (const name of ["exp", "nbf", "iat", "auth_time"])
    for (const number of numbers) {
      const fetch = (): Promise<Response> =>
        Promise.resolve(
          new Response(`{"active":true,"aud":"${resource}","sub":"u","${name}":${number}}`, {
            headers: { "content-type": "application/json" },
          }),
        );
      const issuer = introspection({
        ...{
          issuer: as.issuer,
          endpoint: `${as.issuer}/introspect`,
          clientId: "rs",
          clientSecret: "s",
          fetch,
        },
      });
      const { status } = await denialOf(resourceServer({ resource, issuers: [issuer] }), "opaque");
      expect([401, 503]).toContain(status);
    }
});

test("the reason names the claim and its required form", async () => {
  const as = await authorizationServer();
  for (const sub of [7, [], {}, "", null, true])
    await expectRefused(guardOf(as), await as.sign(claimsFor(as, { sub })), /its claim sub: expected text/);
  const nested = await as.sign(claimsFor(as, { act: { sub: 7 } }));
  await expectRefused(guardOf(as), nested, /its claim act\.sub: expected text/);
});

test("a token without sub belongs to its client if the issuer has clientTokens, and is refused otherwise", async () => {
  const as = await authorizationServer();
  const token = await as.sign(claimsFor(as, { sub: undefined }));
  await expectRefused(guardOf(as), token, /clientTokens/);
  const guard = guardOf(as, { issuers: [jwks(as.issuer, { clientTokens: true })] });
  expect((await callerOf(guard, token)).principal).toBe(`${as.issuer}#client-1`);
  for (const sub of [7, [], {}, "", null, true])
    await expectRefused(guard, await as.sign(claimsFor(as, { sub })), /claim sub/);
  // The application names the owner itself.
  const named = guardOf(as, { principal: ({ client_id: id }) => String(id) });
  expect((await callerOf(named, token)).principal).toBe(`${as.issuer}|client-1`);
});

const idToken = { client_id: undefined, azp: "client-1", aud: "client-1", sub: "user-1" };

test.each<[string, object]>([
  ["nonce", { ...idToken, nonce: "n" }],
  ["auth_time", { ...idToken, auth_time: 1_700_000_000 }],
  ["amr", { ...idToken, amr: ["pwd"] }],
  ["at_hash", { ...idToken, at_hash: "x" }],
  ["nonce beside scopes", { ...idToken, nonce: "n", scope: "openid" }],
])("an ID token with %s is not an access token, even if the audience is its client id", async (_, claims) => {
  const as = await authorizationServer();
  const guard = guardOf(as, { issuers: [jwks(as.issuer, { audience: "client-1" })] });
  const token = await as.sign(claimsFor(as, claims as Record<string, unknown>));
  await expectRefused(guard, token, /not an access token/);
});

test.each<[string, object, string?]>([
  ["by its typ", { nonce: "n", auth_time: 1_700_000_000 }, "at+jwt"],
  ["of Keycloak", { client_id: undefined, nonce: "n", auth_time: 1_700_000_000, acr: "1", typ: "Bearer" }],
  ["of Cognito", { client_id: "c", auth_time: 1_700_000_000, token_use: "access" }],
  ["of Okta", { client_id: undefined, cid: "c", scp: ["a"], auth_time: 1_700_000_000 }],
])("an access token %s may have the time of the user's login (RFC 9068, 2.2.1)", async (_, claims, typ) => {
  const as = await authorizationServer();
  await callerOf(guardOf(as), await as.sign(claimsFor(as, claims as Record<string, unknown>), typ));
});

test("introspection refuses active ID and refresh tokens", async () => {
  for (const more of [{ typ: "Refresh" }, { typ: "ID" }, { at_hash: "x" }, { nonce: "n" }]) {
    const as = await authorizationServer();
    const [issuer, token] = await issuerOf("introspection", (iss) => ({ ...claimsFor(as), iss, ...more }));
    await expectRefused(resourceServer({ resource, issuers: [issuer] }), token, /not an access token/);
  }
});

test("grants of the profiles that read further claims", async () => {
  const tenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490";
  const read = (issuer: TokenIssuer, claims: object) => () => issuer.scopes!(claims as never);
  const entraIssuer = entra({ tenant, clientId: "6731de76-14a6-49ae-97bc-6eba6914391e" });
  const zitadelIssuer = zitadel({ domain: "x.zitadel.cloud", project: "1" });
  for (const [type, value] of jsonTypes) {
    if (!isTexts(value)) expect(read(entraIssuer, { roles: value }), type).toThrow(/claim roles/);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    const claims = { "urn:zitadel:iam:org:project:1:roles": value };
    if (!isObject) expect(read(zitadelIssuer, claims), type).toThrow(/:roles: expected object/);
  }
});

test("a function of an issuer that returns something else is an error of the options, not fewer or more rights", async () => {
  const as = await authorizationServer();
  for (const [, value] of jsonTypes) {
    const token = await as.sign(claimsFor(as));
    const refusal = { code: "auth-options" };
    if (!isTexts(value)) {
      const scoped = guardOf(as, { issuers: [jwks(as.issuer, { scopes: () => value as never })] });
      await expect(callerOf(scoped, token)).rejects.toMatchObject(refusal);
    }
    if (isText(value)) continue;
    const named = guardOf(as, { issuers: [jwks(as.issuer, { client: () => value as never })] });
    await expect(callerOf(named, token)).rejects.toMatchObject(refusal);
  }
});

test("a typ in the header that is not a string does not count as absent", async () => {
  const { SignJWT, exportJWK, generateKeyPair } = await import("jose");
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" }] };
  const issuer = "https://issuer.example.com";
  const guard = resourceServer({ resource, issuers: [jwks(issuer, { keys })] });
  const exp = Math.floor(Date.now() / 1000) + 60;
  for (const [type, typ] of jsonTypes) {
    const claims = { iss: issuer, aud: resource, sub: "u", exp };
    const header = { alg: "ES256", kid: "k", typ: typ as never };
    const token = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
    expect([type, (await denialOf(guard, token)).status]).toEqual([type, 401]);
  }
});
