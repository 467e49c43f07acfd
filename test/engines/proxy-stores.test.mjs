// Stores of `oauthProxy()` in databases, as its guide describes them: four processes that share one refresh a login at once.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { memoryStore, oauthProxy } from "@mcpgen/auth/proxy";
import { Redis } from "ioredis";
import sqlite from "node-sqlite3-wasm";
import pg from "pg";
import { noPostgres, startPostgres } from "./postgres.mjs";
import { noRedis, startRedis } from "./redis.mjs";

const issuer = "https://api.example.com";
const redirectUri = "https://app.example.net/callback";

/** Compares and sets in one step: KEYS[1]; ARGV: whether one is expected, the expected value, whether to set, value, expiry. */
const compareAndSet = `
local now = redis.call("GET", KEYS[1])
if ARGV[1] == "1" then if now ~= ARGV[2] then return 0 end elseif now then return 0 end
if ARGV[3] == "1" then redis.call("SET", KEYS[1], ARGV[4], "PXAT", ARGV[5]) else redis.call("DEL", KEYS[1]) end
return 1`;

function redisStore(client) {
  const flag = (value) => (value === undefined ? "0" : "1");
  return {
    get: async (key) => (await client.get(key)) ?? undefined,
    put: async (key, value, expected, expiresAt) =>
      (await client.eval(
        ...[compareAndSet, 1, key, flag(expected), expected ?? "", flag(value), value ?? "", expiresAt],
      )) === 1,
  };
}

const table = "CREATE TABLE logins (key text PRIMARY KEY, value text NOT NULL, expires bigint NOT NULL)";

/** @param run runs a statement; resolves with its rows */
function sqlStore(run) {
  return {
    async get(key) {
      const [row] = await run("SELECT value FROM logins WHERE key = $1 AND expires > $2", [key, Date.now()]);
      return row?.value;
    },
    async put(key, value, expected, expiresAt) {
      const now = Date.now();
      if (value === undefined)
        return (
          (await run("DELETE FROM logins WHERE key = $1 AND value = $2 RETURNING key", [key, expected]))
            .length > 0
        );
      if (expected === undefined)
        return (
          (
            await run(
              `INSERT INTO logins VALUES ($1, $2, $3) ON CONFLICT (key) DO UPDATE
              SET value = excluded.value, expires = excluded.expires WHERE logins.expires <= $4 RETURNING key`,
              [key, value, expiresAt, now],
            )
          ).length > 0
        );
      return (
        (
          await run(
            "UPDATE logins SET value = $2, expires = $3 WHERE key = $1 AND value = $4 AND expires > $5 RETURNING key",
            [key, value, expiresAt, expected, now],
          )
        ).length > 0
      );
    },
  };
}

/** By name: makes the stores of four processes. */
const stores = {
  memory: {
    start: async () => {
      const store = memoryStore();
      return { all: [store, store, store, store], stop: async () => {} };
    },
  },
  SQLite: {
    start: async () => {
      const database = new sqlite.Database(":memory:");
      database.exec(table);
      const run = async (text, values) => database.all(text.replace(/\$(\d)/g, "?$1"), values);
      const store = sqlStore(run);
      return { all: [store, store, store, store], stop: async () => database.close() };
    },
  },
  Redis: {
    missing: noRedis,
    start: async () => {
      const { socket, stop } = await startRedis();
      const clients = [1, 2, 3, 4].map(() => new Redis({ path: socket }));
      return {
        all: clients.map(redisStore),
        stop: async () => {
          await Promise.all(clients.map((client) => client.quit()));
          await stop();
        },
      };
    },
  },
  PostgreSQL: {
    missing: noPostgres,
    start: async () => {
      const { host, stop } = await startPostgres();
      const pools = [1, 2, 3, 4].map(
        () => new pg.Pool({ host, user: "postgres", database: "postgres", max: 4 }),
      );
      await pools[0].query(table);
      const storeOf = (pool) => sqlStore(async (text, values) => (await pool.query(text, values)).rows);
      return {
        all: pools.map(storeOf),
        stop: async () => {
          await Promise.all(pools.map((pool) => pool.end()));
          await stop();
        },
      };
    },
  },
};

const upstream = {
  name: "Upstream",
  server: {
    issuer: "https://upstream.example",
    authorization_endpoint: "https://upstream.example/authorize",
    token_endpoint: "https://upstream.example/token",
  },
  clientId: "proxy",
  secret: "a secret of the upstream",
  scopes: ["notes"],
  identify: () => ({ subject: "ada" }),
};

const proxyWith = (store) =>
  oauthProxy({
    issuer,
    resource: `${issuer}/mcp`,
    upstream,
    keys: ["a secret of forty characters, for tests!"],
    store,
    fetch: async () => Response.json({ access_token: "upstream-token", token_type: "bearer" }),
  });

function ask(proxy, url, init) {
  const { pathname } = new URL(url);
  return proxy.routes.find(({ path }) => path === pathname).handle(new Request(url, init));
}

const post = (proxy, path, form, headers = {}) =>
  ask(proxy, issuer + path, {
    method: "POST",
    body: new URLSearchParams(form).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });

const cookiesOf = (response) =>
  response.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");

/** Logs a user in, at any of the processes; resolves with the client and its refresh token. */
async function loggedIn(next) {
  const registered = await ask(next(), `${issuer}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    }),
  });
  const { client_id } = await registered.json();
  const verifier = randomBytes(32).toString("base64url");
  const asked = new URLSearchParams({
    ...{ response_type: "code", client_id, redirect_uri: redirectUri, code_challenge_method: "S256" },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  });
  const page = await ask(next(), `${issuer}/authorize?${asked}`);
  const [, request] = /name="request" value="([^"]+)"/.exec(await page.text());
  const decided = await post(...[next(), "/consent", { request, decision: "allow" }], {
    cookie: cookiesOf(page),
    origin: issuer,
  });
  const state = new URL(decided.headers.get("location")).searchParams.get("state");
  const back = await ask(next(), `${issuer}/oauth/callback?${new URLSearchParams({ state, code: "c" })}`, {
    headers: { cookie: cookiesOf(decided) },
  });
  const code = new URL(back.headers.get("location")).searchParams.get("code");
  const form = { grant_type: "authorization_code", code, client_id, code_verifier: verifier };
  const tokens = await (await post(next(), "/token", form)).json();
  return { client_id, refresh_token: tokens.refresh_token };
}

for (const [name, { missing, start }] of Object.entries(stores))
  test(
    `40 refreshes at once, at four processes with ${name}, get the same next token`,
    { skip: missing },
    async (t) => {
      const { all, stop } = await start();
      t.after(stop);
      const proxies = all.map(proxyWith);
      let turn = 0;
      const next = () => proxies[turn++ % proxies.length];
      const login = await loggedIn(next);
      for (let round = 0; round < 5; round++) {
        const answers = await Promise.all(
          Array.from({ length: 40 }, () => post(next(), "/token", { grant_type: "refresh_token", ...login })),
        );
        assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
        const bodies = await Promise.all(answers.map((answer) => answer.json()));
        const tokens = new Set(bodies.map(({ refresh_token }) => refresh_token));
        assert.equal(tokens.size, 1);
        [login.refresh_token] = tokens;
      }
    },
  );
