import { createHmac } from "node:crypto";
import { SignJWT, UnsecuredJWT, exportJWK, exportSPKI, generateKeyPair, importJWK } from "jose";
import { expect, test, vi } from "vitest";
import { jwks, resourceServer } from "@mcpgen/auth/server";
import { type AuthorizationServer, authorizationServer } from "../../support/auth/authorization-server.js";
import { bearer, callerOf, claimsFor, denialOf, expectRefused, guardOf, resource } from "./requests.js";

test("a token of the issuer for this resource is accepted; its claims are context.auth, the token is not", async () => {
  const as = await authorizationServer();
  const token = await as.sign(claimsFor(as, { scope: "a b", extra: { deep: [1] } }), "at+jwt");
  const { principal, auth } = await callerOf(guardOf(as), token);
  expect(principal).toBe(`${as.issuer}|user-1`);
  expect(auth).toMatchObject({
    issuer: as.issuer,
    subject: "user-1",
    clientId: "client-1",
    scopes: ["a", "b"],
    claims: { aud: resource, extra: { deep: [1] } },
  });
  expect(JSON.stringify(auth)).not.toContain(token);
  // Requests with the same token share the claims.
  expect(Object.isFrozen((auth.claims["extra"] as { deep: unknown }).deep)).toBe(true);
});

test.each([
  ["another server", "https://other.example.com/mcp"],
  ["no server", undefined],
  ["a list without us", ["https://other.example.com/mcp", "https://third.example.com"]],
  ["an empty list", []],
  ["a prefix of ours", "https://api.example.com"],
  ["our prefix with more", `${resource}/admin`],
  ["our resource with a slash", `${resource}/`],
  ["another path in another case", "https://api.example.com/MCP"],
  ["a user before our host", "https://api.example.com@evil.example/mcp"],
])("AUTHS-04: a token for %s is refused", async (_, aud) => {
  const as = await authorizationServer();
  await expectRefused(guardOf(as), await as.sign(claimsFor(as, { aud })), /audience/);
});

test.each([
  ["a list with us", ["https://other.example.com", resource]],
  ["our resource with scheme and host in upper case", "HTTPS://API.Example.com/mcp"],
])("AUTHS-04: a token for %s is accepted", async (_, aud) => {
  const as = await authorizationServer();
  await callerOf(guardOf(as), await as.sign(claimsFor(as, { aud })));
});

test("AUTHS-04: for a resource without path, the empty path and / are equal", async () => {
  const as = await authorizationServer();
  const guard = guardOf(as, { resource: "https://api.example.com" });
  await callerOf(guard, await as.sign(claimsFor(as, { aud: "https://api.example.com/" })));
});

const now = (): number => Math.floor(Date.now() / 1000);

test.each([
  ["expired", { exp: now() - 31 }, /expired/],
  ["without expiry", { exp: undefined }, /expiry/],
  ["not yet valid", { nbf: now() + 40 }, /not valid yet/],
  ["with an expiry that is no number", { exp: "never" }, /malformed|expiry/],
])("AUTHS-01: a token that is %s is refused", async (_, claims, why) => {
  const as = await authorizationServer();
  await expectRefused(guardOf(as), await as.sign(claimsFor(as, claims)), why);
});

test("clocks may differ by 30 seconds", async () => {
  const as = await authorizationServer();
  await callerOf(guardOf(as), await as.sign(claimsFor(as, { exp: now() - 20, nbf: now() + 20 })));
  await expectRefused(guardOf(as), await as.sign(claimsFor(as, { nbf: now() + 33 })));
});

test.each([
  ["another issuer", (as: AuthorizationServer) => `${as.issuer}/tenant`],
  ["ours with a slash", (as: AuthorizationServer) => `${as.issuer}/`],
  ["ours in upper case", (as: AuthorizationServer) => as.issuer.toUpperCase()],
  ["none", () => undefined],
  ["a list", (as: AuthorizationServer) => [as.issuer]],
])("iss is compared exactly: %s is refused", async (_, iss) => {
  const as = await authorizationServer();
  await expectRefused(guardOf(as), await as.sign(claimsFor(as, { iss: iss(as) })), /issuer/);
});

test("attack 10: a token that another issuer of the list signed in the name of the first is refused", async () => {
  const [one, two] = [await authorizationServer(), await authorizationServer()];
  const guard = resourceServer({ resource, issuers: [jwks(one.issuer), jwks(two.issuer)] });
  await callerOf(guard, await two.sign(claimsFor(two)));
  await expectRefused(guard, await two.sign(claimsFor(one)));
});

test("attack 10: the same sub at two issuers is two principals", async () => {
  const [one, two] = [await authorizationServer(), await authorizationServer()];
  const guard = resourceServer({ resource, issuers: [jwks(one.issuer), jwks(two.issuer)] });
  const first = await callerOf(guard, await one.sign(claimsFor(one)));
  const second = await callerOf(guard, await two.sign(claimsFor(two)));
  expect(first.principal).not.toBe(second.principal);
});

test("attack 10: a client and a user never have the same principal", async () => {
  const as = await authorizationServer();
  const guard = guardOf(as, { issuers: [jwks(as.issuer, { clientTokens: true })] });
  const client = await callerOf(guard, await as.sign(claimsFor(as, { sub: undefined })));
  const names = ["client-1", "#client-1", "|client-1"];
  for (const sub of names)
    expect((await callerOf(guard, await as.sign(claimsFor(as, { sub })))).principal).not.toBe(
      client.principal,
    );
  await expectRefused(
    guard,
    await as.sign(claimsFor(as, { sub: undefined, client_id: undefined })),
    /subject/,
  );
});

test("an option names the owner within the issuer, which stays part of the principal", async () => {
  const as = await authorizationServer();
  const guard = guardOf(as, { principal: ({ sub, client_id: id }) => `${String(sub)} by ${String(id)}` });
  expect((await callerOf(guard, await as.sign(claimsFor(as)))).principal).toBe(
    `${as.issuer}|user-1 by client-1`,
  );
  const empty = guardOf(as, { principal: () => "" });
  await expect(callerOf(empty, await as.sign(claimsFor(as)))).rejects.toMatchObject({ code: "auth-options" });
});

test.each([
  ["an ID token by its hash", { at_hash: "x" }],
  ["an ID token by its code hash", { c_hash: "x" }],
  ["a logout token", { events: { "http://schemas.openid.net/event/backchannel-logout": {} } }],
  ["an ID token of Cognito", { token_use: "id" }],
  ["an ID token of Keycloak", { typ: "ID" }],
  ["a refresh token of Keycloak", { typ: "Refresh" }],
])("attack 10: %s is not accepted as an access token", async (_, claims) => {
  const as = await authorizationServer();
  await expectRefused(guardOf(as), await as.sign(claimsFor(as, claims)), /not an access token/);
});

test.each([
  ["at+jwt", true],
  ["application/at+jwt", true],
  ["AT+JWT", true],
  ["JWT", true],
  ["dpop+jwt", false],
  ["oauth-id-jag+jwt", false],
  ["logout+jwt", false],
  ["token-introspection+jwt", false],
])("a JWT of type %s: accepted is %s", async (typ, fits) => {
  const as = await authorizationServer();
  const token = await as.sign(claimsFor(as), typ);
  if (fits) await callerOf(guardOf(as), token);
  else await expectRefused(guardOf(as), token, /typ/);
});

test("a policy may demand at+jwt", async () => {
  const as = await authorizationServer();
  const guard = resourceServer({ resource, issuers: [jwks(as.issuer, { types: ["at+jwt"] })] });
  await callerOf(guard, await as.sign(claimsFor(as), "at+jwt"));
  await expectRefused(guard, await as.sign(claimsFor(as), "JWT"), /typ/);
});

test("attack 11: alg none is refused", async () => {
  const as = await authorizationServer();
  await expectRefused(guardOf(as), new UnsecuredJWT(claimsFor(as)).encode(), /algorithm|malformed/);
  const forged = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify(claimsFor(as))).toString("base64url")}.AA`;
  await expectRefused(guardOf(as), forged, /algorithm/);
});

test("attack 11: HS256 with the public key of the issuer as secret is refused", async () => {
  const as = await authorizationServer({ algorithm: "RS256" });
  const [jwk] = as.state.keys.jwks().keys;
  const pem = await exportSPKI((await importJWK(jwk!, "RS256", { extractable: true })) as never);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const head = `${part({ alg: "HS256", kid: jwk!.kid })}.${part(claimsFor(as))}`;
  const forged = `${head}.${createHmac("sha256", pem).update(head).digest("base64url")}`;
  await expectRefused(guardOf(as), forged, /algorithm/);
  expect(() => jwks(as.issuer, { algorithms: ["HS256" as never] })).toThrow(
    /^jwks\.algorithms: expected asymmetric/,
  );
});

test("attack 11: an algorithm that the issuer does not use is refused", async () => {
  const as = await authorizationServer();
  const guard = resourceServer({ resource, issuers: [jwks(as.issuer, { algorithms: ["RS256"] })] });
  await expectRefused(guard, await as.sign(claimsFor(as)), /algorithm/);
});

test.each(["jwk", "jku", "x5u", "x5c", "kid as a path", "kid as a URL", "crit"])(
  "attack 11: a key that the header brings is not used (%s)",
  async (kind) => {
    const as = await authorizationServer();
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(publicKey);
    const kid = as.state.keys.jwks().keys[0]!.kid!;
    const headers: Record<string, object> = {
      jwk: { jwk },
      jku: { jku: "http://127.0.0.1:1/keys", kid: "evil" },
      x5u: { x5u: "http://127.0.0.1:1/cert", kid: "evil" },
      x5c: { x5c: ["AAAA"], kid: "evil" },
      "kid as a path": { kid: "../../../../dev/null" },
      "kid as a URL": { kid: "http://127.0.0.1:1/key" },
      crit: { crit: ["urn:key"], "urn:key": jwk, kid },
    };
    const token = await new SignJWT(claimsFor(as))
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", ...headers[kind] })
      .sign(privateKey, { crit: { "urn:key": true } });
    await expectRefused(guardOf(as), token);
  },
);

test("attack 11: a token of 1 MB is refused before it is parsed", async () => {
  const as = await authorizationServer();
  const big = `${"e".repeat(1_000_000)}.e30.x`;
  await expectRefused(guardOf(as), big, /malformed/);
  expect(as.calls).toEqual([]);
});

test("a token with another signature is refused, and the answer contains no part of it", async () => {
  const as = await authorizationServer();
  const token = await as.sign(claimsFor(as, { sub: "secret-user" }));
  const forged = token.slice(0, -6) + "AAAAAA";
  const { headers, text } = await denialOf(guardOf(as), forged);
  expect(text).toMatch(/signature/);
  for (const secret of [...forged.split("."), "secret-user"])
    expect(JSON.stringify([headers, text])).not.toContain(secret);
});

test.each(["a b", "a,b", "ä", "a\tb", "", "==", "a=b"])(
  "a malformed token (%j) gets 401 with error",
  async (token) => {
    const as = await authorizationServer();
    await expectRefused(guardOf(as), token, /malformed/);
  },
);

test("the verified token is cached until it expires, at most 60 s, and verified again after that", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const as = await authorizationServer();
  const guard = guardOf(as);
  const token = await as.sign(claimsFor(as, { exp: now() + 600 }));
  const { auth } = await callerOf(guard, token);
  const again = guard.http.authenticate(bearer(token));
  // A hit costs no turn of the event loop.
  expect(again).not.toBeInstanceOf(Promise);
  expect((again as { auth: unknown }).auth).toBe(auth);
  vi.setSystemTime(Date.now() + 60_001);
  const later = guard.http.authenticate(bearer(token));
  expect(later).toBeInstanceOf(Promise);
  expect((await later) as { auth: unknown }).toMatchObject({ auth });
  const short = await as.sign(claimsFor(as, { exp: now() + 10 }));
  await callerOf(guard, short);
  vi.setSystemTime(Date.now() + 10_001 + 30_000);
  await expectRefused(guard, short, /expired/);
});

test("concurrent requests with one token share one verification", async () => {
  const as = await authorizationServer();
  const issuer = jwks(as.issuer);
  const verify = vi.fn(issuer.verify);
  const guard = resourceServer({ resource, issuers: [{ ...issuer, verify }] });
  const token = await as.sign(claimsFor(as));
  const found = await Promise.all(Array.from({ length: 20 }, () => callerOf(guard, token)));
  expect(verify).toHaveBeenCalledTimes(1);
  expect(new Set(found.map(({ auth }) => auth)).size).toBe(1);
});

test("a refused token is not verified again for 5 seconds", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const as = await authorizationServer();
  const issuer = jwks(as.issuer);
  const verify = vi.fn(issuer.verify);
  const guard = resourceServer({ resource, issuers: [{ ...issuer, verify }] });
  const token = await as.sign(claimsFor(as, { aud: "https://other.example.com" }));
  for (let i = 0; i < 3; i++) await expectRefused(guard, token);
  expect(verify).toHaveBeenCalledTimes(1);
  vi.setSystemTime(Date.now() + 5001);
  await expectRefused(guard, token);
  expect(verify).toHaveBeenCalledTimes(2);
});
