import { expect, test } from "vitest";
import { authorizationUrl, issuer, Proxied, redirectUri } from "./proxied.js";

// Each test has the name of a rule of the page security_best_practices of the specification, part "Confused Deputy Problem".

const verifier = "v".repeat(43);
const cookieOf = (response: Response, name: string): string =>
  response.headers.getSetCookie().find((cookie) => cookie.startsWith(`__Host-mcp-${name}`)) ?? "";

/** The consent page of a new client, in a browser. */
async function consentPage(proxied = new Proxied()) {
  const client = await proxied.register();
  const browser = proxied.browser();
  const page = await browser.open(authorizationUrl(client, verifier));
  return { proxied, client, browser, page };
}

test("Maintain a registry of approved client_id values per user: a decision is remembered", async () => {
  const { proxied, client, browser, page } = await consentPage();
  await browser.decide(page, "allow");
  const again = await browser.open(authorizationUrl(client, verifier));
  expect(again.url.href).toContain(`${redirectUri}?code=`);
  const elsewhere = await proxied.browser().open(authorizationUrl(client, verifier));
  expect(elsewhere.text).toContain("<form");
});

test("Maintain a registry of approved client_id values per user: another user of the browser decides himself", async () => {
  const { proxied, client, browser, page } = await consentPage();
  await browser.decide(page, "allow");
  proxied.upstream.account = { id: 18, login: "grace" };
  const again = await browser.open(authorizationUrl(client, verifier, { state: "second" }));
  expect(again.text).toContain("<form");
  const end = await browser.decide(again, "allow");
  expect(end.url.searchParams.get("state")).toBe("second");
  expect(end.url.searchParams.get("code")).not.toBeNull();
});

test("Check this registry before initiating the third-party authorization flow: another client is asked for again", async () => {
  const { proxied, browser, page } = await consentPage();
  await browser.decide(page, "allow");
  const asked = proxied.upstream.count("/login/oauth/authorize");
  const attacker = await proxied.register({ redirect_uris: ["https://attacker.example/"] });
  const shown = await browser.open(authorizationUrl(attacker, verifier));
  expect(shown.text).toContain("attacker.example");
  expect(proxied.upstream.count("/login/oauth/authorize")).toBe(asked);
});

test("Store consent decisions securely: a changed cookie is ignored", async () => {
  const { client, browser, page } = await consentPage();
  await browser.decide(page, "allow");
  const name = "__Host-mcp-approvals";
  const cookie = browser.cookies.get(name)!;
  browser.cookies.set(name, cookie.slice(0, -2) + (cookie.endsWith("AA") ? "BB" : "AA"));
  expect((await browser.open(authorizationUrl(client, verifier))).text).toContain("<form");
});

test("Clearly identify the requesting MCP client by name", async () => {
  expect((await consentPage()).page.text).toContain(
    "<h1>Allow <bdi>Test client</bdi> to use GitHub for you?</h1>",
  );
});

test("Display the specific third-party API scopes being requested", async () => {
  const proxied = new Proxied({ scopes: { "notes:write": ["gist"], "code:read": ["repo"] } });
  const client = await proxied.register();
  const page = await proxied.browser().open(authorizationUrl(client, verifier, { scope: "notes:write" }));
  expect(page.text).toContain("<code>notes:write</code>");
  expect(page.text).toContain("<code>gist</code>");
  expect(page.text).not.toContain("repo");
});

test("Show the registered redirect_uri where tokens will be sent", async () => {
  const { page } = await consentPage();
  expect(page.text).toContain("<strong>app.example.net</strong>");
  expect(page.text).toContain(`<code>${redirectUri}</code>`);
});

test("Implement CSRF protection: the form is of no use in another browser, nor from another site", async () => {
  const { proxied, browser, page } = await consentPage();
  const other = proxied.browser();
  expect((await other.decide(page, "allow")).response.status).toBe(400);
  await other.open(authorizationUrl(await proxied.register(), verifier));
  expect((await other.decide(page, "allow")).response.status).toBe(400);
  expect((await browser.decide(page, "allow", { origin: "https://attacker.example" })).response.status).toBe(
    400,
  );
  expect((await browser.decide(page, "allow", { origin: "null" })).response.status).toBe(400);
  expect((await browser.decide(page, "allow", { "sec-fetch-site": "cross-site" })).response.status).toBe(400);
  expect(proxied.upstream.requests).toEqual([]);
  expect((await browser.decide(page, "allow")).url.href).toContain(redirectUri);
});

test("Prevent iframing via frame-ancestors CSP directive or X-Frame-Options: DENY", async () => {
  const { response } = (await consentPage()).page;
  expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(response.headers.get("x-frame-options")).toBe("DENY");
});

test("Use __Host- prefix for cookie names; set Secure, HttpOnly, and SameSite=Lax", async () => {
  const { proxied, browser, page } = await consentPage();
  const end = await browser.decide(page, "allow");
  expect(end.url.searchParams.get("code")).toBeTruthy();
  const names = [...browser.cookies.keys()];
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !name.startsWith("__Host-"))).toEqual([]);
  const fresh = await proxied.ask(
    new URL(authorizationUrl(await proxied.register(), verifier)).href.slice(issuer.length),
  );
  for (const cookie of fresh.headers.getSetCookie())
    expect(cookie).toMatch(
      /^__Host-mcp-\w+=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax(; Max-Age=\d+)?$/,
    );
});

test("Bind to the specific client_id: the decision about one client does not apply to another client of the same name", async () => {
  const { proxied, browser, page } = await consentPage();
  await browser.decide(page, "allow");
  const twin = await proxied.register();
  expect((await browser.open(authorizationUrl(twin, verifier))).text).toContain("<form");
});

test.each([
  ["another path", "https://app.example.net/callback/"],
  ["another host", "https://app.example.net.attacker.example/callback"],
  ["another case", "https://app.example.net/Callback"],
  ["a query", "https://app.example.net/callback?a=b"],
])("Use exact string matching of redirect_uri: %s is refused, without a redirection", async (_, uri) => {
  const { client, browser } = await consentPage();
  const refused = await browser.open(authorizationUrl(client, verifier, { redirect_uri: uri }));
  expect(refused.url.origin).toBe(issuer);
  expect(refused.response.status).toBe(400);
  expect(refused.text).not.toContain("<form");
});

test("Generate a cryptographically secure random state value for each authorization request", async () => {
  const { proxied, client } = await consentPage();
  for (let round = 0; round < 3; round += 1) await proxied.login(client);
  const states = proxied.upstream.requests.map(({ params }) => params.get("state")).filter(Boolean);
  expect(new Set(states).size).toBe(3);
  for (const state of states) expect(state).toMatch(/^[\w-]{43}$/);
});

test("Store the state value only after consent has been explicitly approved", async () => {
  const { proxied, browser, page } = await consentPage();
  expect(cookieOf(page.response, "login")).toBe("");
  expect(proxied.store.size).toBe(0);
  await browser.decide(page, "deny");
  expect([...browser.cookies.keys()].filter((name) => name.includes("login"))).toEqual([]);
  expect(proxied.store.size).toBe(0);
  expect(proxied.upstream.requests).toEqual([]);
});

/** A callback URL of the upstream, before the browser follows it. */
async function callbackUrl() {
  const proxied = new Proxied();
  const client = await proxied.register();
  const browser = proxied.browser();
  const open = proxied.upstream.authorize.bind(proxied.upstream);
  let url = "";
  proxied.upstream.authorize = (at) => {
    url = open(at);
    return "https://elsewhere.example/";
  };
  await browser.decide(await browser.open(authorizationUrl(client, verifier)), "allow");
  return { proxied, browser, url: new URL(url) };
}

test("Validate that the state parameter exactly matches the stored value in the request's cookies", async () => {
  const { proxied, browser, url } = await callbackUrl();
  const foreign = await proxied.browser().open(url.href);
  expect(foreign.response.status).toBe(400);
  expect(foreign.text).toContain("not started in this browser");
  expect((await browser.open(url.href)).url.href).toContain(redirectUri);
});

test("Reject any callback requests where the state parameter is missing or does not match", async () => {
  const { proxied, browser, url } = await callbackUrl();
  for (const change of [null, "", "other", "x".repeat(10_000)]) {
    const changed = new URL(url);
    changed.searchParams.delete("state");
    if (change !== null) changed.searchParams.set("state", change);
    expect((await browser.open(changed.href)).response.status).toBe(400);
  }
  const twice = new URL(url);
  twice.searchParams.append("state", "other");
  expect((await browser.open(twice.href)).response.status).toBe(400);
  expect(proxied.upstream.count("/login/oauth/access_token")).toBe(0);
});

test("Ensure state values are single-use", async () => {
  const { browser, url } = await callbackUrl();
  const cookies = [...browser.cookies];
  expect((await browser.open(url.href)).url.href).toContain(redirectUri);
  expect((await browser.open(url.href)).response.status).toBe(400);
  // The browser has lost the cookie. If it still had a copy, the store would refuse the second use.
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  const replayed = await browser.open(url.href);
  expect(replayed.response.status).toBe(400);
  expect(replayed.text).toContain("already finished");
});

test("State values have a short expiration time: 10 minutes", async () => {
  const { proxied, browser, url } = await callbackUrl();
  expect([...browser.cookies.keys()].some((name) => name.startsWith("__Host-mcp-login-"))).toBe(true);
  proxied.now += 600_000;
  const late = await browser.open(url.href);
  expect(late.text).toContain("took too long");
});

test("The consent page itself expires after 10 minutes", async () => {
  const { proxied, browser, page } = await consentPage();
  proxied.now += 600_000;
  expect((await browser.decide(page, "allow")).text).toContain("open for too long");
});

test("Token passthrough: the client's token never reaches the upstream, the upstream's token never the client", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const response = await proxied.redeem(client, await proxied.login(client));
  const text = await response.text();
  for (const secret of proxied.upstream.secrets) expect(text).not.toContain(secret);
  const { access_token } = JSON.parse(text) as { access_token: string };
  const claims = await proxied.proxy.verify(access_token);
  expect(JSON.stringify(claims)).not.toContain([...proxied.upstream.tokens.keys()][0]);
  expect(await proxied.proxy.upstream(claims)).not.toBe(access_token);
});
