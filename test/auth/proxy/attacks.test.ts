import { expect, test } from "vitest";
import type { Visit } from "./browser.js";
import { authorizationUrl, issuer, Proxied, redirectUri, type TestClient } from "./proxied.js";

const verifier = "v".repeat(43);

/** Expects a page of the proxy that refuses the login and has no redirect. */
function expectRefused({ url, response, text }: Visit): void {
  expect(url.origin).toBe(issuer);
  expect(response.status).toBe(400);
  expect(text).toContain("This login cannot continue");
}

async function errorOf(response: Response): Promise<string> {
  expect(response.status).toBeGreaterThanOrEqual(400);
  return ((await response.json()) as { error: string }).error;
}

test.each<[string, Record<string, string | undefined>]>([
  ["no challenge", { code_challenge: undefined, code_challenge_method: undefined }],
  ["the method plain", { code_challenge_method: "plain" }],
  ["no method, which is plain", { code_challenge_method: undefined }],
  ["an unknown method", { code_challenge_method: "S512" }],
  ["a challenge that is no digest", { code_challenge: "abc" }],
])("PKCE: %s is refused", async (_, params) => {
  const proxied = new Proxied();
  const visit = await proxied.browser().open(authorizationUrl(await proxied.register(), verifier, params));
  expectRefused(visit);
  expect(visit.text).toContain("PKCE");
});

test.each<[string, Record<string, string | undefined>]>([
  ["another verifier", { code_verifier: "w".repeat(43) }],
  ["no verifier", { code_verifier: undefined }],
  ["a verifier that is too short", { code_verifier: "v".repeat(42) }],
])("PKCE: %s is refused", async (_, form) => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const login = await proxied.login(client);
  expect(await errorOf(await proxied.redeem(client, login, form))).toBe("invalid_grant");
});

test("PKCE: the upstream gets a challenge, too, and no code is exchanged without its verifier", async () => {
  const proxied = new Proxied();
  await proxied.login(await proxied.register());
  const [authorize, token] = proxied.upstream.requests;
  expect(authorize!.params.get("code_challenge_method")).toBe("S256");
  expect(token!.params.get("code_verifier")).toMatch(/^[\w-]{43}$/);
});

test("PKCE: clients are protected even if the upstream ignores the verifier", async () => {
  const proxied = new Proxied({}, { pkce: false });
  const client = await proxied.register();
  const login = await proxied.login(client);
  expect(await errorOf(await proxied.redeem(client, login, { code_verifier: "w".repeat(43) }))).toBe(
    "invalid_grant",
  );
  const none = authorizationUrl(client, verifier, { code_challenge: undefined });
  expectRefused(await proxied.browser().open(none));
  // A browser that has not begun the login cannot use the upstream's code, either.
  const { back } = await begun(proxied, client);
  expectRefused(await proxied.browser().open(back));
});

const hostileRedirects = [
  ["a prefix", "https://app.example.net/callback.attacker"],
  ["a user name", "https://app.example.net@attacker.example/callback"],
  ["an encoded slash", "https://app.example.net%2Fcallback"],
  ["another port", "https://app.example.net:8443/callback"],
  ["a fragment", `${redirectUri}#x`],
  ["a script", "javascript:alert(1)"],
  ["data", "data:text/html,<script>1</script>"],
  ["the scheme of another application", "vscode://other.app/callback"],
  ["two slashes", "//attacker.example/callback"],
  ["a backslash", "https://app.example.net\\@attacker.example/"],
  ["upper case", "HTTPS://APP.EXAMPLE.NET/callback"],
  ["white space", `${redirectUri}%20 `],
] as const;

test.each(hostileRedirects)("redirect_uri with %s is refused, without a redirection", async (_, uri) => {
  const proxied = new Proxied();
  const client = await proxied.register();
  expectRefused(await proxied.browser().open(authorizationUrl(client, verifier, { redirect_uri: uri })));
});

test.each([
  ["a user name", "https://app@attacker.example/callback"],
  ["an empty user name", "https://@attacker.example/callback"],
  ["a fragment", "https://attacker.example/#"],
  ["a script", "javascript:alert(1)"],
  ["a custom scheme", "cursor://callback"],
  ["http of another host", "http://attacker.example/"],
  ["a host that looks like loopback", "http://127.0.0.1.attacker.example/"],
  ["a backslash", "https:\\\\attacker.example/"],
  ["a line break", "https://attacker.example/\n"],
  ["no host", "https:///callback"],
])("a redirect URI with %s is not registered", async (_, uri) => {
  const response = await new Proxied().registration({ redirect_uris: [uri] });
  expect(await errorOf(response)).toBe("invalid_redirect_uri");
});

test("a loopback redirect may have any port; host and path stay", async () => {
  const proxied = new Proxied();
  const client = await proxied.register({ redirect_uris: ["http://127.0.0.1:1234/cb", "http://[::1]/cb"] });
  const shown = async (uri: string): Promise<number> =>
    (await proxied.browser().open(authorizationUrl(client, verifier, { redirect_uri: uri }))).response.status;
  expect(await shown("http://127.0.0.1:4711/cb")).toBe(200);
  expect(await shown("http://127.0.0.1/cb")).toBe(200);
  expect(await shown("http://[::1]:9/cb")).toBe(200);
  expect(await shown("http://127.0.0.1:65535/cb")).toBe(200);
  expect(await shown("http://127.0.0.1:65536/cb")).toBe(400);
  expect(await shown("http://localhost:4711/cb")).toBe(400);
  expect(await shown("http://127.0.0.1:4711/cb/")).toBe(400);
  expect(await shown("http://127.0.0.1:4711/cb?x=1")).toBe(400);
  expect(await shown("http://127.0.0.1:4711@attacker.example/cb")).toBe(400);
  expect(await shown("https://127.0.0.1:4711/cb")).toBe(400);
});

test("open redirect: an error of a client that anybody can register is a page, not a redirection", async () => {
  const proxied = new Proxied();
  const phishing = await proxied.register({ redirect_uris: ["https://phishing.example/"] });
  const visit = await proxied
    .browser()
    .open(authorizationUrl(phishing, verifier, { response_type: "token" }));
  expectRefused(visit);
  expect(visit.text).toContain('href="https://phishing.example/?error=unsupported_response_type');
});

test("open redirect: an unregistered redirect with error= is a page", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const params = { redirect_uri: "https://attacker.example/?error=access_denied", response_type: "x" };
  const visit = await proxied.browser().open(authorizationUrl(client, verifier, params));
  expectRefused(visit);
  expect(visit.text).not.toContain("attacker.example");
});

test("open redirect: a callback with parameters for another host stays here", async () => {
  const proxied = new Proxied();
  for (const query of [
    "state=//evil.example",
    "redirect_uri=https://evil.example&state=x",
    "error=x&state=y",
  ])
    expectRefused(await proxied.browser().open(`${issuer}/oauth/callback?${query}`));
});

test("an error of a client on this machine goes there, with iss", async () => {
  const proxied = new Proxied();
  const client = await proxied.register({ redirect_uris: ["http://127.0.0.1/cb"] });
  const { url } = await proxied
    .browser()
    .open(authorizationUrl(client, verifier, { resource: "https://b.example" }));
  expect(url.host).toBe("127.0.0.1");
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: "invalid_target", iss: issuer });
  expect(url.searchParams.get("state")).toBe("client-state");
});

/** A login that stops before the upstream redirects back. */
async function begun(proxied: Proxied, client: TestClient) {
  const browser = proxied.browser();
  const authorize = proxied.upstream.authorize.bind(proxied.upstream);
  let back = "";
  proxied.upstream.authorize = (url) => {
    back = authorize(url);
    return "https://stopped.example/";
  };
  await browser.decide(await browser.open(authorizationUrl(client, verifier)), "allow");
  proxied.upstream.authorize = authorize;
  return { browser, back };
}

test("AS-in-the-middle: the browser of the victim cannot finish the login of the attacker", async () => {
  const proxied = new Proxied();
  const { back } = await begun(proxied, await proxied.register());
  expectRefused(await proxied.browser().open(back));
  // A victim that has begun a login of the same client is protected, too.
  const { browser } = await begun(proxied, await proxied.register());
  expectRefused(await browser.open(back));
  expect(proxied.upstream.count("/login/oauth/access_token")).toBe(0);
});

test("a state that the attacker chose is refused", async () => {
  const proxied = new Proxied();
  const { browser, back } = await begun(proxied, await proxied.register());
  const fixed = new URL(back);
  fixed.searchParams.set("state", "a".repeat(43));
  expectRefused(await browser.open(fixed.href));
});

test("a code is exchanged once; its second use ends the login", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const login = await proxied.login(client);
  const tokens = (await (await proxied.redeem(client, login)).json()) as Record<string, string>;
  expect(await errorOf(await proxied.redeem(client, login))).toBe("invalid_grant");
  await expect(proxied.proxy.verify(tokens["access_token"]!)).rejects.toMatchObject({
    code: "auth-token-refused",
  });
  expect(await errorOf(await proxied.refresh(client, tokens["refresh_token"]!))).toBe("invalid_grant");
});

test("a code that two requests exchange at the same time ends the login, too", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const login = await proxied.login(client);
  const both = await Promise.all([proxied.redeem(client, login), proxied.redeem(client, login)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
});

test("a code of another client is refused, and the login ended", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const login = await proxied.login(client);
  const thief = await proxied.register({ client_name: "Thief" });
  expect(await errorOf(await proxied.redeem(thief, login))).toBe("invalid_grant");
  expect(await errorOf(await proxied.redeem(client, login))).toBe("invalid_grant");
});

test.each([
  ["redirect_uri", "invalid_grant", { redirect_uri: "https://app.example.net/other" }],
  ["resource", "invalid_target", { resource: "https://api.example.com/other" }],
])("a code with another %s is refused, and still belongs to its client", async (_, error, form) => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const login = await proxied.login(client);
  expect(await errorOf(await proxied.redeem(client, login, form))).toBe(error);
  expect((await proxied.redeem(client, login)).status).toBe(200);
});

test("a code is valid for a minute", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const login = await proxied.login(client);
  proxied.now += 60_000;
  expect(await errorOf(await proxied.redeem(client, login))).toBe("invalid_grant");
});

test("a sealed text is valid only for its purpose", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const login = await proxied.login(client);
  expectRefused(await proxied.browser().open(authorizationUrl({ ...client, id: login.code }, verifier)));
  expect(await errorOf(await proxied.redeem(client, { ...login, code: client.id }))).toBe("invalid_grant");
});

test.each([
  ["markup", '<img src=x onerror=alert(1)>"&', "&lt;img src=x onerror=alert(1)&gt;&quot;&amp;"],
  ["a change of direction", "evil\u202Egpj.exe\u2066", "evilgpj.exe"],
  ["lines and zero width", "A\u200B\nB\u0000", "A B"],
  ["400 characters", "x".repeat(400), `<bdi>${"x".repeat(64)}</bdi>`],
])("consent: a name with %s is shown as text", async (_, name, shown) => {
  const proxied = new Proxied();
  const client = await proxied.register({ client_name: name });
  const { text } = await proxied.browser().open(authorizationUrl(client, verifier));
  expect(text).toContain(shown);
  expect(text).not.toContain("<img");
});

test("consent: no address that a client registers is fetched or shown as an image or link", async () => {
  const asked: string[] = [];
  const proxied: Proxied = new Proxied({
    fetch: async (input, init) => {
      asked.push(input instanceof Request ? input.url : String(input));
      return proxied.upstream.fetch(input, init);
    },
  });
  const addresses = Object.fromEntries(
    ["logo_uri", "client_uri", "policy_uri", "tos_uri", "jwks_uri"].map((name) => [
      name,
      `http://169.254.169.254/${name}`,
    ]),
  );
  const client = await proxied.register(addresses);
  const { text } = await proxied.browser().open(authorizationUrl(client, verifier));
  expect(text).toContain("Test client");
  expect(text).not.toMatch(/169\.254|<img/);
  expect(asked).toEqual([]);
});

test("consent: the host of the redirect URI is shown as the browser will resolve it", async () => {
  const proxied = new Proxied();
  const uri = "https://xn--pple-43d.com/cb?host=app.example.net";
  const client = await proxied.register({ redirect_uris: [uri] });
  const { text } = await proxied.browser().open(authorizationUrl(client, verifier));
  expect(text).toContain("<strong>xn--pple-43d.com</strong>");
});

test("consent: the remembered decision about one client does not apply to another client_id", async () => {
  const proxied = new Proxied();
  const browser = proxied.browser();
  await proxied.login(await proxied.register(), {}, browser);
  const other = await proxied.register({
    client_name: "Other",
    redirect_uris: ["https://attacker.example/"],
  });
  expect((await browser.open(authorizationUrl(other, verifier))).text).toContain("attacker.example");
});

test("consent: the user is asked again about additional scopes", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const browser = proxied.browser();
  await proxied.login(client, { scope: "gist" }, browser);
  expect((await browser.open(authorizationUrl(client, verifier, { scope: "gist" }))).url.host).toBe(
    "app.example.net",
  );
  expect((await browser.open(authorizationUrl(client, verifier, { scope: "gist repo" }))).text).toContain(
    "<form",
  );
});

test.each(["http://127.0.0.1/cb", "http://[::1]:4711/cb", "http://localhost/cb", "cursor://cb"])(
  "consent: the user is asked each time about a public client that registered %s (RFC 8252, 8.6)",
  async (uri) => {
    const proxied = new Proxied({ clients: { customSchemes: ["cursor"] } });
    const client = await proxied.register({ redirect_uris: [uri], token_endpoint_auth_method: "none" });
    const browser = proxied.browser();
    await proxied.login({ ...client, redirectUri: uri }, {}, browser);
    expect((await browser.open(authorizationUrl({ ...client, redirectUri: uri }, verifier))).text).toContain(
      "<form",
    );
  },
);

test("consent: no decision is remembered if any application can use the client id", async () => {
  const known = [{ id: "cli", name: "Our CLI", redirectUris: ["http://127.0.0.1/cb"] }];
  const proxied = new Proxied({ clients: { known } });
  const client = { id: "cli", method: "none", redirectUri: "http://127.0.0.1/cb" };
  const browser = proxied.browser();
  await proxied.login(client, {}, browser);
  expect((await browser.open(authorizationUrl(client, verifier))).text).toContain("<form");
});

test.each(["127.0.0.1", "[::1]", "localhost"])(
  "consent: a decision counts for every port of %s, and for one path",
  async (host) => {
    const proxied = new Proxied();
    const at = (end: string): string => `http://${host}${end}`;
    const client = await proxied.register({
      redirect_uris: [at("/cb"), at("/cb:4711")],
      token_endpoint_auth_method: "client_secret_basic",
    });
    const browser = proxied.browser();
    await proxied.login({ ...client, redirectUri: at(":4711/cb") }, {}, browser);
    const shown = async (uri: string): Promise<boolean> =>
      (await browser.open(authorizationUrl({ ...client, redirectUri: uri }, verifier))).text.includes(
        "<form",
      );
    expect(await shown(at("/cb:4711"))).toBe(true);
    expect(await shown(at(":4712/cb"))).toBe(false);
  },
);

test("registration: a flood leaves nothing behind, and metadata are bounded", async () => {
  const proxied = new Proxied();
  for (let count = 0; count < 500; count += 1) await proxied.register({ client_name: `c${count}` });
  expect(proxied.store.size).toBe(0);
  const uris = Array.from({ length: 6 }, (_, index) => `https://a.example/${index}`);
  expect(await errorOf(await proxied.registration({ redirect_uris: uris }))).toBe("invalid_redirect_uri");
  const long = [`https://a.example/${"x".repeat(600)}`];
  expect(await errorOf(await proxied.registration({ redirect_uris: long }))).toBe("invalid_redirect_uri");
  const giant = await proxied.registration({ redirect_uris: [redirectUri], client_name: "x".repeat(70_000) });
  expect(giant.status).toBe(413);
});

test("refresh: the previous token works until the new one is used; then its reuse ends the login", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const first = await proxied.tokens(client);
  const rotated = async (token: string) =>
    (await (await proxied.refresh(client, token)).json()) as typeof first;
  const second = await rotated(first.refresh_token);
  const repeated = await rotated(first.refresh_token);
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(repeated.refresh_token).toBe(second.refresh_token);
  const third = await rotated(second.refresh_token);
  expect(await errorOf(await proxied.refresh(client, first.refresh_token))).toBe("invalid_grant");
  expect(await errorOf(await proxied.refresh(client, third.refresh_token))).toBe("invalid_grant");
  await expect(proxied.proxy.verify(third.access_token)).rejects.toMatchObject({
    code: "auth-token-refused",
  });
});

test("refresh: parallel uses of one token get the same answer", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const { refresh_token: token } = await proxied.tokens(client);
  const answers = await Promise.all(Array.from({ length: 10 }, () => proxied.refresh(client, token)));
  const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as { refresh_token: string }[];
  expect(new Set(bodies.map(({ refresh_token }) => refresh_token)).size).toBe(1);
  expect(bodies[0]!.refresh_token).toBeDefined();
});

test("refresh: a token of another client, a changed one and a guessed one are refused", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const { refresh_token: token, access_token: access } = await proxied.tokens(client);
  const thief = await proxied.register();
  const [grant, , id, mac] = token.split(".");
  const guesses = [`${grant}.1.${id}.${mac}`, `${grant}.0.${id}.${"A".repeat(43)}`, "x", `${token}x`, access];
  expect(await errorOf(await proxied.refresh(thief, token))).toBe("invalid_grant");
  for (const guess of guesses)
    expect(await errorOf(await proxied.refresh(client, guess))).toBe("invalid_grant");
  expect((await proxied.refresh(client, token)).status).toBe(200);
});

test("no error, page, event or redirection holds a secret", async () => {
  const seen: string[] = [];
  const proxied = new Proxied({ onEvent: (event) => seen.push(JSON.stringify(event)) });
  const client = await proxied.register({ token_endpoint_auth_method: "client_secret_post" });
  const login = await proxied.login(client);
  const tokens = (await (await proxied.redeem(client, login)).json()) as Record<string, string>;
  const wrong = { ...client, secret: "not the secret" };
  seen.push(await (await proxied.refresh(wrong, tokens["refresh_token"]!)).text());
  seen.push(await (await proxied.redeem(client, login)).text());
  seen.push(await (await proxied.tokenRequest(client, { token: "x" }, "/revoke")).text());
  proxied.upstream.denies = true;
  const denied = await proxied.login(client, { scope: "gist" });
  seen.push(denied.end.url.href, denied.page.text);
  expect(denied.end.url.searchParams.get("error")).toBe("access_denied");
  expect(denied.end.url.href).not.toContain("upstream");
  const secrets = [...proxied.upstream.secrets, client.secret!, login.code, ...Object.values(tokens)];
  const found = secrets.filter((secret) => secret?.length > 20 && seen.some((text) => text.includes(secret)));
  expect(found).toEqual([]);
  expect(seen.join()).toContain("logged-in");
});
