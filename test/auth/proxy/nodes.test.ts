import { createLocalJWKSet, jwtVerify } from "jose";
import { memoryStore, type OAuthProxy, oauthProxy } from "@mcpgen/auth/proxy";
import { expect, test, vi } from "vitest";
import { ask, Browser } from "./browser.js";
import { authorizationUrl, issuer, Proxied, redirectUri, secret } from "./proxied.js";

const k1 = "another secret, for the time after rotation";
const verifier = "v".repeat(43);

/** Sends requests to the nodes in turn. */
function inTurn(nodes: readonly OAuthProxy[]): () => OAuthProxy {
  let next = 0;
  return () => nodes[next++ % nodes.length]!;
}

test("any node serves any step", async () => {
  const proxied = new Proxied();
  const nodes = [1, 2, 3].map(() => oauthProxy(proxied.defaults()));
  const node = inTurn(nodes);
  Object.assign(proxied, {
    proxy: {
      ...nodes[0],
      get routes() {
        return node().routes;
      },
    },
  });
  const client = await proxied.register({ token_endpoint_auth_method: "client_secret_basic" });
  const login = await proxied.login(client, {}, new Browser(node, proxied.upstream));
  const tokens = (await (await proxied.redeem(client, login)).json()) as Record<string, string>;
  const claims = await node().verify(tokens["access_token"]!);
  expect(await node().upstream(claims)).toMatch(/^gho_/);
  expect((await proxied.refresh(client, tokens["refresh_token"]!)).status).toBe(200);
  // A code and a state are used once, over all nodes.
  expect((await proxied.redeem(client, login)).status).toBe(400);
});

test("keys rotate: values made with the old key stay valid while it is in the list", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const browser = proxied.browser();
  const tokens = await proxied.tokens(client, {}, browser);
  const rotated = oauthProxy({ ...proxied.defaults(), keys: [k1, secret] });
  Object.assign(proxied, { proxy: rotated });
  const claims = await rotated.verify(tokens.access_token);
  expect(await rotated.upstream(claims)).toMatch(/^gho_/);
  const fresh = (await (await proxied.refresh(client, tokens.refresh_token)).json()) as typeof tokens;
  const again = new Browser(rotated, proxied.upstream);
  for (const [name, value] of browser.cookies) again.cookies.set(name, value);
  expect((await again.open(authorizationUrl(client, verifier))).url.href).toContain(redirectUri);

  const without = oauthProxy({ ...proxied.defaults(), keys: [k1] });
  Object.assign(proxied, { proxy: without });
  expect((await proxied.refresh(client, fresh.refresh_token)).status).toBe(401);
  await expect(without.verify(tokens.access_token)).rejects.toMatchObject({ code: "auth-token-refused" });
  await without.verify(fresh.access_token);
});

test("jwks.json holds the public key of each secret; others verify the tokens with it", async () => {
  const proxied = new Proxied({ keys: [k1, secret] });
  const response = await ask(proxied.proxy, `${issuer}/jwks.json`);
  const set = (await response.json()) as { keys: Record<string, string>[] };
  expect(set.keys).toHaveLength(2);
  for (const key of set.keys)
    expect(Object.keys(key).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
  const { access_token: token } = await proxied.tokens(await proxied.register());
  const { payload } = await jwtVerify(token, createLocalJWKSet(set as never), {
    issuer,
    typ: "at+jwt",
  });
  expect(payload.sub).toBe("17");
});

test("the store holds no token in clear text", async () => {
  const inner = memoryStore();
  const texts: string[] = [];
  const store = {
    get: inner.get,
    put: (key: string, value: string | undefined, ...rest: [string | undefined, number]) => {
      texts.push(key, value ?? "");
      return inner.put(key, value, ...rest);
    },
  };
  const proxied = new Proxied({ store }, { expiresIn: 3600 });
  const tokens = await proxied.tokens(await proxied.register());
  const secrets = [...proxied.upstream.secrets, tokens.access_token, tokens.refresh_token];
  expect(texts.length).toBeGreaterThan(0);
  expect(secrets.filter((each) => texts.some((text) => text.includes(each)))).toEqual([]);
});

test("an issuer with a path has its endpoints below it, and its metadata at the inserted path", async () => {
  const proxied = new Proxied({ issuer: `${issuer}/auth` });
  expect(proxied.proxy.routes.map(({ path }) => path).toSorted()).toEqual([
    "/.well-known/oauth-authorization-server/auth",
    ...["/auth/authorize", "/auth/consent", "/auth/jwks.json", "/auth/oauth/callback"],
    ...["/auth/register", "/auth/revoke", "/auth/token"],
  ]);
  const metadata = await ask(proxied.proxy, `${issuer}/.well-known/oauth-authorization-server/auth`);
  expect(await metadata.json()).toMatchObject({
    issuer: `${issuer}/auth`,
    token_endpoint: `${issuer}/auth/token`,
  });
});

test("the memory store compares before it sets, and forgets expired values", async () => {
  vi.setSystemTime(0);
  const store = memoryStore();
  expect(await store.put("a", "1", undefined, 10)).toBe(true);
  expect(await store.put("a", "2", undefined, 10)).toBe(false);
  expect(await store.put("a", "2", "1", 20)).toBe(true);
  vi.setSystemTime(15);
  expect(await store.get("a")).toBe("2");
  vi.setSystemTime(20);
  expect(await store.get("a")).toBeUndefined();
  expect(await store.put("a", "3", undefined, 30)).toBe(true);
  expect(await store.put("a", undefined, "3", 0)).toBe(true);
  for (let count = 0; count < 2000; count += 1) {
    await store.put(`k${count}`, "x", undefined, Date.now() + 1);
    vi.setSystemTime(Date.now() + 1);
  }
  expect(store.size).toBeLessThan(1100);
});
