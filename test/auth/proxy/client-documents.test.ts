import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { authorizationUrl, issuer, Proxied, redirectUri, type TestClient } from "./proxied.js";

const id = "https://client.example.org/oauth/client.json";
const verifier = "v".repeat(43);
const client: TestClient = { id, method: "none", redirectUri };
const good = { client_id: id, client_name: "Agent", redirect_uris: [redirectUri] };

/** A proxy that fetches metadata documents from `documents`. */
function withDocuments(documents: Record<string, unknown>) {
  const fetched: string[] = [];
  const proxied: Proxied = new Proxied({
    fetch: async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      if (url.startsWith(proxied.upstream.origin)) return proxied.upstream.fetch(input, init);
      fetched.push(url);
      const document = documents[url];
      if (document === undefined) return new Response("", { status: 404 });
      return document instanceof Response ? document.clone() : Response.json(document);
    },
  });
  return { proxied, fetched };
}

const shown = async (proxied: Proxied, params = {}) =>
  proxied.browser().open(authorizationUrl(client, verifier, params));

test("a client that no server has seen logs in by its metadata document", async () => {
  const { proxied, fetched } = withDocuments({
    [id]: { ...good, grant_types: ["authorization_code", "refresh_token"] },
  });
  const tokens = await proxied.tokens(client);
  expect(tokens.refresh_token).toBeDefined();
  expect((await shown(proxied)).text).toContain("published by client.example.org");
  expect(fetched).toEqual([id]);
});

test.each<[string, unknown]>([
  ["another client_id", { ...good, client_id: "https://attacker.example/c.json" }],
  ["a client_id with a slash more", { ...good, client_id: `${id}/` }],
  ["no client_name", { ...good, client_name: undefined }],
  ["no redirect_uris", { ...good, redirect_uris: [] }],
  ["a redirect URI that is not https", { ...good, redirect_uris: ["http://a.example/"] }],
  ["a secret", { ...good, client_secret: "x" }],
  ["authentication by a secret", { ...good, token_endpoint_auth_method: "client_secret_post" }],
  ["private_key_jwt without keys", { ...good, token_endpoint_auth_method: "private_key_jwt" }],
  ["more than 64 KB", { ...good, padding: "x".repeat(66_000) }],
  ["a list", [good]],
  ["a text", new Response("not json")],
  [
    "a type that is not JSON",
    new Response(JSON.stringify(good), { headers: { "content-type": "text/html" } }),
  ],
  ["a redirection", new Response("", { status: 302, headers: { location: "https://a.example/" } })],
])("a document with %s is refused", async (_, document) => {
  const { proxied } = withDocuments({ [id]: document });
  const { response, text } = await shown(proxied);
  expect(response.status).toBe(400);
  expect(text).not.toContain("<form");
});

test.each([
  "http://client.example.org/c.json",
  "https://client.example.org",
  "https://client.example.org/",
  "https://client.example.org/c.json#x",
  "https://user@client.example.org/c.json",
  "https://client.example.org/a/../c.json",
  "https://CLIENT.example.org/c.json",
])("the client id %s is not a document address, and is not fetched", async (other) => {
  const { proxied, fetched } = withDocuments({});
  expect((await shown(proxied, { client_id: other })).response.status).toBe(400);
  expect(fetched).toEqual([]);
});

test("a redirect URI must be in the document; a loopback one may have another port", async () => {
  const uris = [redirectUri, "http://127.0.0.1:3000/cb"];
  const { proxied } = withDocuments({ [id]: { ...good, redirect_uris: uris } });
  expect((await shown(proxied, { redirect_uri: "https://attacker.example/" })).response.status).toBe(400);
  const local = await shown(proxied, { redirect_uri: "http://127.0.0.1:40000/cb" });
  expect(local.text).toContain("an application on this computer");
});

test("the user is asked again about a document that changes after the consent, and removed redirect URIs end", async () => {
  const documents: Record<string, unknown> = { [id]: good };
  const { proxied } = withDocuments(documents);
  const browser = proxied.browser();
  await proxied.login(client, {}, browser);
  documents[id] = {
    ...good,
    client_name: "Another",
    redirect_uris: [redirectUri, "https://attacker.example/"],
  };
  proxied.now += 2 * 3_600_000;
  const attack = await browser.open(
    authorizationUrl(client, verifier, { redirect_uri: "https://attacker.example/" }),
  );
  expect(attack.text).toContain("<form");
  expect((await browser.open(authorizationUrl(client, verifier))).text).toContain("Another");
  documents[id] = { ...good, redirect_uris: ["https://new.example/"] };
  proxied.now += 2 * 3_600_000;
  expect((await browser.open(authorizationUrl(client, verifier))).response.status).toBe(400);
});

test("allowRedirects decides about documents and registrations alike", async () => {
  const allowRedirects = (uri: string): boolean => uri.startsWith("https://app.example.net/");
  const other = "https://other.example/";
  const document = { ...good, redirect_uris: [redirectUri, other] };
  const proxied = new Proxied({ clients: { allowRedirects }, fetch: async () => Response.json(document) });
  expect((await shown(proxied)).response.status).toBe(200);
  expect((await shown(proxied, { redirect_uri: other })).response.status).toBe(400);
  expect((await proxied.registration({ redirect_uris: [other] })).status).toBe(400);
});

test("documents are cached as their headers say, at least a minute; parallel requests fetch once", async () => {
  const document = Response.json(good, { headers: { "cache-control": "max-age=0" } });
  const { proxied, fetched } = withDocuments({ [id]: document });
  await Promise.all(Array.from({ length: 10 }, () => shown(proxied)));
  expect(fetched).toHaveLength(1);
  proxied.now += 59_000;
  await shown(proxied);
  expect(fetched).toHaveLength(1);
  proxied.now += 2000;
  await shown(proxied);
  expect(fetched).toHaveLength(2);
});

test("a failure is not fetched again for ten seconds", async () => {
  const { proxied, fetched } = withDocuments({});
  for (let count = 0; count < 5; count += 1) await shown(proxied);
  expect(fetched).toHaveLength(1);
});

test("the shape of a client that offers none and private_key_jwt: it is public", async () => {
  const { proxied } = withDocuments({
    [id]: {
      ...good,
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
      response_types: ["code", "id_token"],
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      jwks_uri: "https://client.example.org/jwks.json",
    },
  });
  expect((await proxied.tokens(client)).access_token).toBeDefined();
});

test("private_key_jwt: an assertion of the client's key works once; others are 401", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwksUri = "https://client.example.org/jwks.json";
  const { proxied } = withDocuments({
    [id]: { ...good, token_endpoint_auth_method: "private_key_jwt", jwks_uri: jwksUri },
    [jwksUri]: { keys: [await exportJWK(publicKey)] },
  });
  const assertion = (claims: Record<string, unknown> = {}, key = privateKey) =>
    new SignJWT({
      iss: id,
      sub: id,
      aud: issuer,
      jti: crypto.randomUUID(),
      exp: proxied.now / 1000 + 60,
      ...claims,
    })
      .setProtectedHeader({ alg: "ES256" })
      .sign(key);
  const login = await proxied.login(client);
  const redeem = async (text: string | undefined) =>
    (
      await proxied.redeem(client, login, {
        client_assertion: text,
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      })
    ).status;
  const other = await generateKeyPair("ES256");
  expect(await redeem(undefined)).toBe(401);
  expect(await redeem(await assertion({}, other.privateKey))).toBe(401);
  expect(await redeem(await assertion({ aud: "https://other.example" }))).toBe(401);
  expect(await redeem(await assertion({ iss: "https://other.example" }))).toBe(401);
  expect(await redeem(await assertion({ exp: proxied.now / 1000 - 60 }))).toBe(401);
  expect(await redeem(await assertion({ exp: proxied.now / 1000 + 86_400 }))).toBe(401);
  expect(await redeem(await assertion({ jti: undefined }))).toBe(401);
  const { put } = proxied.store;
  proxied.store.put = () => Promise.reject(Object.assign(new Error("no store"), { code: "ECONNREFUSED" }));
  await expect(redeem(await assertion())).rejects.toThrow("no store");
  proxied.store.put = put;
  const fresh = await assertion();
  expect(await redeem(fresh)).toBe(200);
  expect(await redeem(fresh)).toBe(401);
});

describe("attack 18: requests without a login fetch no document", () => {
  const forms: readonly (readonly [string, string, Record<string, string>])[] = [
    [
      "a code that is none",
      "token",
      { grant_type: "authorization_code", code: "x", code_verifier: verifier },
    ],
    ["a refresh token that is none", "token", { grant_type: "refresh_token", refresh_token: "x" }],
    ["neither", "token", { grant_type: "authorization_code" }],
    ["a token that is none", "revoke", { token: "x" }],
  ];

  test.each(forms)("with %s at %s", async (_, endpoint, form) => {
    const { proxied, fetched } = withDocuments({ [id]: good });
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const client_id = `https://client${at}.example.org/c.json`;
        return (await proxied.post(`/${endpoint}`, { ...form, client_id })).status;
      }),
    );
    expect(fetched).toEqual([]);
    // An answer to a revocation does not say whether the token was one (RFC 7009, 2.2).
    expect(new Set(statuses)).toEqual(new Set([endpoint === "token" ? 400 : 200]));
  });

  test("a code of another client fetches nothing, and ends the login", async () => {
    const { proxied, fetched } = withDocuments({ [id]: good });
    const done = await proxied.login(client);
    fetched.length = 0;
    const stolen = await proxied.redeem({ ...client, id: "https://attacker.example/c.json" }, done);
    expect([stolen.status, await stolen.json()]).toMatchObject([400, { error: "invalid_grant" }]);
    expect(fetched).toEqual([]);
    expect((await proxied.redeem(client, done)).status).toBe(400);
  });
});

test("without cimd, no document is fetched, and metadata do not offer it", async () => {
  const proxied = new Proxied({
    clients: { cimd: false },
    fetch: () => Promise.reject(new Error("fetched")),
  });
  expect((await shown(proxied)).response.status).toBe(400);
  const metadata = await (await proxied.ask("/.well-known/oauth-authorization-server")).json();
  expect(metadata).toMatchObject({ client_id_metadata_document_supported: false });
});
