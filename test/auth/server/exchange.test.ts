import { describe, expect, test, vi } from "vitest";
import {
  type ResourceServer,
  type TokenExchange,
  type TokenExchangeOptions,
  jwks,
  resourceServer,
  tokenExchange,
} from "@mcpgen/auth/server";
import {
  type Answer,
  type AuthorizationServer,
  type Call,
  authorizationServer,
} from "../../support/auth/authorization-server.js";
import { callerOf, claimsFor, guardOf, resource } from "./requests.js";

const clientSecret = "secret of the resource server";
const target = { audience: "files", scopes: ["files:read"] };

interface Setup {
  readonly as: AuthorizationServer;
  readonly guard: ResourceServer;
  readonly exchange: TokenExchange;
  readonly asked: Call[];
}

/** @param reply the response of the token endpoint */
async function setup(
  reply: (call: Call) => Partial<Answer>,
  more: Partial<TokenExchangeOptions> = {},
): Promise<Setup> {
  const asked: Call[] = [];
  const as = await authorizationServer({
    fault: (call, answer) => {
      if (call.endpoint !== "token") return answer;
      asked.push(call);
      return { status: 200, headers: { "content-type": "application/json" }, ...reply(call) };
    },
  });
  const exchange = tokenExchange({ issuer: as.issuer, clientId: "rs", clientSecret, ...more });
  return { as, guard: guardOf(as, { exchange }), exchange, asked };
}

let minted = 0;
const fresh =
  (more: object = {}) =>
  () => ({
    body: { access_token: `upstream-${++minted}`, token_type: "Bearer", issued_token_type: "urn:x", ...more },
  });

async function authOf({ as, guard }: Setup, sub = "user-1"): Promise<{ auth: object; token: string }> {
  const token = await as.sign(claimsFor(as, { sub }));
  return { auth: (await callerOf(guard, token)).auth, token };
}

test("RFC 8693: the token of a request is exchanged for one of the upstream API", async () => {
  const given = await setup(fresh({ expires_in: 300 }));
  const { auth, token } = await authOf(given);
  const found = await given.exchange.token(auth, target);
  expect(found.accessToken).toMatch(/^upstream-/);
  expect(Object.fromEntries(given.asked[0]!.params)).toEqual({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: token,
    subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
    audience: "files",
    scope: "files:read",
  });
  const [, credentials] = given.asked[0]!.headers.get("authorization")!.split(" ");
  expect(Buffer.from(credentials!, "base64").toString()).toMatch(/^rs:/);
});

describe("a token of another issuer of the resource server", () => {
  async function two(named: boolean) {
    const given = await setup(fresh());
    const other = await authorizationServer();
    const issuer = given.as.issuer;
    const from = named ? { from: [issuer, other.issuer] } : {};
    const exchange = tokenExchange({ issuer, clientId: "rs", clientSecret, ...from });
    const issuers = [jwks(given.as.issuer), jwks(other.issuer)];
    const guard = resourceServer({ resource, issuers, exchange });
    return { ...given, exchange, token: await other.sign(claimsFor(other, {})), guard };
  }

  test("is not sent to the issuer that exchanges tokens", async () => {
    const { guard, exchange, token, asked } = await two(false);
    const { auth } = await callerOf(guard, token);
    await expect(exchange.token(auth, target)).rejects.toMatchObject({ code: "auth-issuer-mismatch" });
    expect(asked).toEqual([]);
  });

  test("is sent there if `from` names its issuer", async () => {
    const { guard, exchange, token, asked } = await two(true);
    await exchange.token((await callerOf(guard, token)).auth, target);
    expect(asked[0]!.params.get("subject_token")).toBe(token);
  });

  test("is recognised by another name of its issuer (alsoIssuers)", async () => {
    const given = await setup(fresh());
    const { as, exchange } = given;
    const alias = "https://alias.example.com";
    const issuers = [jwks(as.issuer, { alsoIssuers: [alias] })];
    const { auth } = await callerOf(
      resourceServer({ resource, issuers, exchange }),
      await as.sign(claimsFor(as, { iss: alias })),
    );
    await exchange.token(auth, target);
    expect(given.asked).toHaveLength(1);
  });
});

test("an exchange uses the on-behalf-of flow of Microsoft Entra", async () => {
  const given = await setup(fresh(), { flow: "on-behalf-of" });
  const { auth, token } = await authOf(given);
  await given.exchange.token(auth, { scopes: ["https://graph.microsoft.com/User.Read"] });
  expect(Object.fromEntries(given.asked[0]!.params)).toEqual({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: token,
    requested_token_use: "on_behalf_of",
    scope: "https://graph.microsoft.com/User.Read",
  });
});

test("a token is cached per user and target until shortly before it expires; concurrent calls share one exchange", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const given = await setup(fresh({ expires_in: 300 }));
  const { auth, token } = await authOf(given);
  const again = await callerOf(given.guard, token);
  const all = await Promise.all([1, 2, 3].map(() => given.exchange.token(auth, target)));
  expect(new Set(all.map(({ accessToken }) => accessToken)).size).toBe(1);
  // Another request with the same token gets the same result from the cache.
  expect(await given.exchange.token(again.auth, target)).toBe(all[0]);
  expect(given.asked).toHaveLength(1);
  await given.exchange.token((await authOf(given, "user-2")).auth, target);
  await given.exchange.token(auth, { audience: "mail" });
  expect(given.asked).toHaveLength(3);
  vi.setSystemTime(Date.now() + 270_001);
  await given.exchange.token(auth, target);
  expect(given.asked).toHaveLength(4);
});

test.each([408, 425, 429, 500, 503])(
  "an answer %i does not count as a refusal: the next call asks the issuer again",
  async (status) => {
    let isBusy = true;
    const given = await setup(() =>
      isBusy ? { status, body: '{"error":"invalid_grant"}' } : fresh({ expires_in: 300 })(),
    );
    const { auth } = await authOf(given);
    await expect(given.exchange.token(auth, target)).rejects.toMatchObject({ code: "auth-unavailable" });
    isBusy = false;
    expect((await given.exchange.token(auth, target)).accessToken).toMatch(/^upstream-/);
  },
);

test("null members count as absent, except for the scope, which decides about rights", async () => {
  const nulls = { refresh_token: null, expires_in: null, scope: undefined, id_token: null };
  const given = await setup(fresh(nulls));
  const { auth } = await authOf(given);
  expect(await given.exchange.token(auth, target)).toEqual({
    accessToken: expect.stringMatching(/^upstream-/) as string,
  });
  const other = await setup(fresh({ scope: null }));
  await expect(other.exchange.token((await authOf(other)).auth, target)).rejects.toMatchObject({
    code: "auth-refused",
  });
});

test("AUTHS-10: the token itself never goes upstream: an issuer that returns it is refused", async () => {
  const given = await setup(({ params }) => ({
    body: { access_token: params.get("subject_token")!, token_type: "Bearer" },
  }));
  const { auth, token } = await authOf(given);
  const error = await given.exchange.token(auth, target).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "auth-refused" });
  expect(String(error)).not.toContain(token);
});

test("AUTHS-10: handlers do not find the token in context.auth", async () => {
  const { auth, token } = await authOf(await setup(fresh()));
  const seen = new Set<unknown>();
  const search = (value: unknown): void => {
    if (typeof value === "string") expect(value).not.toContain(token);
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    for (const key of Reflect.ownKeys(value)) search((value as Record<PropertyKey, unknown>)[key]);
  };
  search(auth);
});

test.each<[string, Partial<Answer>, string]>([
  [
    "an error",
    { status: 400, body: { error: "invalid_grant", error_description: "token <script>" } },
    "auth-refused",
  ],
  ["an error whose code is text", { status: 400, body: { error: "<script>\n" } }, "auth-refused"],
  ["401", { status: 401, body: { error: "invalid_client" } }, "auth-refused"],
  ["an error with status 200", { body: { error: "invalid_grant" } }, "auth-refused"],
  ["an error of the moment", { body: { error: "temporarily_unavailable" } }, "auth-unavailable"],
  ["a token that is for DPoP", { body: { access_token: "x", token_type: "DPoP" } }, "auth-refused"],
  ["a redirect", { status: 302, headers: { location: "https://evil.example.com" } }, "auth-unavailable"],
  ["no token", { body: {} }, "auth-refused"],
])(
  "an issuer that answers with %s: a coded error without secrets and without its text",
  async (_, reply, code) => {
    const given = await setup(() => reply);
    const { auth, token } = await authOf(given);
    const error = (await given.exchange.token(auth, target).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ code });
    const text = `${error.message} ${JSON.stringify(error)} ${String(error.cause)}`;
    for (const secret of [token, clientSecret, "script"]) expect(text).not.toContain(secret);
    // A failure is not cached.
    await given.exchange.token(auth, target).catch(() => undefined);
    expect(given.asked).toHaveLength(2);
  },
);

test("claims of another source do not give a token, and a target is required", async () => {
  const given = await setup(fresh());
  const { auth } = await authOf(given);
  for (const other of [undefined, {}, { ...auth }, "token"])
    await expect(given.exchange.token(other, target)).rejects.toMatchObject({ code: "auth-options" });
  await expect(given.exchange.token(auth, {})).rejects.toThrow(/^target: /);
  await expect(given.exchange.token(auth, { scopes: ["a b"] })).rejects.toThrow(/^target\.scopes: /);
});
