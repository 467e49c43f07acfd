import { describe, expect, test } from "vitest";
import {
  type RedirectReceiver,
  type TokenStore,
  forgetLogin,
  memoryStore,
} from "../../../runtime/auth/client.js";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { protectedResource } from "../../support/auth/protected-resource.js";
import { failure, login, pair, send, user } from "./drive.js";

describe("the authorization request", () => {
  test("has PKCE with S256, a state and, byte for byte, the resource of the metadata; so has the token request", async () => {
    const { as, rs } = await pair();
    const redirect = user();
    expect(await send(login({ redirect }), rs.url)).toBe(200);
    const params = Object.fromEntries(redirect.opened[0]!.searchParams);
    expect(params).toMatchObject({ response_type: "code", code_challenge_method: "S256", resource: rs.url });
    expect(params["state"]!.length).toBeGreaterThanOrEqual(43);
    const token = as.calls.find(({ endpoint }) => endpoint === "token")!.params;
    expect(token.get("resource")).toBe(rs.url);
    expect(token.get("redirect_uri")).toBe(redirect.uri);
  });

  test("has a new state and verifier each time", async () => {
    const { as, rs } = await pair();
    const redirect = user();
    await send(login({ redirect }), rs.url);
    await send(login({ redirect }), rs.url);
    for (const name of ["state", "code_challenge"])
      expect(new Set(redirect.opened.map((url) => url.searchParams.get(name))).size).toBe(2);
    expect(as.count("token")).toBe(2);
  });

  test("has no resource if an exception for the issuer omits it", async () => {
    const { as, rs } = await pair({ resourceRequired: false, tokens: "opaque" });
    const authorizer = login({ issuers: { [as.issuer]: { resource: "omit" } } });
    // The fixture's resource refuses tokens without audience. This test looks only at the requests.
    await send(authorizer, rs.url);
    expect(as.calls.some(({ params }) => params.has("resource"))).toBe(false);
    await send(login({ issuers: { "https://other.example": { resource: "omit" } } }), rs.url);
    expect(as.calls.some(({ params }) => params.has("resource"))).toBe(true);
  });
});

describe("attack 5: PKCE that the metadata does not list", () => {
  test.each([
    ["absent", undefined],
    ["only plain", ["plain"]],
    ["a text", "S256"],
  ])("is refused: %s", async (_, code_challenge_methods_supported) => {
    const { as, rs } = await pair({ metadata: { code_challenge_methods_supported } });
    expect(await failure(send(login(), rs.url))).toBe("auth-pkce-unsupported");
    expect(as.count("register") + as.count("authorize")).toBe(0);
  });

  test("is assumed if an exception names the issuer and the metadata list no methods", async () => {
    const { as, rs } = await pair({ metadata: { code_challenge_methods_supported: undefined } });
    expect(await send(login({ issuers: { [as.issuer]: { pkce: "assumed" } } }), rs.url)).toBe(200);
    const plain = await pair({ metadata: { code_challenge_methods_supported: ["plain"] } });
    const refused = send(login({ issuers: { [plain.as.issuer]: { pkce: "assumed" } } }), plain.rs.url);
    expect(await failure(refused)).toBe("auth-pkce-unsupported");
  });
});

describe("attack 5: the code of another login", () => {
  const clients = [{ id: "known", redirectUris: ["http://127.0.0.1/callback"] }];
  const client = { id: "known" };

  /** The redirect of a login of the attacker, who does not redeem its code. */
  async function stolen(url: string): Promise<URL> {
    let found: URL | undefined;
    const redirect = user((callback) => ((found = callback), "http://127.0.0.1:4711/callback?error=x"));
    await failure(send(login({ client, redirect }), url));
    return found!;
  }

  test("is refused without a token request, even if the server ignores the verifier", async () => {
    const { as, rs } = await pair({ clients, pkce: false });
    const callback = await stolen(rs.url);
    expect(await failure(send(login({ client, redirect: user(() => callback) }), rs.url))).toBe(
      "auth-refused",
    );
    expect(as.count("token")).toBe(0);
  });

  test("does not fit the verifier, which each token request holds", async () => {
    const { as, rs } = await pair({ clients });
    const code = (await stolen(rs.url)).searchParams.get("code")!;
    const redirect = user((callback) => (callback.searchParams.set("code", code), callback));
    expect(await failure(send(login({ client, redirect }), rs.url))).toBe("auth-refused");
    expect(as.calls.at(-1)!.params.get("code_verifier")).toMatch(/^[\w-]{43}$/);
    expect(rs.tokens).toEqual([]);
  });
});

describe("RFC 9207: the issuer of the authorization response", () => {
  const without = (url: URL): URL => (url.searchParams.delete("iss"), url);
  const other = (url: URL): URL => (url.searchParams.set("iss", "https://other.example"), url);
  test.each([
    ["advertised", "present", "proceeds", "sent", (url: URL) => url],
    ["advertised", "absent", "is rejected", "sent", without],
    ["advertised", "of another", "is rejected", "sent", other],
    ["not advertised", "present", "is compared", "omitted", other],
    ["not advertised", "absent", "proceeds", "omitted", (url: URL) => url],
  ] as const)("%s, %s: %s", async (_, __, what, iss, change) => {
    const { as, rs } = await pair({ iss });
    const sent = send(login({ redirect: user(change) }), rs.url);
    expect(await failure(sent)).toBe(what === "proceeds" ? "answered 200" : "auth-issuer-mismatch");
    expect(as.count("token")).toBe(what === "proceeds" ? 1 : 0);
  });

  test.each(["/", "?", "#x", " "])("is compared without normalization: %j appended", async (more) => {
    const { as, rs } = await pair();
    const redirect = user((url) => (url.searchParams.set("iss", url.searchParams.get("iss") + more), url));
    expect(await failure(send(login({ redirect }), rs.url))).toBe("auth-issuer-mismatch");
    expect(as.count("token")).toBe(0);
  });

  test.each(["", "&iss=", "&iss=https://attacker.example"])(
    "attack 1: an error response of another issuer is not shown (%j)",
    async (iss) => {
      const { as, rs } = await pair();
      const redirect = user(
        () => `http://127.0.0.1:4711/callback?error=call_number_now&error_description=PAY${iss}`,
      );
      const error = (await send(login({ redirect }), rs.url).catch((error: unknown) => error)) as Error;
      expect(error.cause).toMatchObject({ code: "auth-issuer-mismatch" });
      expect(`${error.message} ${String(error.cause)}`).not.toMatch(/number_now|PAY/);
      expect(as.count("token")).toBe(0);
    },
  );

  test("attack 1: the code of an honest server does not go to the server of an attacker", async () => {
    const [honest, attacker] = [await authorizationServer(), await authorizationServer()];
    const rs = await protectedResource({ servers: [attacker] });
    const redirect = user(
      (url) => (url.searchParams.set("iss", honest.issuer), url.searchParams.set("code", "honest"), url),
    );
    expect(await failure(send(login({ redirect }), rs.url))).toBe("auth-issuer-mismatch");
    expect(attacker.count("token")).toBe(0);
  });
});

describe("the redirect", () => {
  test.each([
    ["no state", (url: URL) => (url.searchParams.delete("state"), url)],
    ["another state", (url: URL) => (url.searchParams.set("state", "x"), url)],
    ["two states", (url: URL) => (url.searchParams.append("state", "x"), url)],
    ["two codes", (url: URL) => (url.searchParams.append("code", "x"), url)],
    ["another path", (url: URL) => new URL(`/evil${url.search}`, url)],
    ["another host", (url: URL) => new URL(`http://evil.example/callback${url.search}`)],
    ["no URL", () => "code=1"],
  ])("is refused with %s", async (_, change) => {
    const { as, rs } = await pair();
    expect(await failure(send(login({ redirect: user(change) }), rs.url))).not.toMatch(/answered/);
    expect(as.count("token")).toBe(0);
  });

  test("attack 8: the response of an earlier login is not accepted for this one", async () => {
    const { as, rs } = await pair();
    let earlier: URL | undefined;
    expect(await send(login({ redirect: user((url) => (earlier = url)) }), rs.url)).toBe(200);
    const replayed = login({ redirect: user(() => earlier!) });
    expect(await failure(send(replayed, rs.url))).toBe("auth-refused");
    expect(as.count("token")).toBe(1);
  });

  test("with an error fails with its code, without other text of the server", async () => {
    const { rs } = await pair({ decide: () => ({ error: "access_denied" }) });
    const error = (await send(login(), rs.url).catch((error: unknown) => error)) as Error;
    expect(error.cause).toMatchObject({ code: "auth-refused" });
    expect(error.message).toMatch(/access_denied/);
    expect(error.message).not.toMatch(/decided by/);
  });

  test("is required: without a receiver, the login needs a user", async () => {
    const { as, rs } = await pair();
    const { oauth } = await import("../../../runtime/auth/client.js");
    expect(await failure(send(oauth(), rs.url))).toBe("auth-needs-user");
    expect(as.count("register")).toBe(0);
  });

  test("is closed after success and after failure", async () => {
    const { rs } = await pair();
    let closed = 0;
    const redirect = (change?: () => string): RedirectReceiver => ({
      ...user(change),
      close: () => void closed++,
    });
    await send(login({ redirect: redirect() }), rs.url);
    await failure(send(login({ redirect: redirect(() => "x") }), rs.url));
    expect(closed).toBe(2);
  });
});

describe("AUTHC-09: a redirect URI is https, or on this machine", () => {
  test.each([
    "http://app.example/callback",
    "http://127.0.0.1.attacker.example/callback",
    "https://user@app.example/callback",
    "https://app.example/callback#x",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///callback",
    "app:/callback",
    "/callback",
  ])("%s is refused before any registration", async (uri) => {
    const clients = [{ id: "known", redirectUris: [uri] }];
    const { as, rs } = await pair({ clients });
    for (const client of [{}, { id: "known" }])
      expect(await failure(send(login({ client, redirect: { ...user(), uri } }), rs.url))).toBe(
        "auth-options",
      );
    expect(as.count("register") + as.count("authorize")).toBe(0);
  });
});

describe("client registration", () => {
  const metadataUrl = "https://app.example/client.json";
  const document = {
    client_id: metadataUrl,
    client_name: "app",
    redirect_uris: ["http://127.0.0.1/callback"],
  };

  test("a known client needs neither a metadata document nor a registration", async () => {
    const clients = [{ id: "known", redirectUris: ["http://127.0.0.1/callback"] }];
    const { as, rs } = await pair({ clients, cimd: () => document });
    expect(await send(login({ client: { id: "known", metadataUrl } }), rs.url)).toBe(200);
    expect(as.count("register")).toBe(0);
    expect(as.calls.find(({ endpoint }) => endpoint === "token")!.params.get("client_id")).toBe("known");
  });

  test("a client id metadata document comes before registration", async () => {
    const { as, rs } = await pair({ cimd: () => document });
    expect(await send(login({ client: { metadataUrl } }), rs.url)).toBe(200);
    expect(as.count("register")).toBe(0);
    const other = await pair();
    expect(await send(login({ client: { metadataUrl } }), other.rs.url)).toBe(200);
    expect(other.as.count("register")).toBe(1);
  });

  test.each([
    ["http://127.0.0.1:4711/callback", undefined, "native"],
    ["https://app.example/callback", undefined, "web"],
    ["com.example.app:/callback", undefined, "native"],
    ["https://app.example/callback", "native", "native"],
  ] as const)("SEP-837: application_type of %s (%s) is %s", async (uri, applicationType, expected) => {
    const { as, rs } = await pair();
    const client = applicationType ? { applicationType } : {};
    await failure(send(login({ client, redirect: { ...user(), uri } }), rs.url));
    const asked = JSON.parse(as.calls.find(({ endpoint }) => endpoint === "register")!.body) as object;
    expect(asked).toMatchObject({
      application_type: expected,
      grant_types: ["authorization_code", "refresh_token"],
    });
  });

  test.each(["none", "client_secret_basic", "client_secret_post"] as const)(
    "the client authenticates as registration says: %s",
    async (registrationMethod) => {
      const { rs } = await pair({ registrationMethod });
      expect(await send(login(), rs.url)).toBe(200);
    },
  );

  test("the error of a refused registration has the reason", async () => {
    const { rs } = await pair();
    const client = { applicationType: "web" } as const;
    const error = (await send(login({ client }), rs.url).catch((error: unknown) => error)) as Error;
    expect(error.cause).toMatchObject({ code: "auth-registration-impossible" });
    expect(error.message).toMatch(/invalid_redirect_uri.*redirect URI/s);
  });

  test("without other ways, the user is asked for a client id; without askClient, login is impossible", async () => {
    const clients = [{ id: "typed", redirectUris: ["http://127.0.0.1/callback"] }];
    const { rs } = await pair({ clients, registration: false });
    expect(await failure(send(login(), rs.url))).toBe("auth-registration-impossible");
    expect(await send(login({ askClient: async () => ({ id: "typed" }) }), rs.url)).toBe(200);
  });

  test("a registration is used again after a restart", async () => {
    const { as, rs } = await pair({ refresh: "none" });
    const store = memoryStore();
    await send(login({ store }), rs.url);
    as.expireAccessTokens();
    await send(login({ store }), rs.url);
    expect([as.count("register"), as.count("token")]).toEqual([1, 2]);
  });
});

describe("registrations of one issuer", () => {
  /** Redirect URIs that differ by server, as with `loopback({ port: "stable" })`. */
  const byServer = (server: string): RedirectReceiver => ({
    ...user(),
    uri: `http://127.0.0.1:${new URL(server).port}/callback`,
  });

  test("servers with different redirect URIs keep their own, also for refreshes", async () => {
    const { as, rs } = await pair();
    const other = await protectedResource({ servers: [as] });
    const options = { redirect: byServer, store: memoryStore() };
    for (const { url } of [rs, other, rs, other]) expect(await send(login(options), url)).toBe(200);
    as.expireAccessTokens();
    for (const { url } of [rs, other]) expect(await send(login(options), url)).toBe(200);
    expect([as.count("register"), as.count("authorize"), as.count("token")]).toEqual([2, 2, 4]);
    // Later logins at either server reuse the registrations.
    as.expireAccessTokens();
    for (const { family } of as.state.refreshTokens.values()) as.state.revokeFamily(family);
    for (const { url } of [rs, other]) expect(await send(login(options), url)).toBe(200);
    expect([as.count("register"), as.count("authorize")]).toEqual([2, 4]);
  });

  test("servers with the same redirect URI share one", async () => {
    const { as, rs } = await pair();
    const other = await protectedResource({ servers: [as] });
    const store = memoryStore();
    for (const { url } of [rs, other]) expect(await send(login({ store }), url)).toBe(200);
    expect(as.count("register")).toBe(1);
  });

  test.each([
    ["name", { name: "one" }, { name: "two" }],
    ["application type", { applicationType: "native" }, { applicationType: "web" }],
  ] as const)("a client with another %s does not use it", async (_, one, two) => {
    const { as, rs } = await pair({ refresh: "none" });
    const store = memoryStore();
    const redirect = { ...user(), uri: "https://app.example/callback" };
    for (const client of [one, one, two]) {
      as.expireAccessTokens();
      expect(await send(login({ store, client, redirect }), rs.url)).toBe(200);
    }
    expect(as.count("register")).toBe(2);
  });

  test("a registration is removed from the store with the last login that uses it", async () => {
    const { as, rs } = await pair({ refresh: "none" });
    const kept = new Set<string>();
    const memory = memoryStore();
    const store: TokenStore = {
      ...memory,
      put: async (key, value, expected) => {
        if (value === undefined) kept.delete(key);
        else kept.add(key);
        return memory.put(key, value, expected);
      },
    };
    const sizes: number[] = [];
    for (const port of [4801, 4802, 4803]) {
      as.expireAccessTokens();
      const uri = `http://127.0.0.1:${port}/callback`;
      expect(await send(login({ store, redirect: { ...user(), uri } }), rs.url)).toBe(200);
      sizes.push(kept.size);
    }
    expect([as.count("register"), new Set(sizes).size]).toEqual([3, 1]);
    await forgetLogin(store, rs.url);
    expect(kept.size).toBe(0);
  });

  test("a client that the issuer no longer knows registers again", async () => {
    const { as, rs } = await pair();
    const options = { store: memoryStore(), redirect: byServer };
    expect(await send(login(options), rs.url)).toBe(200);
    as.expireAccessTokens();
    as.state.clients.clear();
    expect(await send(login(options), rs.url)).toBe(200);
    expect([as.count("register"), as.count("token refresh_token")]).toEqual([2, 1]);
  });

  test("a client that the user typed in refreshes after a restart", async () => {
    const clients = [{ id: "typed", secret: "s3cret", redirectUris: ["http://127.0.0.1/callback"] }];
    const { as, rs } = await pair({ clients, registration: false });
    const options = { store: memoryStore(), askClient: async () => ({ id: "typed", secret: "s3cret" }) };
    expect(await send(login(options), rs.url)).toBe(200);
    as.expireAccessTokens();
    expect(await send(login(options), rs.url)).toBe(200);
    expect([as.count("authorize"), as.count("token")]).toEqual([1, 2]);
  });
});

describe("SEP-2352, attack 4: credentials belong to one issuer", () => {
  test("a registered client registers at another issuer again, and sends it nothing of the first", async () => {
    const { as, rs } = await pair();
    const other = await authorizationServer();
    const authorizer = login();
    expect(await send(authorizer, rs.url)).toBe(200);
    rs.options = { ...rs.options, servers: [other] };
    expect(await send(authorizer, rs.url)).toBe(200);
    expect(other.count("register")).toBe(1);
    const texts = other.calls.map(({ url, body, headers }) => [url.href, body, ...headers.values()].join());
    for (const secret of as.secrets) expect(texts.some((text) => text.includes(secret))).toBe(false);
  });

  test.each([
    ["that is named", true],
    ["of the first use", false],
  ])("a known client is used only at the issuer %s", async (_, named) => {
    const secret = named ? { secret: "s3cret" } : {};
    const clients = [{ id: "known", ...secret, redirectUris: ["http://127.0.0.1/callback"] }];
    const { as, rs } = await pair({ clients });
    const other = await authorizationServer({ clients });
    const client = { id: "known", ...secret, ...(named && { issuer: as.issuer }) };
    const authorizer = login({ client });
    expect(await send(authorizer, rs.url)).toBe(200);
    rs.options = { ...rs.options, servers: [other] };
    expect(await failure(send(authorizer, rs.url))).toBe("auth-issuer-mismatch");
    expect(other.count("authorize") + other.count("token")).toBe(0);
  });

  test("attack 4: an attacker that the metadata lists first gets none of the credentials", async () => {
    const clients = [{ id: "known", secret: "s3cret", redirectUris: ["http://127.0.0.1/callback"] }];
    const [attacker, honest] = [
      await authorizationServer({ clients }),
      await authorizationServer({ clients }),
    ];
    const rs = await protectedResource({ servers: [attacker, honest] });
    const client = { id: "known", secret: "s3cret", issuer: honest.issuer };
    const chooseIssuer = ([first]: readonly string[]): string => first!;
    expect(await failure(send(login({ client, chooseIssuer }), rs.url))).toBe("auth-issuer-mismatch");
    expect(attacker.calls.map(({ endpoint }) => endpoint)).toEqual(["metadata"]);
    // The issuer of the client is used, although it is not the first of the list.
    expect(await send(login({ client }), rs.url)).toBe(200);
    expect(attacker.calls).toHaveLength(1);
  });
});

describe("scopes", () => {
  const asked = (redirect: ReturnType<typeof user>): (string | null)[] =>
    redirect.opened.map((url) => url.searchParams.get("scope"));

  test.each([
    ["the challenge", { scopes: ["a"], metadata: { scopes_supported: ["b"] } }, "a"],
    ["the metadata, if the challenge has none", { metadata: { scopes_supported: ["b", "c"] } }, "b c"],
    ["nowhere, if the metadata have none either", {}, null],
  ])("come from %s", async (_, options, expected) => {
    const { rs } = await pair({}, options);
    const redirect = user();
    await send(login({ redirect }), rs.url);
    expect(asked(redirect)).toEqual([expected]);
  });

  test("can be chosen", async () => {
    const { rs } = await pair({}, { metadata: { scopes_supported: ["b"] } });
    const redirect = user();
    await send(login({ redirect, scopes: { always: ["x"] } }), rs.url);
    await send(login({ redirect, scopes: (offered) => [...offered!, "y"] }), rs.url);
    expect(asked(redirect)).toEqual(["b x", "b y"]);
  });

  test.each([
    ["lists it", ["mcp", "offline_access"], "mcp offline_access"],
    ["does not", ["mcp"], "mcp"],
  ])("SEP-2207: offline_access is asked for if the authorization server %s", async (_, scopes, expected) => {
    const { rs } = await pair({ scopes }, { scopes: ["mcp"] });
    const redirect = user();
    expect(await send(login({ redirect }), rs.url)).toBe(200);
    expect(asked(redirect)).toEqual([expected]);
  });

  test("SEP-2350: a step-up asks for the union of the scopes", async () => {
    const { rs } = await pair({}, { scopes: ["read"] });
    const redirect = user();
    const authorizer = login({ redirect });
    expect(await send(authorizer, rs.url)).toBe(200);
    rs.options = { ...rs.options, scopes: ["write"] };
    expect(await send(authorizer, rs.url)).toBe(200);
    expect(asked(redirect)).toEqual(["read", "read write"]);
  });

  test("attack 22: scopes that were asked for and not granted are not asked for again", async () => {
    const { rs } = await pair(
      { decide: () => ({ subject: "u", scope: "read" }) },
      { scopes: ["read", "write"] },
    );
    const redirect = user();
    const authorizer = login({ redirect });
    expect(await send(authorizer, rs.url)).toBe(403);
    expect(await send(authorizer, rs.url)).toBe(403);
    expect(redirect.opened).toHaveLength(1);
  });

  test("attack 22: a server that always wants more gets three logins at most for one request", async () => {
    let more = 0;
    const { rs } = await pair(
      { decide: () => ({ subject: "u", scope: "read" }) },
      { scopes: ["read", "x"], challenge: (text) => text.replace(/scope="[^"]*"/, `scope="s${more++}"`) },
    );
    const redirect = user();
    expect(await send(login({ redirect }), rs.url)).toBe(403);
    expect(redirect.opened.length).toBeLessThanOrEqual(3);
  });

  test.each([
    ["10 KB", "x".repeat(10_000)],
    ["1,000 scopes", Array.from({ length: 1000 }, (_, i) => `s${i}`).join(" ")],
    ["a quote", 'a\\"b'],
  ])("attack 22: a challenge with %s is not followed", async (_, scope) => {
    const { rs } = await pair({}, { scopes: ["a"] });
    const redirect = user();
    const authorizer = login({ redirect });
    await send(authorizer, rs.url);
    rs.options = {
      ...rs.options,
      scopes: ["b"],
      challenge: (text) => text.replace(/scope="[^"]*"/, `scope="${scope}"`),
    };
    expect(await send(authorizer, rs.url)).toBe(403);
    expect(redirect.opened).toHaveLength(1);
  });
});
