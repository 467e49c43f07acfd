import { describe, expect, test, vi } from "vitest";
import { type AuthEvent, memoryStore } from "../../../runtime/auth/client.js";
import { failure, login, pair, send, user } from "./drive.js";

describe("one run at a time", () => {
  test("10 parallel 401s lead to 1 registration, 1 login and 1 request of a token", async () => {
    const { as, rs } = await pair();
    const authorizer = login();
    const statuses = await Promise.all(Array.from({ length: 10 }, () => send(authorizer, rs.url)));
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 200));
    expect(["register", "authorize", "token"].map((name) => as.count(name))).toEqual([1, 1, 1]);
    expect(rs.count(401)).toBe(10);
  });

  test("authorizers that share a store share the login", async () => {
    const { as, rs } = await pair();
    const store = memoryStore();
    const all = Array.from({ length: 5 }, () => send(login({ store }), rs.url));
    expect(await Promise.all(all)).toEqual([200, 200, 200, 200, 200]);
    expect(["register", "authorize", "token"].map((name) => as.count(name))).toEqual([1, 1, 1]);
  });

  test("10 parallel requests with an expired token lead to 1 refresh, and none uses a refresh token twice", async () => {
    const { as, rs } = await pair();
    const authorizer = login();
    await send(authorizer, rs.url);
    for (let round = 1; round <= 5; round++) {
      as.expireAccessTokens();
      const statuses = await Promise.all(Array.from({ length: 10 }, () => send(authorizer, rs.url)));
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(as.count("token refresh_token")).toBe(round);
    }
    expect([as.state.reuses, as.count("authorize")]).toEqual([0, 1]);
  });

  test("an aborted request does not end the login for other requests", async () => {
    const { as, rs } = await pair();
    let arrived!: () => void;
    const opened = new Promise<void>((resolve) => (arrived = resolve));
    let go!: () => void;
    const consent = new Promise<void>((resolve) => (go = resolve));
    const redirect = user();
    const authorizer = login({
      redirect: {
        ...redirect,
        receive: async (...given) => {
          arrived();
          await consent;
          return redirect.receive(...given);
        },
      },
    });
    const controller = new AbortController();
    const refused = { status: 401, headers: new Headers() };
    const given = { method: "POST", url: rs.url, attempt: 1, refused };
    const first = authorizer.authorize({ ...given, signal: controller.signal });
    await opened;
    const second = authorizer.authorize({ ...given, signal: new AbortController().signal });
    controller.abort(new Error("given up"));
    await expect(first).rejects.toThrow("given up");
    go();
    expect(await second).toHaveProperty("authorization");
    expect(as.count("token")).toBe(1);
  });
});

describe("refresh", () => {
  test("sends the resource (RFC 8707), and keeps a refresh token that is not replaced", async () => {
    const { as, rs } = await pair({ refresh: "keep" });
    const authorizer = login();
    for (let i = 0; i < 3; i++) {
      expect(await send(authorizer, rs.url)).toBe(200);
      as.expireAccessTokens();
    }
    const calls = as.calls.filter(({ params }) => params.get("grant_type") === "refresh_token");
    expect(calls.map(({ params }) => params.get("resource"))).toEqual([rs.url, rs.url]);
  });

  test("leads to one login if it is refused", async () => {
    const { as, rs } = await pair();
    const authorizer = login();
    await send(authorizer, rs.url);
    as.expireAccessTokens();
    for (const { family } of as.state.refreshTokens.values()) as.state.revokeFamily(family);
    expect(await send(authorizer, rs.url)).toBe(200);
    expect([as.count("authorize"), as.count("token refresh_token")]).toEqual([2, 1]);
  });

  test("comes before the expiry: no request is refused while tokens expire every two seconds", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { as, rs } = await pair({ expiresIn: 2 });
    const authorizer = login();
    await send(authorizer, rs.url);
    const refusals = rs.count(401);
    const seconds = 60;
    for (let passed = 0; passed < 1000 * seconds; passed += 50) {
      vi.setSystemTime(Date.now() + 50);
      expect(await send(authorizer, rs.url)).toBe(200);
    }
    expect(rs.count(401)).toBe(refusals);
    expect(as.count("token refresh_token")).toBeGreaterThanOrEqual(seconds / 2);
    expect([as.state.reuses, as.count("authorize")]).toEqual([0, 1]);
  });

  test("keeps the token in use if it fails before the expiry", async () => {
    let broken = false;
    const { as, rs } = await pair({
      fault: (call, answer) => (broken && call.endpoint === "token" ? { status: 503, body: "" } : answer),
    });
    const store = memoryStore();
    const first = login({ store });
    await send(first, rs.url);
    // Makes the token old: most of its life is over.
    const key = JSON.stringify(["tokens", as.issuer, rs.url, ""]);
    const text = (await store.get(key))!;
    const grant = JSON.parse(text) as { tokens: { obtained: number } };
    grant.tokens.obtained -= 3_000_000;
    await store.put(key, JSON.stringify(grant), text);
    broken = true;
    expect(await send(login({ store }), rs.url)).toBe(200);
    expect(as.count("token refresh_token")).toBe(1);
  });

  test("if the token of a fresh login is refused, the user is asked once for each request", async () => {
    const { rs } = await pair();
    const authorizer = login();
    const other = await pair();
    rs.options = { ...rs.options, servers: [], metadata: { authorization_servers: [other.as.issuer] } };
    expect(await send(authorizer, rs.url)).toBe(401);
    expect(other.as.count("authorize")).toBe(1);
    expect(rs.count(401)).toBe(3);
    // The next request tries a refresh, and then a login.
    expect(await send(authorizer, rs.url)).toBe(401);
    expect(other.as.count("authorize")).toBeLessThanOrEqual(2);
  });

  test("if the token of a fresh login is refused because the server has another issuer now, the user logs in there", async () => {
    const [one, two] = [await pair(), await pair()];
    const { rs } = one;
    const names = (issuer: string): void => {
      rs.options = { ...rs.options, servers: [two.as], metadata: { authorization_servers: [issuer] } };
    };
    names(one.as.issuer);
    const authorizer = login({ onEvent: ({ type }) => void (type === "token" && names(two.as.issuer)) });
    expect(await send(authorizer, rs.url)).toBe(200);
    expect([one.as.count("authorize"), two.as.count("authorize")]).toEqual([1, 1]);
  });
});

describe("a refresh whose request is aborted", () => {
  test("keeps the rotated refresh token: no token is used twice, and the user is not asked", async () => {
    let asked!: () => void;
    const asking = new Promise<void>((resolve) => (asked = resolve));
    let go!: () => void;
    const answering = new Promise<void>((resolve) => (go = resolve));
    const { as, rs } = await pair({
      // The server rotates the refresh token, but its answer is held back.
      fault: async ({ params }, answer) => {
        if (params.get("grant_type") !== "refresh_token") return answer;
        asked();
        await answering;
        return answer;
      },
    });
    const authorizer = login();
    expect(await send(authorizer, rs.url)).toBe(200);
    as.expireAccessTokens();
    const controller = new AbortController();
    const request = { method: "POST", url: rs.url, signal: controller.signal };
    await authorizer.authorize({ ...request, attempt: 0 });
    const refused = { status: 401, headers: new Headers() };
    const first = authorizer.authorize({ ...request, attempt: 1, refused });
    await asking;
    controller.abort(new Error("given up"));
    await expect(first).rejects.toThrow("given up");
    const second = send(authorizer, rs.url);
    go();
    expect(await second).toBe(200);
    expect([as.count("token refresh_token"), as.state.reuses, as.count("authorize")]).toEqual([1, 0, 1]);
  });
});

describe("stored tokens", () => {
  test("are used after the next start without a refusal", async () => {
    const { as, rs } = await pair();
    const store = memoryStore();
    await send(login({ store }), rs.url);
    const refusals = rs.count(401);
    expect(await send(login({ store }), rs.url)).toBe(200);
    expect([rs.count(401) - refusals, as.count("token")]).toEqual([0, 1]);
  });

  test.each(["", "{", "null", "[]", '"x"', "{}"])(
    "count as absent if they cannot be read: %s",
    async (broken) => {
      const { rs } = await pair();
      const store = memoryStore();
      await send(login({ store }), rs.url);
      const values = { ...store, get: async (key: string) => (await store.get(key)) && broken };
      expect(await send(login({ store: { ...values, put: async () => true } }), rs.url)).toBe(200);
    },
  );

  test("are not used if they belong to another client", async () => {
    const clients = ["one", "two"].map((id) => ({ id, redirectUris: ["http://127.0.0.1/callback"] }));
    const { as, rs } = await pair({ clients });
    const store = memoryStore();
    for (const { id } of clients) expect(await send(login({ store, client: { id } }), rs.url)).toBe(200);
    expect(as.count("authorize")).toBe(2);
  });

  test("cause auth-needs-user if their refresh fails and there is no user", async () => {
    const { as, rs } = await pair();
    const store = memoryStore();
    await send(login({ store }), rs.url);
    as.expireAccessTokens();
    for (const { family } of as.state.refreshTokens.values()) as.state.revokeFamily(family);
    const { oauth } = await import("../../../runtime/auth/client.js");
    expect(await failure(send(oauth({ store }), rs.url))).toBe("auth-needs-user");
  });
});

describe("DPoP (RFC 9449)", () => {
  test.each([false, true])("binds tokens to a key that both sides offer; nonces: %s", async (nonces) => {
    const { as, rs } = await pair({ dpop: "required", nonces }, { dpop: true, nonces });
    const authorizer = login();
    for (let i = 0; i < 3; i++) expect(await send(authorizer, rs.url)).toBe(200);
    expect(rs.tokens.every((token) => token.startsWith("DPoP "))).toBe(true);
    as.expireAccessTokens();
    expect(await send(authorizer, rs.url)).toBe(200);
    expect(as.count("authorize")).toBe(1);
  });

  test("keeps the key across a restart", async () => {
    const { as, rs } = await pair({ dpop: "required" }, { dpop: true });
    const store = memoryStore();
    await send(login({ store }), rs.url);
    as.expireAccessTokens();
    expect(await send(login({ store }), rs.url)).toBe(200);
    expect([as.count("authorize"), as.count("token refresh_token")]).toEqual([1, 1]);
  });

  test("is not used if the resource does not offer it, and never if it is switched off", async () => {
    const { rs } = await pair({ dpop: "offered" });
    expect(await send(login(), rs.url)).toBe(200);
    expect(rs.tokens[0]).toMatch(/^Bearer /);
    const offered = await pair({ dpop: "offered" }, { dpop: true });
    expect(await send(login({ dpop: "never" }), offered.rs.url)).toBe(200);
    expect(offered.rs.tokens[0]).toMatch(/^Bearer /);
  });

  test("is refused if it is required but not offered, and so is an unbound token", async () => {
    const { rs } = await pair();
    expect(await failure(send(login({ dpop: "required" }), rs.url))).toBe("auth-refused");
    const lax = await pair({ metadata: { dpop_signing_alg_values_supported: ["ES256"] } });
    expect(await failure(send(login({ dpop: "required" }), lax.rs.url))).toBe("auth-refused");
  });
});

test("attack 23: events and errors hold no secret", async () => {
  const { as, rs } = await pair({}, { scopes: ["a"] });
  const events: AuthEvent[] = [];
  const errors: unknown[] = [];
  const authorizer = login({ onEvent: (event) => events.push(event) });
  await send(authorizer, rs.url);
  as.expireAccessTokens();
  await send(authorizer, rs.url);
  for (const body of [
    "<html>",
    { error: "invalid_grant", error_description: "SECRET" },
    { access_token: 1 },
  ]) {
    const broken = await pair({
      fault: (call, answer) => (call.endpoint === "token" ? { ...answer, status: 400, body } : answer),
    });
    await send(login({ onEvent: (event) => events.push(event) }), broken.rs.url).catch((error: unknown) =>
      errors.push(error),
    );
    for (const secret of broken.as.secrets) as.state.secrets.add(secret);
  }
  expect(events.map(({ type }) => type).slice(0, 5)).toEqual([
    "discovered",
    "registered",
    "opened",
    "token",
    "discovered",
  ]);
  const seen = new Set<unknown>();
  const everything = (value: unknown): string => {
    if (typeof value !== "object" || value === null || seen.has(value)) return String(value);
    seen.add(value);
    return Reflect.ownKeys(value)
      .map((key) => `${String(key)}: ${everything((value as never)[key])}`)
      .join("\n");
  };
  const output = everything([events, errors]);
  expect(errors).toHaveLength(3);
  expect(output).not.toMatch(/SECRET/);
  expect([...as.secrets].filter((secret) => output.includes(secret))).toEqual([]);
  expect(as.secrets.size).toBeGreaterThan(10);
});

test("refreshed tokens stay in use if the store refuses them, and an event reports it", async () => {
  const { as, rs } = await pair();
  const inner = memoryStore();
  let isFull = false;
  const store = {
    ...inner,
    put: (...given: Parameters<typeof inner.put>) =>
      isFull ? Promise.reject(new Error("no space left")) : inner.put(...given),
  };
  const events: AuthEvent[] = [];
  const authorizer = login({ store, onEvent: (event) => events.push(event) });
  expect(await send(authorizer, rs.url)).toBe(200);
  isFull = true;
  for (let refreshes = 1; refreshes <= 2; refreshes++) {
    as.expireAccessTokens();
    expect(await send(authorizer, rs.url)).toBe(200);
    expect([as.count("token refresh_token"), as.state.reuses, as.count("authorize")]).toEqual([
      refreshes,
      0,
      1,
    ]);
  }
  expect(events.filter(({ type }) => type === "not-stored")).toHaveLength(2);
});
