import { expect, test } from "vitest";
import { forgetLogin, memoryStore, storedLogin } from "../../../runtime/auth/client.js";
import { login, pair, send, user } from "./drive.js";

test("a stored login is shown without its secrets, revoked and removed", async () => {
  const { as, rs } = await pair({ scopes: ["a", "offline_access"] }, { scopes: ["a"] });
  const store = memoryStore();
  const client = { name: "agent" };
  expect(await storedLogin(store, rs.url, { client })).toBeUndefined();
  expect(await forgetLogin(store, rs.url, { client })).toBe("absent");
  expect(await send(login({ store, client }), rs.url)).toBe(200);
  const stored = (await storedLogin(store, rs.url, { client }))!;
  expect(stored).toMatchObject({ issuer: as.issuer, resource: rs.url, refreshable: true });
  expect(stored.scopes).toContain("a");
  expect(stored.expires! - Date.now()).toBeGreaterThan(3_500_000);
  const text = JSON.stringify(stored);
  for (const secret of as.secrets) expect(text).not.toContain(secret);
  // Another client of the same store has no login.
  expect(await storedLogin(store, rs.url, { client: { name: "other" } })).toBeUndefined();
  expect(await forgetLogin(store, rs.url, { client })).toBe("revoked");
  const revoked = as.calls.filter(({ endpoint }) => endpoint === "revoke");
  expect(revoked.map(({ params }) => params.get("token_type_hint"))).toEqual([
    "refresh_token",
    "access_token",
  ]);
  expect(await storedLogin(store, rs.url, { client })).toBeUndefined();
});

test.each([1e13, 1e300, "99999999999999"])(
  "the end of a lifetime of %s seconds is a valid date",
  async (expires_in) => {
    const { rs } = await pair({
      fault: (call, answer) =>
        call.endpoint === "token" ? { ...answer, body: { ...(answer.body as object), expires_in } } : answer,
    });
    const store = memoryStore();
    expect(await send(login({ store }), rs.url)).toBe(200);
    const { expires } = (await storedLogin(store, rs.url))!;
    expect(new Date(expires!).getTime()).toBeGreaterThan(Date.now() + 9e11);
    expect(await send(login({ store, redirect: user(() => "https://elsewhere.example") }), rs.url)).toBe(200);
  },
);

test.each([
  ["has no revocation", { metadata: { revocation_endpoint: undefined } }],
  [
    "fails",
    {
      fault: (call: { endpoint: string }, answer: object) =>
        call.endpoint === "revoke" ? { status: 500 } : answer,
    },
  ],
])("a login is removed even if the authorization server %s", async (_, options) => {
  const { rs } = await pair(options as object);
  const store = memoryStore();
  await send(login({ store }), rs.url);
  expect(await forgetLogin(store, rs.url)).toBe("removed");
  expect(await storedLogin(store, rs.url)).toBeUndefined();
});

test.each([
  ["revoked", "rotate", 2],
  ["removed", "none", 1],
] as const)(
  "RFC 7009, 2.2.1: where JWT cannot be revoked, a login is %s; refresh tokens: %s",
  async (expected, refresh, requests) => {
    const { as, rs } = await pair({
      refresh,
      fault: (call, answer) => {
        if (call.endpoint !== "revoke" || call.params.get("token_type_hint") !== "access_token")
          return answer;
        const headers = { "content-type": "application/json" };
        return { status: 400, headers, body: { error: "unsupported_token_type" } };
      },
    });
    const store = memoryStore();
    await send(login({ store }), rs.url);
    expect(await forgetLogin(store, rs.url)).toBe(expected);
    expect(await storedLogin(store, rs.url)).toBeUndefined();
    expect(as.count("revoke")).toBe(requests);
  },
);
