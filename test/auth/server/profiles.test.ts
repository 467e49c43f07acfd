import { type CryptoKey, SignJWT, exportJWK, generateKeyPair } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import {
  auth0,
  cognito,
  entra,
  google,
  introspection,
  keycloak,
  okta,
  pingOne,
  type ResourceServer,
  resourceServer,
  zitadel,
} from "@mcpgen/auth/server";
import { type Provider, opaqueTokens, providers } from "./providers.js";
import { callerOf, denialOf, expectRefused, resource } from "./requests.js";

const keys = new Map<unknown, { readonly privateKey: CryptoKey; readonly jwk: object }>();

beforeAll(async () => {
  for (const alg of ["RS256", "ES384"]) {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    keys.set(alg, { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: "k1", alg, use: "sig" } });
  }
});

/** A platform that serves the documents of a provider, and the URLs that were asked. */
function platform({ metadata, header }: Provider): { send: typeof fetch; asked: string[] } {
  const asked: string[] = [];
  const send = (input: unknown): Promise<Response> => {
    const url = String(input);
    asked.push(url);
    if (url === metadata.jwks_uri)
      return Promise.resolve(Response.json({ keys: [keys.get(header["alg"])!.jwk] }));
    const isMetadata = url.includes("/.well-known/") && !url.endsWith("jwks.json");
    return Promise.resolve(isMetadata ? Response.json(metadata) : new Response(null, { status: 404 }));
  };
  return { send: send as typeof fetch, asked };
}

function tokenOf({ header, claims }: Provider, changes: object = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const all: Record<string, unknown> = { ...claims, iat: now, exp: now + 3600, ...changes };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new SignJWT(given)
    .setProtectedHeader({ ...(header as { alg: string }), kid: "k1" })
    .sign(keys.get(header["alg"])!.privateKey);
}

describe.each(providers.map((provider) => [provider.name, provider] as const))("%s", (_, provider) => {
  test("a token of the documented shape is accepted", async () => {
    const { send, asked } = platform(provider);
    const issuer = provider.issuer(send);
    const guard = resourceServer({ resource, issuers: [issuer] });
    const { principal, auth } = await callerOf(guard, await tokenOf(provider));
    const { clientId, scopes } = auth;
    expect({ principal, clientId, scopes }).toEqual(provider.expected);
    // Clients find the authorization server under the name that its metadata has.
    expect(guard.metadata["authorization_servers"]).toEqual([provider.metadata.issuer]);
    expect(asked.at(-1)).toBe(provider.metadata.jwks_uri);
    expect(asked.length > 1).toBe(provider.discovers !== false);
  });

  test.each(Object.entries(provider.refused))("a token %s is refused", async (_, changes) => {
    const { send } = platform(provider);
    const guard = resourceServer({ resource, issuers: [provider.issuer(send)] });
    await expectRefused(guard, await tokenOf(provider, changes));
  });
});

test("at least 12 providers are covered", () => {
  const names = [...providers.map(({ name }) => name.split(",")[0]), ...Object.keys(opaqueTokens), "Google"];
  expect(new Set(names).size).toBeGreaterThanOrEqual(12);
});

test.each(Object.entries(opaqueTokens))(
  "a token of %s is for its own API, and is refused",
  async (_, token) => {
    const provider = providers[0]!;
    const guard = resourceServer({ resource, issuers: [provider.issuer(platform(provider).send)] });
    await expectRefused(guard, token, /no issuer/);
  },
);

describe("Google", () => {
  // https://developers.google.com/identity/protocols/oauth2
  const answer = {
    azp: "123-abc.apps.googleusercontent.com",
    aud: "123-abc.apps.googleusercontent.com",
    sub: "112233445566778899000",
    scope: "openid https://www.googleapis.com/auth/userinfo.email",
    exp: String(Math.floor(Date.now() / 1000) + 3599),
    expires_in: "3599",
    email: "jane@example.com",
    email_verified: "true",
    access_type: "online",
  };
  const asked: [string, RequestInit][] = [];
  const guardWith = (body: object, status = 200): ResourceServer =>
    resourceServer({
      resource,
      issuers: [
        google({
          clients: ["123-abc.apps.googleusercontent.com"],
          fetch: (url, init) => {
            asked.push([url, init]);
            return Promise.resolve(Response.json(body, { status }));
          },
        }),
      ],
    });

  test("an access token is looked up, and not sent in a URL", async () => {
    const { principal, auth } = await callerOf(guardWith(answer), "ya29.token-of-google");
    expect(principal).toBe("https://accounts.google.com|112233445566778899000");
    expect(auth).toMatchObject({ clientId: answer.azp, scopes: answer.scope.split(" ") });
    const [url, init] = asked.at(-1)!;
    expect(url).toBe("https://oauth2.googleapis.com/tokeninfo");
    expect(init).toMatchObject({
      method: "POST",
      body: "access_token=ya29.token-of-google",
      redirect: "manual",
    });
  });

  test.each<[string, object, number, number]>([
    ["of another client", { ...answer, aud: "999.apps.googleusercontent.com" }, 200, 401],
    ["an ID token", { ...answer, iss: "https://accounts.google.com" }, 200, 401],
    ["without expiry", { ...answer, exp: undefined }, 200, 401],
    ["an unknown token", { error: "invalid_token" }, 400, 401],
    ["when it fails", {}, 500, 503],
    ["when it answers no object", [] as object, 200, 503],
    ["an expiry that is no number", { ...answer, exp: "soon" }, 200, 401],
    ["a subject that is no text", { ...answer, sub: 17 }, 200, 401],
  ])("%s", async (_, body, answered, status) => {
    expect((await denialOf(guardWith(body, answered), "ya29.x")).status).toBe(status);
  });
});

test.each<[() => unknown, string]>([
  [() => entra({ tenant: "common", clientId: "6731de76-14a6-49ae-97bc-6eba6914391e" }), "entra.tenant: "],
  [() => entra({ tenant: "organizations", clientId: "x" }), "entra.tenant: "],
  [() => entra({ tenant: "8eaef023-2b34-4da1-9baa-8bc8c9d6a490", clientId: "x" }), "entra.clientId: "],
  [() => cognito({ region: "x", userPool: "eu-west-1_A" }), "cognito.region: "],
  [() => cognito({ region: "eu-west-1", userPool: "../x" }), "cognito.userPool: "],
  [() => cognito({ region: "eu-west-1", userPool: "eu-west-1_A", clients: [] }), "cognito.clients: "],
  [() => auth0({ domain: "https://x.auth0.com" }), "auth0.domain: "],
  [() => auth0({ domain: "x.auth0.com/path" }), "auth0.domain: "],
  [() => auth0({ domain: "x.auth0.com", audience: [] }), "audience: "],
  [() => auth0({ domains: "x" } as never), "auth0.domains: there is no such option"],
  [() => okta({ domain: "x.okta.com", server: "a/b" }), "okta.server: "],
  [() => keycloak({ url: "http://keycloak.example.com", realm: "r" }), "issuer): "],
  [() => keycloak({ url: "https://keycloak.example.com", realm: ".." }), "keycloak.realm: "],
  [() => pingOne({ environment: "a?b" }), "pingOne.environment: "],
  [() => zitadel({ domain: "x.zitadel.cloud", project: "" }), "zitadel.project: "],
  [
    () => zitadel({ domain: "x.zitadel.cloud", project: "1", audience: "x" } as never),
    "zitadel.audience: there is no",
  ],
  [() => google({ clients: [] }), "google.clients: "],
])("the error of a profile names the wrong option (%#)", (make, message) => {
  expect(make).toThrow(message);
});

test("introspection and JWT of one deployment can be used together", async () => {
  const provider = providers.find(({ name }) => name === "Logto")!;
  const { send } = platform(provider);
  const opaque = introspection({
    issuer: "https://opaque.example.com",
    endpoint: "https://opaque.example.com/introspect",
    clientId: "a",
    clientSecret: "secret",
    fetch: () => Promise.resolve(Response.json({ active: false })),
  });
  const guard = resourceServer({ resource, issuers: [provider.issuer(send), opaque] });
  await callerOf(guard, await tokenOf(provider));
  await expectRefused(guard, "opaque");
});
