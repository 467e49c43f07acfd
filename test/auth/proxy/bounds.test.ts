import { memoryStore } from "@mcpgen/auth/proxy";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { documentCache } from "../../../runtime/auth/proxy/document-cache.js";
import { until } from "../../support/until.mjs";
import { authorizationUrl, issuer, Proxied, redirectUri } from "./proxied.js";

// A busy machine takes longer for a test than a request may wait.
beforeEach(() => {
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
});
afterEach(() => void vi.restoreAllMocks());

const documentAt = (id: string, more: object = {}) => ({
  client_id: id,
  client_name: "Agent",
  redirect_uris: [redirectUri],
  ...more,
});

const opened = (proxied: Proxied, id: string) =>
  proxied.ask(authorizationUrl({ id, method: "none", redirectUri }, "v".repeat(43)).slice(issuer.length));

/** Documents whose fetches end when the test says so. */
function held() {
  const running: { readonly url: string; readonly end: () => void }[] = [];
  const seen: string[] = [];
  const cache = documentCache(async (url) => {
    seen.push(url);
    await new Promise<void>((end) => running.push({ url, end }));
    return Response.json(documentAt(url));
  }, []);
  const release = async (all: Promise<unknown>): Promise<void> => {
    let over = false;
    void all.finally(() => (over = true)).catch(() => undefined);
    await until("all", () => {
      for (const { end } of running.splice(0)) end();
      return over;
    });
  };
  return { running, seen, cache, release };
}

describe("fetches of documents", () => {
  test.each([
    ["500 hosts", (at: number) => `https://c${at}.example.org/c.json`, 16, 272],
    ["one host", (at: number) => `https://c.example.org/${at}.json`, 4, 132],
  ])("of %s take turns; some are refused", async (_, idOf, most, served) => {
    const { running, seen, cache, release } = held();
    const reading = Promise.allSettled(Array.from({ length: 500 }, (_, at) => cache.client(idOf(at), false)));
    await until("fetches", () => running.length === most);
    // A client with a login is not delayed.
    const known = cache.client("https://known.example/c.json", true);
    await until("one more", () => running.length === most + 1);
    expect(seen).toHaveLength(most + 1);
    await release(Promise.all([reading, known]));
    const outcomes = await reading;
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(served);
    for (const each of outcomes)
      if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "auth-unavailable" });
  });

  test("of 1,500 that anybody names leave those of clients with a login", async () => {
    const { seen, cache, release } = held();
    const read = (id: string, isKnown = false): Promise<void> => release(cache.client(id, isKnown));
    await read("https://known.example/c.json");
    cache.keep("https://known.example/c.json");
    for (let at = 0; at < 1500; at += 100)
      await release(
        Promise.all(
          Array.from({ length: 100 }, (_, more) => cache.client(`https://c${at + more}.example/c`, false)),
        ),
      );
    expect(seen).toHaveLength(1501);
    await read("https://known.example/c.json");
    expect(seen).toHaveLength(1501);
    // The first document was evicted; the last one is cached for five minutes.
    await read("https://c1499.example/c");
    expect(seen).toHaveLength(1501);
    await read("https://c0.example/c");
    expect(seen).toHaveLength(1502);
    vi.setSystemTime(Date.now() + 300_000);
    await read("https://c1499.example/c");
    await read("https://known.example/c.json");
    expect(seen).toHaveLength(1503);
  });
});

describe("stored parts of documents", () => {
  test("of a document of 63 KB, only the used members are stored", async () => {
    const padding = "x".repeat(60_000);
    const key = { kty: "EC", crv: "P-256", x: "a".repeat(43), y: "b".repeat(43), kid: "k" };
    const cache = documentCache(
      async (id) =>
        Response.json(
          id.endsWith("keys")
            ? { keys: [{ ...key, x5c: [padding] }], padding: "x" }
            : documentAt(id, {
                client_name: `A${padding}`.slice(0, 1000),
                padding: padding.slice(0, 50_000),
                token_endpoint_auth_method: "private_key_jwt",
                jwks: { keys: [{ ...key, x5c: [padding.slice(0, 2000)], d: "secret" }] },
              }),
        ),
      [],
    );
    const client = await cache.client("https://a.example/c", false);
    expect(JSON.stringify(client).length).toBeLessThan(600);
    expect(client.keys).toEqual([key]);
    expect(await cache.keys("https://a.example/keys")).toEqual([key]);
  });

  test.each([
    ["no keys", []],
    ["21 keys", Array.from({ length: 21 }, () => ({ kty: "EC" }))],
    ["a key that is a text", ["x"]],
    ["a key that is null", [null]],
    ["a member that is an object", [{ kty: "EC", x: {} }]],
    ["a member of 60 KB", [{ kty: "RSA", n: "x".repeat(60_000) }]],
  ])("keys with %s are refused", async (_, keys) => {
    const cache = documentCache(async () => Response.json({ keys }), []);
    await expect(cache.keys("https://a.example/keys")).rejects.toMatchObject({
      code: "auth-metadata-invalid",
    });
  });
});

describe("the option fetch does not switch the guard off", () => {
  const guarded = (asked: string[], more: object = {}): Proxied =>
    new Proxied({
      fetch: async (input) => {
        asked.push(String(input));
        return Response.json(documentAt(String(input)));
      },
      unguarded: false,
      ...more,
    });

  test.each([
    "https://127.0.0.1/c.json",
    "https://10.0.0.1/c.json",
    "https://169.254.169.254/latest/meta-data",
    "https://192.168.1.1/c.json",
    "https://[::1]/c.json",
    "https://[fd00::1]/c.json",
    "https://[::ffff:a00:1]/c.json",
    "https://localhost/c.json",
    "https://metadata.internal/c.json",
    "https://intranet/c.json",
    // This name resolves to this machine, or it does not resolve.
    "https://a.localhost.localdomain/c.json",
  ])("%s is not fetched", async (id) => {
    const asked: string[] = [];
    const { status } = await opened(guarded(asked), id);
    // 503 if the name does not resolve.
    expect([400, 503]).toContain(status);
    expect(asked).toEqual([]);
  });

  test("a public address is", async () => {
    const asked: string[] = [];
    expect((await opened(guarded(asked), "https://8.8.8.8/c.json")).status).toBe(200);
    expect(asked).toEqual(["https://8.8.8.8/c.json"]);
  });

  test("with unguarded, the fetch decides alone", async () => {
    const asked: string[] = [];
    const proxied = guarded(asked, { unguarded: true });
    expect((await opened(proxied, "https://10.0.0.1/c.json")).status).toBe(200);
    expect(asked).toEqual(["https://10.0.0.1/c.json"]);
  });
});

describe("the store in memory", () => {
  test("has room for 100,000 values; one owner gets half, and is refused, not another", async () => {
    const store = memoryStore();
    for (let at = 0; at < 50_000; at++) await store.put(`a${at}`, "x", undefined, Infinity, "ada");
    await expect(store.put("more", "x", undefined, Infinity, "ada")).rejects.toMatchObject({
      code: "auth-unavailable",
    });
    expect(await store.put("b", "x", undefined, Infinity, "bob")).toBe(true);
    expect(await store.put("a0", "y", "x", Infinity, "ada")).toBe(true);
    expect(await store.put("a1", undefined, "x", 0)).toBe(true);
    expect(store.size).toBe(50_000);
  });

  test("has room for 256 MB", async () => {
    const store = memoryStore();
    const value = "x".repeat(1_000_000);
    let kept = 0;
    const keep = (): Promise<boolean> => store.put(`k${kept}`, value, undefined, Infinity, "ada");
    while (
      await keep().then(
        () => true,
        () => false,
      )
    )
      kept++;
    expect(kept).toBe(127);
    expect(await store.put("b", value, undefined, Infinity, "bob")).toBe(true);
  });

  test("a full store leads to 503, at the page and at the token endpoint", async () => {
    const full = memoryStore();
    const isFull = { now: false };
    const store = {
      get: full.get,
      put: (...given: Parameters<typeof full.put>) =>
        isFull.now ? full.put("x", "x".repeat(200_000_000), undefined, Infinity, "ada") : full.put(...given),
    };
    const proxied = new Proxied({ store });
    const client = await proxied.register();
    const { refresh_token: token } = await proxied.tokens(client);
    isFull.now = true;
    expect((await proxied.login(client)).end.response.status).toBe(503);
    const refused = await proxied.refresh(client, token);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await refused.json()).toMatchObject({ error: "temporarily_unavailable" });
    isFull.now = false;
    expect((await proxied.refresh(client, token)).status).toBe(200);
  });

  test("logins that end before the upstream has named a user leave no values in it", async () => {
    const proxied = new Proxied();
    const client = await proxied.register();
    proxied.upstream.denies = true;
    for (let at = 0; at < 20; at++) await proxied.login(client);
    expect(proxied.store.size).toBe(0);
  });
});
