// oauth() with third-party authorization servers, from discovery to logout. A user agent without scripts logs in.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { forgetLogin, oauth } from "@mcpgen/auth/client";
import { dpop } from "@mcpgen/auth/server";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { counterparts, oidcProvider } from "./counterparts.mjs";
import { UserAgent } from "./user-agent.mjs";
import { compareTable, withVersion } from "./works-with.mjs";

const redirectUri = "http://127.0.0.1:41999/callback";
const clientOptions = { client: { name: "a client of ours" } };

/** A store whose values tests can read and change. */
class Store {
  values = new Map();
  get = async (key) => this.values.get(key);
  put = async (key, value, expected) => {
    if (this.values.get(key) !== expected) return false;
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, value);
    return true;
  };

  /** The stored login. */
  get grant() {
    return [...this.values.values()].map((text) => JSON.parse(text)).find(({ tokens }) => tokens);
  }

  /** Replaces tokens of the stored login and makes it old, so that it is refreshed before it is used. */
  change(tokens) {
    const [key, text] = [...this.values].find(([, value]) => JSON.parse(value).tokens);
    const grant = JSON.parse(text);
    this.values.set(key, JSON.stringify({ ...grant, tokens: { ...grant.tokens, ...tokens } }));
  }
}

const aged = { obtained: Date.now() - 1_000_000_000, expiresIn: 600 };

/** A user with a browser and a store, who runs a client several times. */
class User {
  agent = new UserAgent();
  store = new Store();
  events = [];

  constructor(url, options = {}) {
    this.url = url;
    this.options = options;
  }

  /** Connects as a new process would, calls a tool, and resolves with its text and the events till then. */
  async call(tool) {
    this.events = [];
    const authorize = oauth({
      ...clientOptions,
      store: this.store,
      redirect: {
        uri: redirectUri,
        receive: (url) => this.agent.visit(url, (each) => each.startsWith(redirectUri)),
      },
      onEvent: (event) => this.events.push(event),
      ...this.options,
    });
    const client = await connect(this.url, { revisions: clientRevisions, http: { authorize } });
    try {
      const { content, isError } = await client.callTool(tool, {});
      assert.notEqual(isError, true, JSON.stringify(content));
      return { text: content[0].text, events: this.events.map(({ type }) => type) };
    } finally {
      await client.close();
    }
  }
}

const running = [];
after(() => Promise.all(running.map((close) => close())));

async function userOf(start, options) {
  const found = await start();
  running.push(found.close);
  return { user: new User(found.url, options), ...found };
}

/** Rows of the table in the documentation. */
const rows = [];
const columns = ["login and call", "refresh", "more scopes", "logout", "proofs", "device"];

const login = ["discovered", "registered", "opened", "token"];

for (const { name, text, packages, start, stepUp, opaque, extras = [] } of counterparts)
  test(`oauth() with ${name}`, { timeout: 120_000 }, async (t) => {
    const { user, issuer, url } = await userOf(start);
    const { store } = user;

    await t.test("finds it, registers, logs in and calls", async () => {
      const { text, events } = await user.call("whoami");
      assert.deepEqual(events, login);
      assert.deepEqual([store.grant.issuer, store.grant.resource], [issuer, url]);
      assert.ok(store.grant.tokens.refresh);
      if (text.startsWith("{")) assert.equal(JSON.parse(text).clientId, store.grant.clientId);
    });

    await t.test("needs no second login", async () => {
      assert.deepEqual((await user.call("whoami")).events, []);
    });

    await t.test("refreshes tokens ahead of their end", async () => {
      const { tokens } = store.grant;
      store.change(aged);
      assert.deepEqual((await user.call("whoami")).events, ["refreshed"]);
      assert.notEqual(store.grant.tokens.access, tokens.access);
      assert.notEqual(store.grant.tokens.refresh, tokens.refresh);
    });

    await t.test("refreshes a token that the server refuses", async () => {
      store.change({ access: "not-a-token-of-anyone" });
      assert.deepEqual((await user.call("whoami")).events, ["discovered", "refreshed"]);
    });

    await t.test("logs in again where the refresh token does not work", async () => {
      store.change({ ...aged, refresh: "not-a-refresh-token" });
      const { events } = await user.call("whoami");
      assert.deepEqual(events, ["discovered", "opened", "token"]);
    });

    await t.test(
      "asks for more scopes where a tool needs them, and keeps the others",
      { skip: !stepUp },
      async () => {
        const { text, events } = await user.call("write");
        assert.equal(text, "written");
        assert.deepEqual(events, ["refused", "discovered", "opened", "token"]);
        assert.ok(["mcp", "files:write"].every((scope) => store.grant.scopes.includes(scope)));
        assert.deepEqual((await user.call("whoami")).events, []);
      },
    );

    await t.test("revokes the tokens at the logout", async () => {
      const { tokens } = store.grant;
      const kept = new Map(store.values);
      assert.equal(await forgetLogin(store, url, clientOptions), "revoked");
      assert.equal(store.grant, undefined);
      // After the logout, stolen tokens must not work.
      store.values = kept;
      if (!opaque) store.change(aged);
      const { events } = await user.call("whoami");
      assert.deepEqual(events.slice(-3), ["discovered", "opened", "token"]);
      assert.ok(!events.includes("refreshed"));
      assert.notEqual(store.grant.tokens.access, tokens.access);
    });

    const offered = new Set([
      ...columns.slice(0, 2),
      "logout",
      ...(stepUp ? ["more scopes"] : []),
      ...extras,
    ]);
    const cells = columns.map((column) => (offered.has(column) ? "yes" : "–"));
    rows.push([packages.map(withVersion).join(", ") || name, text, ...cells]);
  });

test("oauth() with oidc-provider that asks for DPoP proofs with nonces", { timeout: 120_000 }, async () => {
  const options = { dpop: dpop({ required: true, nonceKeys: ["a key of nonces, 32 characters.."] }) };
  const { user } = await userOf(() => oidcProvider({ DPOP: "nonces" }, options));
  assert.deepEqual((await user.call("whoami")).events, login);
  assert.ok(user.store.grant.dpopKey);
  user.store.change(aged);
  assert.deepEqual((await user.call("whoami")).events, ["refreshed"]);
  assert.equal((await user.call("write")).text, "written");
  // Without its key, a stolen token is of no use.
  const stolen = { authorization: `Bearer ${user.store.grant.tokens.access}` };
  const response = await fetch(user.url, { method: "POST", headers: stolen });
  assert.equal(response.status, 401);
  assert.equal(await forgetLogin(user.store, user.url, clientOptions), "revoked");
});

test("oauth() with oidc-provider on another device", { timeout: 120_000 }, async () => {
  const prompts = [];
  const device = async (prompt) => {
    prompts.push(prompt);
    // The user reads the code, and enters it in a browser elsewhere.
    await new UserAgent().visit(prompt.verificationUri, undefined, { user_code: prompt.userCode });
  };
  const { user } = await userOf(() => oidcProvider(), { device });
  assert.deepEqual((await user.call("whoami")).events, login);
  assert.equal(prompts.length, 1);
  user.store.change(aged);
  assert.deepEqual((await user.call("whoami")).events, ["refreshed"]);
});

test("docs/authorization-works-with.md contains these results", () => {
  compareTable("servers", ["authorization server", "", ...columns], rows);
});
