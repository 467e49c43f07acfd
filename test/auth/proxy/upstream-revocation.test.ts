// Tokens of the upstream end with the login that they belong to (RFC 7009).
import { github, oauthProxy, type ProxyEvent, type Upstream } from "@mcpgen/auth/proxy";
import { expect, test, vi } from "vitest";
import { until } from "../../support/until.mjs";
import { authorizationUrl, Proxied, type TestClient, type Tokens } from "./proxied.js";
import { UpstreamStandIn } from "./upstream-stand-in.js";

interface Setup {
  readonly proxied: Proxied;
  readonly client: TestClient;
  readonly events: ProxyEvent[];
  /** The requests for a revocation. */
  readonly revocations: { readonly token: string; readonly hint: string; readonly credentials: string }[];
  /** The tokens that the upstream gave: an access token and a refresh token for each login. */
  readonly upstreamTokens: string[];
}

interface LoggedIn extends Setup {
  readonly tokens: Tokens;
}

/** A proxy whose upstream revokes tokens. @param answer the response of the revocation endpoint */
async function setUp(
  answer: (hint: string) => Response | Promise<Response> = () => new Response(null),
  hasEndpoint = true,
): Promise<Setup> {
  const events: ProxyEvent[] = [];
  const revocations: Setup["revocations"] = [];
  const given: string[] = [];
  const { client: registered, origin } = new UpstreamStandIn();
  const profile = github({ ...registered, host: origin, scopes: ["repo"] });
  const server = { ...profile.server, ...(hasEndpoint && { revocation_endpoint: `${origin}/revoke` }) };
  const proxied: Proxied = new Proxied(
    {
      upstream: { ...profile, server: server as Upstream["server"] },
      onEvent: (event) => events.push(event),
      fetch: async (input, init) => {
        if (String(input) !== `${origin}/revoke`) return proxied.upstream.fetch(input as string, init);
        const form = new URLSearchParams(String(init?.body));
        const [token, hint] = [form.get("token")!, form.get("token_type_hint")!];
        revocations.push({
          token,
          hint,
          credentials: `${form.get("client_id")} ${form.get("client_secret")}`,
        });
        return answer(hint);
      },
    },
    {
      expiresIn: 600,
      tokenAnswer: (answer) => {
        given.push(String(answer["access_token"]), String(answer["refresh_token"]));
        return answer;
      },
    },
  );
  const client = await proxied.register();
  return { proxied, client, events, revocations, upstreamTokens: given };
}

/** As `setUp`, with a login. */
async function loggedIn(...given: Parameters<typeof setUp>): Promise<LoggedIn> {
  const setup = await setUp(...given);
  return { ...setup, tokens: await setup.proxied.tokens(setup.client) };
}

const revoked = ({ proxied, upstreamTokens: [access, refresh], revocations }: Setup): void => {
  const { clientId, secret } = proxied.upstream.client;
  const credentials = `${clientId} ${secret}`;
  expect(revocations).toEqual([
    { token: refresh, hint: "refresh_token", credentials },
    { token: access, hint: "access_token", credentials },
  ]);
};

test("a client that revokes its refresh token revokes the tokens of the upstream", async () => {
  const setup = await loggedIn();
  const { proxied, client, tokens, events } = setup;
  const { status } = await proxied.tokenRequest(client, { token: tokens.refresh_token }, "/revoke");
  expect(status).toBe(200);
  revoked(setup);
  expect(events.map(({ type }) => type)).not.toContain("not-revoked");
  // A second revocation finds no tokens.
  await proxied.tokenRequest(client, { token: tokens.refresh_token }, "/revoke");
  expect(setup.revocations).toHaveLength(2);
});

test("a refresh token that is used again after its successor revokes them", async () => {
  const setup = await loggedIn();
  const { proxied, client, tokens } = setup;
  const { refresh_token: next } = (await (
    await proxied.refresh(client, tokens.refresh_token)
  ).json()) as Tokens;
  await proxied.refresh(client, next);
  expect(setup.revocations).toEqual([]);
  expect((await proxied.refresh(client, tokens.refresh_token)).status).toBe(400);
  revoked(setup);
});

test("revoking an access token ends only that token", async () => {
  const { proxied, client, tokens, revocations } = await loggedIn();
  await proxied.tokenRequest(client, { token: tokens.access_token }, "/revoke");
  expect(revocations).toEqual([]);
});

test("a stranger's revocation has no effect", async () => {
  const { proxied, tokens, revocations } = await loggedIn();
  const other = await proxied.register();
  await proxied.tokenRequest(other, { token: tokens.refresh_token }, "/revoke");
  expect(revocations).toEqual([]);
});

test.each<[string, () => Response | Promise<Response>]>([
  ["answers 503", () => new Response(null, { status: 503 })],
  ["refuses", () => Response.json({ error: "invalid_client" }, { status: 401 })],
  ["does not answer", () => Promise.reject(new TypeError("fetch failed"))],
])("if an upstream %s, the login ends here, and an event reports it", async (_, answer) => {
  const { proxied, client, tokens, events } = await loggedIn(answer);
  const { status } = await proxied.tokenRequest(client, { token: tokens.refresh_token }, "/revoke");
  expect(status).toBe(200);
  expect((await proxied.refresh(client, tokens.refresh_token)).status).toBe(400);
  expect(events.filter(({ type }) => type === "not-revoked")).toHaveLength(1);
  expect(JSON.stringify(events)).not.toMatch(/gh[or]_/);
});

test("an upstream that revokes only refresh tokens suffices", async () => {
  const setup = await loggedIn((hint) =>
    hint === "refresh_token"
      ? new Response(null)
      : Response.json({ error: "unsupported_token_type" }, { status: 400 }),
  );
  const { proxied, client, tokens, events } = setup;
  await proxied.tokenRequest(client, { token: tokens.refresh_token }, "/revoke");
  revoked(setup);
  expect(events.map(({ type }) => type)).not.toContain("not-revoked");
});

test("an upstream without such an endpoint gets no request", async () => {
  const { proxied, client, tokens, revocations, events } = await loggedIn(undefined, false);
  await proxied.tokenRequest(client, { token: tokens.refresh_token }, "/revoke");
  expect([revocations, events.map(({ type }) => type).includes("not-revoked")]).toEqual([[], false]);
});

test("if a login ends while its tokens are refreshed, the new tokens are revoked, too", async () => {
  const setup = await loggedIn();
  const { proxied, client, tokens, revocations, upstreamTokens } = setup;
  const claims = await proxied.proxy.verify(tokens.access_token);
  proxied.now += 550_000;
  const { fetch } = proxied.upstream;
  let asked!: () => void;
  const asking = new Promise<void>((resolve) => (asked = resolve));
  let go!: () => void;
  const going = new Promise<void>((resolve) => (go = resolve));
  Object.assign(proxied.upstream, {
    fetch: async (...given: Parameters<typeof fetch>) => {
      asked();
      await going;
      return fetch(...given);
    },
  });
  const token = proxied.proxy.upstream(claims).catch((error: unknown) => error);
  await asking;
  await proxied.tokenRequest(client, { token: tokens.refresh_token }, "/revoke");
  go();
  expect(await token).toMatchObject({ code: "auth-needs-user" });
  // The tokens of the login, and the tokens of the refresh.
  expect(upstreamTokens).toHaveLength(4);
  expect(new Set(revocations.map(({ token }) => token))).toEqual(new Set(upstreamTokens));
});

/** Lets timers run. The time of the proxy stays. */
function realTimers(proxied: Proxied): void {
  const { now } = proxied;
  vi.useRealTimers();
  proxied.now = now;
}

test("if a code expires without an exchange, the tokens of its login are revoked", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  const setup = await setUp();
  const { proxied, client, revocations, upstreamTokens } = setup;
  const other = oauthProxy(proxied.defaults());
  const here = (await (await proxied.redeem(client, await proxied.login(client))).json()) as Tokens;
  const login = await proxied.login(client);
  const { proxy } = proxied;
  Object.assign(proxied, { proxy: other });
  const elsewhere = (await (await proxied.redeem(client, login)).json()) as Tokens;
  Object.assign(proxied, { proxy });
  const late = await proxied.login(client);
  vi.advanceTimersByTime(60_000);
  realTimers(proxied);
  await until("both tokens are revoked", () => revocations.length === 2);
  // Only the tokens of the login whose code was not exchanged.
  expect(revocations.map(({ token }) => token)).toEqual(upstreamTokens.slice(4).reverse());
  for (const { refresh_token: token } of [here, elsewhere])
    expect((await proxied.refresh(client, token)).status).toBe(200);
  expect((await proxied.redeem(client, late)).status).toBe(400);
});

test("without a timer, as on workerd, the next login revokes them", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  const { proxied, client, revocations } = await setUp();
  await proxied.login(client);
  proxied.now += 60_000;
  await proxied.login(client);
  realTimers(proxied);
  await until("both tokens are revoked", () => revocations.length === 2);
});

test.each<[string, (setup: Setup) => unknown]>([
  [
    "the upstream does not name",
    ({ proxied }) => {
      const { fetch } = proxied.upstream;
      Object.assign(proxied.upstream, {
        fetch: async (...given: Parameters<typeof fetch>) =>
          String(given[0]).endsWith("/user") ? Response.json({}) : fetch(...given),
      });
    },
  ],
  [
    "the store has no room for",
    ({ proxied }) => {
      const put = proxied.store.put.bind(proxied.store);
      proxied.store.put = async (key, ...given) => !key.startsWith("grant:") && put(key, ...given);
    },
  ],
])("the tokens of a user whom %s are revoked", async (_, prepare) => {
  const setup = await setUp();
  prepare(setup);
  const { end } = await setup.proxied.login(setup.client);
  expect(end.url.href).not.toContain(`${setup.client.redirectUri}?code=`);
  revoked(setup);
});

test("the tokens of a user are revoked if another user has consented", async () => {
  const setup = await setUp();
  const { proxied, client, revocations, upstreamTokens } = setup;
  const browser = proxied.browser();
  await proxied.login(client, {}, browser);
  proxied.upstream.account = { id: 18, login: "grace" };
  const asked = await browser.open(authorizationUrl(client, "v".repeat(43)));
  expect(asked.text).toContain("<form");
  expect(revocations.map(({ token }) => token)).toEqual(upstreamTokens.slice(2).reverse());
});

test("the metadata names the page for developers", async () => {
  const documentation = "https://api.example.com/docs";
  const proxied = new Proxied({ documentation });
  const metadata = await (await proxied.ask("/.well-known/oauth-authorization-server")).json();
  expect(metadata).toMatchObject({ service_documentation: documentation });
  const without = await (await new Proxied().ask("/.well-known/oauth-authorization-server")).json();
  expect(without).not.toHaveProperty("service_documentation");
});
