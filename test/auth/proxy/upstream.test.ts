import { AuthError, entra, github, google, oauthProxy, oidc, slack, type Upstream } from "@mcpgen/auth/proxy";
import { generateKeyPair, SignJWT } from "jose";
import { expect, test } from "vitest";
import { UpstreamClient } from "../../../runtime/auth/proxy/upstream.js";
import { authorizationUrl, Proxied } from "./proxied.js";

const verifier = "v".repeat(43);

async function loggedIn(
  options: ConstructorParameters<typeof Proxied>[1],
  proxied = new Proxied({}, options),
) {
  const client = await proxied.register();
  const tokens = await proxied.tokens(client);
  const claims = await proxied.proxy.verify(tokens.access_token);
  return { proxied, client, tokens, claims, upstream: () => proxied.proxy.upstream(claims) };
}

test("a token without expiry is never refreshed", async () => {
  const { proxied, upstream } = await loggedIn({});
  const token = await upstream();
  proxied.now += 20 * 60_000;
  expect(await upstream()).toBe(token);
  expect(proxied.upstream.count("/login/oauth/access_token")).toBe(1);
});

test("a token that is about to expire is refreshed once, by ten calls and two nodes", async () => {
  const { proxied, claims, upstream } = await loggedIn({ expiresIn: 600 });
  const first = await upstream();
  proxied.now += 541_000;
  const other = oauthProxy(proxied.defaults());
  const calls = Array.from({ length: 10 }, (_, index) => (index % 2 ? upstream() : other.upstream(claims)));
  const tokens = new Set(await Promise.all(calls));
  expect(tokens.size).toBe(1);
  expect([...tokens][0]).not.toBe(first);
  expect(proxied.upstream.count("/login/oauth/access_token")).toBe(2);
});

test.each(["invalid_grant", "bad_refresh_token"])(
  "an upstream that ends the login ends it here: the client must log in again (%s)",
  async (error) => {
    const answers = { denied: false };
    const { proxied, client, tokens, upstream } = await loggedIn({
      expiresIn: 600,
      tokenAnswer: (answer) => (answers.denied ? { error } : answer),
    });
    proxied.now += 700_000;
    answers.denied = true;
    await expect(upstream()).rejects.toMatchObject({ code: "auth-needs-user" });
    await expect(proxied.proxy.verify(tokens.access_token)).rejects.toMatchObject({
      code: "auth-token-refused",
    });
    expect((await proxied.refresh(client, tokens.refresh_token)).status).toBe(400);
  },
);

test("an upstream that no longer knows the proxy ends no login", async () => {
  const answers = { denied: false };
  const { proxied, tokens, upstream } = await loggedIn({
    expiresIn: 600,
    tokenAnswer: (answer) => (answers.denied ? { error: "incorrect_client_credentials" } : answer),
  });
  proxied.now += 700_000;
  answers.denied = true;
  await expect(upstream()).rejects.toMatchObject({ code: "auth-refused" });
  expect(await proxied.proxy.verify(tokens.access_token)).toMatchObject({ sub: "17" });
});

test("a temporary failure of the upstream does not end the login", async () => {
  const answers = { down: false };
  const { proxied, upstream } = await loggedIn({
    expiresIn: 600,
    tokenAnswer: (answer) => (answers.down ? { error: "temporarily_unavailable" } : answer),
  });
  const token = await upstream();
  proxied.now += 550_000;
  answers.down = true;
  // It is still valid.
  expect(await upstream()).toBe(token);
  proxied.now += 60_000;
  await expect(upstream()).rejects.toMatchObject({ code: "auth-unavailable" });
});

test("a token of the upstream may be long", async () => {
  const long = "x".repeat(12_000);
  const proxied = new Proxied({}, { tokenAnswer: (answer) => ({ ...answer, access_token: long }) });
  proxied.upstream.tokens.set(long, { id: 17, login: "ada" });
  const { upstream } = await loggedIn({}, proxied);
  expect(await upstream()).toBe(long);
});

test("a login that has ended has no token of the upstream", async () => {
  const { proxied, client, tokens, upstream } = await loggedIn({});
  await proxied.tokenRequest(client, { token: tokens.refresh_token }, "/revoke");
  await expect(upstream()).rejects.toBeInstanceOf(AuthError);
});

test("an error with status 200, as sent by GitHub, becomes an error for the client", async () => {
  const proxied = new Proxied(
    {},
    { tokenAnswer: () => ({ error: "bad_verification_code", error_description: "text" }) },
  );
  const { end } = await proxied.login(await proxied.register());
  expect(end.url.searchParams.get("error")).toBe("server_error");
  expect(end.url.href).not.toContain("text");
  expect(end.url.searchParams.get("iss")).toBe("https://api.example.com");
});

test("an answer of another issuer (mix-up) is refused before the token request", async () => {
  const proxied = new Proxied();
  const authorize = proxied.upstream.authorize.bind(proxied.upstream);
  proxied.upstream.authorize = (url) => `${authorize(url)}&iss=https%3A%2F%2Fattacker.example`;
  const { end } = await proxied.login(await proxied.register());
  expect(end.url.searchParams.get("error")).toBe("server_error");
  expect(proxied.upstream.count("/login/oauth/access_token")).toBe(0);
});

const registered = { clientId: "upstream-client", secret: "upstream-secret" };

/** A login at an upstream whose token endpoint gives an answer; `documents` are answers to requests without a form. */
async function throughProfile(
  upstream: Upstream,
  answer: (nonce: string | null) => Promise<object> | object,
  documents: Readonly<Record<string, object>> = {},
) {
  const requests: URLSearchParams[] = [];
  let nonce: string | null = null;
  const proxied = new Proxied({
    upstream,
    fetch: async (input, init) => {
      const document = documents[String(input)];
      if (document) return Response.json(document);
      requests.push(new URLSearchParams(String(init?.body)));
      return Response.json(await answer(nonce));
    },
  });
  const client = await proxied.register();
  const browser = proxied.browser();
  const page = await browser.open(authorizationUrl(client, verifier));
  const asked = (await browser.decide(page, "allow")).url;
  nonce = asked.searchParams.get("nonce");
  const callback = new URL("https://api.example.com/oauth/callback?code=c");
  callback.searchParams.set("state", asked.searchParams.get("state")!);
  const { url } = await browser.open(callback.href);
  const code = (url.pathname !== "/oauth/callback" && url.searchParams.get("code")) || "";
  const redeemed =
    code === "" ? undefined : await proxied.redeem(client, { code, verifier, page, end: page });
  const tokens = (await redeemed?.json()) as { access_token: string } | undefined;
  return {
    asked,
    requests,
    error: url.searchParams.get("error"),
    claims: tokens && (await proxied.proxy.verify(tokens.access_token)),
    proxied,
  };
}

const signing = generateKeyPair("RS256");
const idToken = async (claims: Record<string, unknown>) =>
  new SignJWT({ aud: registered.clientId, sub: "user-9", ...claims })
    .setProtectedHeader({ alg: "RS256" })
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign((await signing).privateKey);

test("google: offline access, the subject of the ID token, and its nonce", async () => {
  const profile = google({ ...registered, scopes: ["https://www.googleapis.com/auth/drive.readonly"] });
  const answer = (iss: string) => async (nonce: string | null) => ({
    ...{ access_token: "ya29", token_type: "Bearer", expires_in: 3599, refresh_token: "1//r" },
    id_token: await idToken({ iss, nonce }),
  });
  const { asked, claims, requests } = await throughProfile(profile, answer("https://accounts.google.com"));
  expect(asked.host).toBe("accounts.google.com");
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    access_type: "offline",
    prompt: "consent",
    scope: "openid https://www.googleapis.com/auth/drive.readonly",
  });
  expect(claims?.["sub"]).toBe("user-9");
  expect(requests[0]!.get("client_secret")).toBe(registered.secret);
  expect((await throughProfile(profile, answer("https://attacker.example"))).error).toBe("server_error");
  const stale = async () => ({ ...(await answer("https://accounts.google.com")("another nonce")) });
  expect((await throughProfile(profile, stale)).error).toBe("server_error");
});

test("entra: the ID token names the tenant by its id, the URL by its domain", async () => {
  const tid = "11111111-2222-3333-4444-555555555555";
  const profile = entra({ ...registered, tenant: "contoso.com", scopes: ["api://notes/read"] });
  const answer = (iss: string) => async (nonce: string | null) => ({
    ...{ access_token: "eyJ", token_type: "Bearer", expires_in: 3599 },
    id_token: await idToken({ iss, tid, nonce }),
  });
  const issuer = `https://login.microsoftonline.com/${tid}/v2.0`;
  const { asked, claims } = await throughProfile(profile, answer(issuer));
  expect(asked.href).toContain("https://login.microsoftonline.com/contoso.com/oauth2/v2.0/authorize?");
  expect(asked.searchParams.get("scope")).toBe("openid offline_access api://notes/read");
  expect(asked.searchParams.has("resource")).toBe(false);
  expect(claims?.["sub"]).toBe("user-9");
  expect((await throughProfile(profile, answer("https://sts.windows.net/x/"))).error).toBe("server_error");
  expect(() => entra({ ...registered, tenant: "a/b" })).toThrow(AuthError);
});

test("slack: user scopes, and a token inside the answer", async () => {
  const profile = slack({ ...registered, scopes: ["channels:read"] });
  const answer = {
    ok: true,
    team: { id: "T1" },
    authed_user: { id: "U1", access_token: "xoxp-1", token_type: "user" },
  };
  const { asked, claims, proxied } = await throughProfile(profile, () => answer);
  expect(asked.searchParams.get("user_scope")).toBe("users:read,channels:read");
  expect(asked.searchParams.has("scope")).toBe(false);
  expect(claims?.["sub"]).toBe("T1.U1");
  expect(await proxied.proxy.upstream(claims!)).toBe("xoxp-1");
  expect((await throughProfile(profile, () => ({ ok: false, error: "invalid_code" }))).error).toBe(
    "server_error",
  );
});

test("github: the user is found by his number, and scopes always name him", async () => {
  const profile = github({ ...registered, scopes: ["repo"] });
  const { asked, claims } = await throughProfile(profile, () => ({
    access_token: "gho_1",
    token_type: "bearer",
    id: 42,
    login: "ada",
  }));
  expect(asked.origin + asked.pathname).toBe("https://github.com/login/oauth/authorize");
  expect(asked.searchParams.get("scope")).toBe("read:user repo");
  expect(claims?.["sub"]).toBe("42");
});

test("an upstream that does not name the user lets no user in", async () => {
  const profile = github({ ...registered, scopes: [] });
  expect((await throughProfile(profile, () => ({ access_token: "gho_1", token_type: "bearer" }))).error).toBe(
    "server_error",
  );
});

const issuer = "https://login.example.com/tenant";

test("oidc: endpoints come from the discovery document, whose issuer must match exactly", async () => {
  const found = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
  };
  const url = `${issuer}/.well-known/openid-configuration`;
  const profile = oidc({ ...registered, name: "Example", issuer, scopes: ["profile"] });
  const answer = async (nonce: string | null) => ({
    ...{ access_token: "at", token_type: "Bearer", expires_in: 300 },
    id_token: await idToken({ iss: issuer, nonce }),
  });
  const { asked, claims } = await throughProfile(profile, answer, { [url]: found });
  expect(asked.href.startsWith(`${issuer}/authorize?`)).toBe(true);
  expect(asked.searchParams.get("scope")).toBe("openid profile");
  expect(claims?.["sub"]).toBe("user-9");
  const other = { [url]: { ...found, issuer: `${issuer}/` } };
  const refused = await throughProfile(oidc({ ...registered, name: "x", issuer }), answer, other);
  expect(refused.asked.href).toBe("https://api.example.com/consent");
});

const whole = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };

test.each<[string, object, number, string, string]>([
  [
    "a slash more",
    { ...whole, issuer: `${issuer}/` },
    200,
    "auth-metadata-invalid",
    `another issuer, "${issuer}/"`,
  ],
  [
    "no path",
    { ...whole, issuer: "https://login.example.com" },
    200,
    "auth-metadata-invalid",
    'issuer, "https://login.example.com"',
  ],
  ["no token endpoint", { ...whole, token_endpoint: null }, 200, "auth-metadata-invalid", "token_endpoint"],
  [
    "a malformed endpoint",
    { ...whole, revocation_endpoint: 7 },
    200,
    "auth-metadata-invalid",
    "revocation_endpoint",
  ],
  ["404", whole, 404, "auth-metadata-invalid", "issuer"],
  ["429", whole, 429, "auth-unavailable", "429"],
  ["503", whole, 503, "auth-unavailable", "503"],
])(
  "oidc: metadata with %s are not used, and the error has the reason",
  async (_, document, status, code, text) => {
    const profile = oidc({ ...registered, name: "Example", issuer });
    const send = async (): Promise<Response> => Response.json(document, { status });
    const client = new UpstreamClient(profile, "https://api.example.com/oauth/callback", send);
    const request = { state: "s", verifier, nonce: "n" };
    const error = await client.authorizationUrl(request, []).catch((error: unknown) => error);
    expect(error).toMatchObject({ code, message: expect.stringContaining(text) as string });
  },
);

test("oidc: optional endpoints count as absent if they are null", async () => {
  const document = { ...whole, revocation_endpoint: null, jwks_uri: null, userinfo_endpoint: null };
  const profile = oidc({ ...registered, name: "Example", issuer });
  const send = async (): Promise<Response> => Response.json(document);
  const client = new UpstreamClient(profile, "https://api.example.com/oauth/callback", send);
  const url = await client.authorizationUrl({ state: "s", verifier, nonce: "n" }, []);
  expect(url.startsWith(`${issuer}/authorize?`)).toBe(true);
});

test.each([408, 425, 429, 500, 503])(
  "an upstream that answers %i ends no login, whatever the body says",
  async (status) => {
    let isBusy = false;
    const proxied: Proxied = new Proxied(
      {
        fetch: (input, init) =>
          isBusy && String(input).endsWith("/access_token")
            ? Promise.resolve(Response.json({ error: "invalid_grant" }, { status }))
            : proxied.upstream.fetch(input as string, init),
      },
      { expiresIn: 600 },
    );
    const { upstream } = await loggedIn({}, proxied);
    const first = await upstream();
    proxied.now += 550_000;
    isBusy = true;
    // It is still valid.
    expect(await upstream()).toBe(first);
    proxied.now += 60_000;
    await expect(upstream()).rejects.toMatchObject({ code: "auth-unavailable" });
    isBusy = false;
    expect(await upstream()).not.toBe(first);
  },
);
