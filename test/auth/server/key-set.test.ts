import { SignJWT, generateKeyPair } from "jose";
import { beforeEach, expect, test, vi } from "vitest";
import { jwks, resourceServer } from "@mcpgen/auth/server";
import { type AuthorizationServer, authorizationServer } from "../../support/auth/authorization-server.js";
import { until } from "../../support/until.mjs";
import { callerOf, claimsFor, denialOf, expectRefused, guardOf, resource } from "./requests.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));

const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

async function unknownKey(as: AuthorizationServer, kid: string): Promise<string> {
  const { privateKey } = await generateKeyPair("ES256");
  return new SignJWT(claimsFor(as)).setProtectedHeader({ alg: "ES256", kid }).sign(privateKey);
}

test("keys are read once, at the jwks_uri of the metadata of the issuer", async () => {
  const as = await authorizationServer({ path: "/tenant" });
  const guard = guardOf(as);
  for (const sub of ["a", "b", "c"]) await callerOf(guard, await as.sign(claimsFor(as, { sub })));
  expect([as.count("metadata"), as.count("jwks")]).toEqual([1, 1]);
});

test("a token with a new key leads to one request for keys, and is accepted", async () => {
  const as = await authorizationServer();
  const guard = guardOf(as);
  await callerOf(guard, await as.sign(claimsFor(as)));
  const old = as.state.keys.jwks().keys[0]!.kid!;
  await as.state.keys.add("ES256");
  pass(30_000);
  const fresh = await Promise.all(["a", "b", "c"].map((sub) => as.sign(claimsFor(as, { sub }))));
  await Promise.all(fresh.map((token) => callerOf(guard, token)));
  expect(as.count("jwks")).toBe(2);
  expect(old).not.toBe(as.state.keys.jwks().keys[0]!.kid);
});

test("attack 11: thousands of unknown kids lead to at most one request in 30 seconds", async () => {
  const as = await authorizationServer();
  const guard = guardOf(as);
  await callerOf(guard, await as.sign(claimsFor(as)));
  const token = await unknownKey(as, "kid");
  const [, payload, signature] = token.split(".");
  const forged = (kid: number): string =>
    [
      Buffer.from(JSON.stringify({ alg: "ES256", kid: `kid-${kid}` })).toString("base64url"),
      payload,
      signature,
    ].join(".");
  for (let second = 0; second < 60; second += 10) {
    await Promise.all(Array.from({ length: 200 }, (_, i) => denialOf(guard, forged(1000 * second + i))));
    pass(10_000);
  }
  // One read at the start, and one in the second half of the minute.
  expect(as.count("jwks")).toBe(2);
});

test("a key that the issuer withdrew is refused after its keys are read again", async () => {
  const as = await authorizationServer();
  const guard = guardOf(as, { cacheSeconds: 0 });
  const token = await as.sign(claimsFor(as, { exp: Math.floor(Date.now() / 1000) + 7200 }));
  await callerOf(guard, token);
  const [{ kid }] = as.state.keys.jwks().keys as [{ kid: string }];
  as.state.keys.remove(kid);
  await as.state.keys.add("ES256");
  pass(601_000);
  // The old keys are used while the new ones are read.
  await guard.http.authenticate({ method: "POST", url: resource, header: () => `Bearer ${token}` });
  await expect.poll(() => as.count("jwks")).toBe(2);
  // The new keys are in use soon after the response.
  const isRefused = (): Promise<boolean> =>
    expectRefused(guard, token, /no such key/).then(
      () => true,
      () => false,
    );
  await until("the refusal", isRefused);
});

test("while the issuer does not answer, known keys are used; without keys the answer is 503, not 401", async () => {
  let down = true;
  const as = await authorizationServer({
    fault: (_, answer) => (down ? { status: 500, body: "secret page of an error" } : answer),
  });
  const guard = guardOf(as);
  const token = await as.sign(claimsFor(as));
  for (let i = 0; i < 5; i++) {
    const { status, headers, text } = await denialOf(guard, token);
    expect({ status, retry: headers["retry-after"] }).toEqual({ status: 503, retry: "5" });
    expect(text).not.toContain("secret");
    expect(headers["www-authenticate"]).toBeUndefined();
  }
  // A failure counts as an attempt, too: there was one attempt, with a request to each place.
  expect(as.calls.length).toBe(2);
  down = false;
  pass(30_000);
  await callerOf(guard, token);
  down = true;
  pass(660_000);
  await callerOf(guard, await as.sign(claimsFor(as, { sub: "later" })));
});

test.each<[string, (as: AuthorizationServer) => Readonly<Record<string, unknown>>]>([
  ["another issuer", (as) => ({ issuer: `${as.issuer}/` })],
  ["no jwks_uri", () => ({ jwks_uri: undefined })],
  ["keys over http on another host", () => ({ jwks_uri: "http://10.0.0.1/keys" })],
  ["keys in a file", () => ({ jwks_uri: "file:///etc/passwd" })],
])("metadata with %s is not used", async (_, metadata) => {
  const changes: Record<string, unknown> = {};
  const as = await authorizationServer({ metadata: changes });
  Object.assign(changes, metadata(as));
  expect((await denialOf(guardOf(as), await as.sign(claimsFor(as)))).status).toBe(503);
  expect(as.count("jwks")).toBe(0);
});

test.each([
  "https://169.254.169.254/latest/meta-data",
  "https://10.0.0.1/keys",
  "https://[::ffff:7f00:1]/keys",
  "https://0x7f.1/keys",
  "https://2130706433/keys",
  "https://localhost./keys",
  "https://metadata.google.internal/keys",
  "https://keycloak/keys",
  "https://keycloak./keys",
  "http://127.0.0.1/keys",
  "http://auth.example.com/keys",
  "https://user:pw@keys.example.com/keys",
])("attack 12: metadata that names keys at %s leads to no request", async (jwks_uri) => {
  const issuer = "https://auth.example.com";
  const asked: string[] = [];
  const send = (url: string): Promise<Response> => {
    asked.push(url);
    return Promise.resolve(Response.json({ issuer, jwks_uri }));
  };
  const guard = resourceServer({ resource, issuers: [jwks(issuer, { fetch: send })] });
  const as = await authorizationServer();
  expect((await denialOf(guard, await as.sign(claimsFor(as, { iss: issuer })))).status).toBe(503);
  expect(asked).toEqual(["https://auth.example.com/.well-known/oauth-authorization-server"]);
});

test("keys may be on another public host, or on the host of the issuer", async () => {
  for (const [issuer, jwks_uri] of [
    ["https://accounts.example.com", "https://www.exampleapis.com/keys"],
    ["https://10.0.0.1:8443/realms/a", "https://10.0.0.1:8443/realms/a/certs"],
  ] as const) {
    const asked: string[] = [];
    const send = (url: string): Promise<Response> => {
      asked.push(url);
      return Promise.resolve(Response.json(url === jwks_uri ? { keys: [] } : { issuer, jwks_uri }));
    };
    const guard = resourceServer({ resource, issuers: [jwks(issuer, { fetch: send })] });
    const as = await authorizationServer();
    await expectRefused(guard, await as.sign(claimsFor(as, { iss: issuer })), /no such key/);
    expect(asked.at(-1)).toBe(jwks_uri);
  }
});

test("attack 12: a redirect of the keys is not followed", async () => {
  const other = await authorizationServer();
  const as = await authorizationServer({
    fault: ({ endpoint }, answer) =>
      endpoint === "jwks" ? { status: 302, headers: { location: `${other.issuer}/jwks.json` } } : answer,
  });
  expect((await denialOf(guardOf(as), await as.sign(claimsFor(as)))).status).toBe(503);
  expect(other.calls).toEqual([]);
});

test("attack 13: keys of more than 64 KB are not read", async () => {
  const as = await authorizationServer({
    fault: ({ endpoint }, answer) =>
      endpoint === "jwks" ? { status: 200, body: `{"keys":[],"pad":"${"x".repeat(70_000)}"}` } : answer,
  });
  expect((await denialOf(guardOf(as), await as.sign(claimsFor(as)))).text).toContain("65536 bytes");
});

test.each(["[]", "null", "{}", '{"keys":[1]}', "not json"])("keys that are %s are not used", async (body) => {
  const as = await authorizationServer({
    fault: ({ endpoint }, answer) => (endpoint === "jwks" ? { status: 200, body } : answer),
  });
  expect((await denialOf(guardOf(as), await as.sign(claimsFor(as)))).status).toBe(503);
});

test("keys may be passed as an option; then they are not requested", async () => {
  const as = await authorizationServer();
  const issuer = jwks(as.issuer, { keys: as.state.keys.jwks() });
  const guard = resourceServer({ resource, issuers: [issuer] });
  await callerOf(guard, await as.sign(claimsFor(as)));
  await expectRefused(guard, await unknownKey(as, "x"), /no such key/);
  expect(as.calls).toEqual([]);
});
