// The rules of the specification for clients, tried from outside: the same for every implementation.
import assert from "node:assert/strict";
import type { Answer, AuthorizationServer, Call } from "../../support/auth/authorization-server.js";
import { shown } from "../../support/auth/secrets.js";
import { hang } from "../../support/until.mjs";
import { type MakeAgent, World, answer, failure } from "./client-world.js";

export { ourAgent } from "./client-world.js";

export interface ClientRule {
  /** Requirement of test/checklist, page of the specification, or row of an attack. */
  readonly id: string;
  readonly text: string;
  /** The revision of the protocol that the rule is about. Default: 2025-11-25. */
  readonly revision?: string;
  readonly holds: (world: World) => Promise<void>;
}

/** @throws the first thing that contradicts the rule */
export async function tryRule(
  rule: ClientRule,
  make: MakeAgent,
  revision = rule.revision ?? "2025-11-25",
): Promise<void> {
  const world = new World(make, revision);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no end")), hang);
  });
  try {
    await Promise.race([rule.holds(world), late]);
  } finally {
    clearTimeout(timer);
    await world.close();
  }
}

/** Requests that lead to a token. */
const steps = (as: AuthorizationServer): number =>
  ["register", "authorize", "token"].reduce((sum, name) => sum + as.count(name), 0);

const tokenCall = (as: AuthorizationServer): Call => {
  const call = as.calls.find(({ endpoint }) => endpoint === "token");
  assert.ok(call, "no token request");
  return call;
};

/** Changes the metadata of an authorization server. */
const metadata =
  (change: (document: Record<string, unknown>) => Record<string, unknown>) =>
  (call: Call, given: Answer): Answer =>
    call.endpoint === "metadata" ? { ...given, body: change(given.body as Record<string, unknown>) } : given;

/** Members that OpenID Connect Discovery 1.0 requires. */
const openId = {
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256"],
};

const discoveryRules: readonly ClientRule[] = [
  {
    id: "2025-11-25, discovery",
    text: "the metadata of the resource that the challenge names is read, and no other is tried",
    holds: async (world) => {
      const { rs } = await world.pair({}, { metadataAt: "root" });
      await world.agent(rs).call();
      const read = rs.log.filter((line) => line.includes("oauth-protected-resource"));
      assert.deepEqual([...new Set(read)], ["200 GET /.well-known/oauth-protected-resource"]);
    },
  },
  {
    id: "2025-11-25, discovery",
    text: "without a challenge: the well-known URL with the path, then that of the root",
    holds: async (world) => {
      const { rs } = await world.pair({}, { metadataAt: "root", challenge: () => undefined });
      await world.agent(rs).call();
      const read = rs.log.filter((line) => line.includes("oauth-protected-resource"));
      const root = "GET /.well-known/oauth-protected-resource";
      assert.deepEqual([...new Set(read)], [`404 ${root}/mcp`, `200 ${root}`]);
    },
  },
  ...Object.entries({
    "beside challenges of other schemes": (text: string) => `Basic realm="a, b", ${text}, Negotiate abc=`,
    "whatever the case of its names": (text: string) =>
      text.replace("Bearer", "bEARER").replace("resource_metadata", "Resource_Metadata"),
    "beside a quoted text that looks like its parameter": (text: string) =>
      text.replace("Bearer ", 'Bearer realm="see resource_metadata=http://127.0.0.1:1/", '),
  }).map(([how, challenge]): ClientRule => ({
    id: "AUTHC-11",
    text: `a challenge is found ${how}`,
    holds: async (world) => {
      const { rs } = await world.pair({}, { metadataAt: "root", challenge });
      await world.agent(rs).call();
      assert.ok(!rs.log.some((line) => line.startsWith("404")), "the challenge was not understood");
    },
  })),
  {
    id: "AUTHC-06",
    text: "metadata of an issuer with a path: OAuth inserted, OpenID Connect inserted, then appended",
    holds: async (world) => {
      const { as, rs } = await world.pair({ path: "/tenant", forms: ["oidc-appended"], metadata: openId });
      await world.agent(rs).call();
      assert.deepEqual(
        [...new Set(as.paths())],
        [
          "/.well-known/oauth-authorization-server/tenant",
          "/.well-known/openid-configuration/tenant",
          "/tenant/.well-known/openid-configuration",
        ],
      );
    },
  },
  {
    id: "AUTHC-06",
    text: "metadata of an issuer without a path: OAuth, then OpenID Connect",
    holds: async (world) => {
      const { as, rs } = await world.pair({ forms: ["oidc"], metadata: openId });
      await world.agent(rs).call();
      const expected = ["oauth-authorization-server", "openid-configuration"];
      assert.deepEqual(
        [...new Set(as.paths())],
        expected.map((name) => `/.well-known/${name}`),
      );
    },
  },
  ...Object.entries({
    "another host": () => "https://attacker.example",
    "a slash more": (issuer: string) => `${issuer}/`,
    "another case": (issuer: string) => issuer.replace("http", "HTTP"),
    "another name of the host": (issuer: string) => issuer.replace("127.0.0.1", "localhost"),
  }).map(([what, change]): ClientRule => ({
    id: "attack 2",
    text: `metadata whose issuer has ${what} is refused`,
    holds: async (world) => {
      const changed = metadata((document) => ({ ...document, issuer: change(document["issuer"] as string) }));
      const { as, rs } = await world.pair({ fault: changed });
      await failure(world.agent(rs).call());
      assert.equal(steps(as), 0);
    },
  })),
  {
    id: "attack 2",
    text: "an issuer with a slash at the end is another one than that without",
    holds: async (world) => {
      const { as, rs } = await world.pair();
      rs.options = { ...rs.options, metadata: { authorization_servers: [`${as.issuer}/`] } };
      await failure(world.agent(rs).call());
      assert.equal(steps(as), 0);
    },
  },
  ...Object.entries({
    "another origin": () => "https://other.example/mcp",
    "another path": (url: string) => url.replace(/mcp$/, "other"),
    "a longer path": (url: string) => `${url}/more`,
    "a part of a segment": (url: string) => url.slice(0, -1),
  }).map(([what, change]): ClientRule => ({
    id: "attack 3",
    text: `metadata of a resource with ${what} are refused`,
    holds: async (world) => {
      const { as, rs } = await world.pair();
      rs.options = { ...rs.options, metadata: { resource: change(rs.url) } };
      await failure(world.agent(rs).call());
      assert.equal(steps(as), 0);
    },
  })),
  {
    id: "attack 21",
    text: "the origin of a server without metadata is not taken for its authorization server",
    holds: async (world) => {
      const { rs } = await world.pair({}, { metadataAt: "none" });
      await failure(world.agent(rs).call());
      const asked = rs.log.filter((line) => !line.includes("oauth-protected-resource"));
      assert.deepEqual(
        asked.filter((line) => !line.endsWith(" /mcp")),
        [],
      );
    },
  },
];

const legacyRules: readonly ClientRule[] = [
  {
    id: "AUTHC-13",
    revision: "2025-03-26",
    text: "2025-03-26: metadata at the origin, without the path of the server, is asked for with the version",
    holds: async (world) => {
      const { as, url } = await world.legacy(true);
      await world.agent({ url }, { legacy: true }).call();
      const asked = as.calls.find(({ endpoint }) => endpoint === "metadata")!;
      assert.equal(asked.url.pathname, "/.well-known/oauth-authorization-server");
      assert.match(asked.headers.get("mcp-protocol-version") ?? "", /^\d{4}-\d\d-\d\d$/);
    },
  },
  {
    id: "AUTHC-13",
    revision: "2025-03-26",
    text: "2025-03-26: without metadata, /register, /authorize and /token of the origin are used",
    holds: async (world) => {
      const { as, url } = await world.legacy(false);
      await world.agent({ url }, { legacy: true }).call();
      assert.deepEqual([as.count("register"), as.count("authorize"), as.count("token")], [1, 1, 1]);
    },
  },
];

const local = ["[::ffff:7f00:1]", "0x7f.1", "localhost.", "127.0.0.1"];

const requestRules: readonly ClientRule[] = [
  {
    id: "attack 12",
    text: "a redirect of metadata to another origin is not followed",
    holds: async (world) => {
      const other = await world.server();
      const location = `${other.issuer}/.well-known/oauth-authorization-server`;
      const { rs } = await world.pair({ fault: () => ({ status: 302, headers: { location } }) });
      await failure(world.agent(rs).call());
      assert.deepEqual(other.calls, []);
    },
  },
  {
    id: "attack 12",
    text: "https URLs of this machine in metadata and challenges get no connection",
    holds: async (world) => {
      const { port, connections } = await world.port();
      for (const host of local) {
        const url = `https://${host}:${port}`;
        const challenged = await world.pair({}, { challenge: () => `Bearer resource_metadata="${url}/m"` });
        // A client may also find the metadata at the well-known place.
        await world.agent(challenged.rs).call().catch(shown);
        const named = await world.pair({}, { metadata: { authorization_servers: [url] } });
        await failure(world.agent(named.rs).call());
        assert.equal(connections(), 0, url);
      }
    },
  },
  {
    id: "own",
    text: "a metadata document of more than 64 KB is not used",
    holds: async (world) => {
      const { as, rs } = await world.pair({ metadata: { padding: "x".repeat(70_000) } });
      await failure(world.agent(rs).call());
      assert.equal(steps(as), 0);
    },
  },
  ...["authorization", "token", "registration"].map((name): ClientRule => ({
    id: "2026-07-28, communication security",
    text: `no request goes over http to the ${name} endpoint on another host`,
    holds: async (world) => {
      const { port, connections } = await world.port();
      const { rs } = await world.pair({
        metadata: { [`${name}_endpoint`]: `http://0.0.0.0:${port}/${name}` },
      });
      await failure(world.agent(rs).call());
      assert.equal(connections(), 0);
    },
  })),
  {
    id: "attack 16",
    text: "no browser gets URLs with javascript:, file: and ms-msdt:",
    holds: async (world) => {
      for (const url of ["javascript:alert(1)", "file:///etc/passwd", "ms-msdt:/id"]) {
        const { rs } = await world.pair({ metadata: { authorization_endpoint: url } });
        await failure(world.agent(rs).call());
      }
      assert.deepEqual(world.opened, []);
    },
  },
];

const pkceRules: readonly ClientRule[] = [
  {
    id: "2025-11-25, PKCE",
    text: "each login has a new challenge with S256, and its verifier",
    holds: async (world) => {
      const { rs } = await world.pair();
      await world.agent(rs).call();
      await world.agent(rs).call();
      assert.deepEqual(world.asked("code_challenge_method"), ["S256", "S256"]);
      assert.equal(new Set(world.asked("code_challenge")).size, 2);
    },
  },
  ...Object.entries({ "no PKCE methods": undefined, "plain alone": ["plain"] }).map(
    ([what, code_challenge_methods_supported]): ClientRule => ({
      id: "attack 5",
      text: `a server whose metadata lists ${what} is refused`,
      holds: async (world) => {
        const { as, rs } = await world.pair({ metadata: { code_challenge_methods_supported } });
        await failure(world.agent(rs).call());
        assert.equal(as.count("authorize"), 0);
      },
    }),
  ),
];

const without = (callback: URL): URL => (callback.searchParams.delete("iss"), callback);
const foreign = (callback: URL): URL => (callback.searchParams.set("iss", "https://other.example"), callback);

const responseRules: readonly ClientRule[] = [
  {
    id: "AUTHC-02",
    text: "state is random, and a response with no or another state is refused",
    holds: async (world) => {
      const { as, rs } = await world.pair();
      const changes = [
        (url: URL): URL => (url.searchParams.delete("state"), url),
        (url: URL): URL => (url.searchParams.set("state", "x"), url),
      ];
      for (const change of changes) await failure(world.agent(rs, { change }).call());
      assert.equal(as.count("token"), 0);
      const states = new Set(world.asked("state"));
      assert.equal(states.size, 2);
      for (const state of states) assert.ok(state !== null && state.length >= 22, "a short state");
    },
  },
  ...(
    [
      ["advertised and absent: rejected", "sent", without, false],
      ["advertised, of another issuer: rejected", "sent", foreign, false],
      ["not advertised and present: compared", "omitted", foreign, false],
      ["not advertised and absent: accepted", "omitted", (url: URL) => url, true],
    ] as const
  ).map(([text, iss, change, accepted]): ClientRule => ({
    id: "2026-07-28, RFC 9207",
    text: `iss ${text}`,
    holds: async (world) => {
      const { as, rs } = await world.pair({ iss });
      const call = world.agent(rs, { change }).call();
      if (accepted) await call;
      else await failure(call);
      assert.equal(as.count("token"), accepted ? 1 : 0);
    },
  })),
  {
    id: "2026-07-28, RFC 9207",
    text: "iss is compared without normalization",
    holds: async (world) => {
      const { as, rs } = await world.pair();
      for (const more of ["/", "?", "#x"]) {
        const change = (url: URL): URL => (url.searchParams.set("iss", as.issuer + more), url);
        await failure(world.agent(rs, { change }).call());
      }
      assert.equal(as.count("token"), 0);
    },
  },
  {
    id: "AUTHC-07",
    text: "the text of an error response of another issuer is not shown",
    holds: async (world) => {
      const { rs } = await world.pair();
      const change = (url: URL): URL => {
        url.searchParams.delete("code");
        url.searchParams.set("error", "call_this_number");
        url.searchParams.set("error_description", "CALL NOW");
        return foreign(url);
      };
      assert.doesNotMatch(await failure(world.agent(rs, { change }).call()), /number|CALL NOW/);
    },
  },
  {
    id: "attack 1",
    text: "the code of an honest server does not go to another one",
    holds: async (world) => {
      const [honest, attacker] = [await world.server(), await world.server()];
      const rs = await world.resource([attacker]);
      const change = (url: URL): URL => (url.searchParams.set("iss", honest.issuer), url);
      await failure(world.agent(rs, { change }).call());
      assert.equal(attacker.count("token"), 0);
    },
  },
  {
    id: "attack 8",
    text: "the answer of an earlier login is refused",
    holds: async (world) => {
      const { as, rs } = await world.pair();
      let earlier: URL | undefined;
      await world.agent(rs, { change: (url) => (earlier = url) }).call();
      await failure(world.agent(rs, { change: () => earlier! }).call());
      assert.equal(as.count("token"), 1);
    },
  },
];

const metadataUrl = "https://app.example/client.json";
const redirectUris = ["http://127.0.0.1/callback"];
const document = { client_id: metadataUrl, client_name: "app", redirect_uris: redirectUris };
const known = { id: "known", secret: "the secret of a known client", redirectUris };

/** Fails if a server got a secret of another one. */
function gotNothingOf(server: AuthorizationServer, secrets: Iterable<string>): void {
  const got = server.calls.map(({ url, body, headers }) => [url.href, body, ...headers.values()].join());
  const plain = got.map((text) => {
    const [, basic] = /basic ([\w+/=]+)/i.exec(text) ?? [];
    return text + (basic === undefined ? "" : Buffer.from(basic, "base64").toString());
  });
  for (const secret of secrets) assert.ok(!plain.some((text) => text.includes(secret)), "got a secret");
}

const registrationRules: readonly ClientRule[] = [
  {
    id: "2025-11-25, registration",
    text: "a client that is known before is neither described nor registered",
    holds: async (world) => {
      const { as, rs } = await world.pair({ clients: [{ id: "known", redirectUris }], cimd: () => document });
      await world.agent(rs, { client: { id: "known", metadataUrl } }).call();
      assert.deepEqual([as.count("register"), world.asked("client_id")], [0, ["known"]]);
    },
  },
  {
    id: "AUTHC-08",
    text: "a client id metadata document comes before registration",
    holds: async (world) => {
      const { as, rs } = await world.pair({ cimd: () => document });
      await world.agent(rs, { client: { metadataUrl } }).call();
      assert.deepEqual([as.count("register"), world.asked("client_id")], [0, [metadataUrl]]);
    },
  },
  {
    id: "AUTHC-08",
    text: "where the server does not offer such documents, the client registers",
    holds: async (world) => {
      const { as, rs } = await world.pair();
      await world.agent(rs, { client: { metadataUrl } }).call();
      assert.equal(as.count("register"), 1);
    },
  },
  {
    id: "2026-07-28, SEP-837",
    text: "a registration with a redirect to this machine says application_type native",
    holds: async (world) => {
      const { as, rs } = await world.pair();
      await world.agent(rs).call();
      const { body } = as.calls.find(({ endpoint }) => endpoint === "register")!;
      assert.equal((JSON.parse(body) as Record<string, unknown>)["application_type"], "native");
    },
  },
  {
    id: "AUTHC-09",
    text: "a redirect URI with http on another host is refused",
    holds: async (world) => {
      const redirectUri = "http://app.example/callback";
      const { as, rs } = await world.pair({ clients: [{ id: "known", redirectUris: [redirectUri] }] });
      await failure(world.agent(rs, { redirectUri, client: { id: "known" } }).call());
      assert.equal(as.count("token"), 0);
    },
  },
  {
    id: "AUTHC-10",
    text: "a registered client registers at another issuer again, and sends it nothing of the first",
    holds: async (world) => {
      const { as, rs } = await world.pair({ registrationMethod: "client_secret_basic" });
      const other = await world.server();
      const agent = world.agent(rs);
      await agent.call();
      as.expireAccessTokens();
      rs.options = { ...rs.options, servers: [other] };
      await agent.restart().call();
      assert.equal(other.count("register"), 1);
      gotNothingOf(other, as.secrets);
    },
  },
  {
    id: "attack 4",
    text: "the secret of a known client does not go to another issuer",
    holds: async (world) => {
      const { as, rs } = await world.pair({ clients: [known] });
      const other = await world.server({ clients: [known] });
      const agent = world.agent(rs, { client: { id: "known", secret: known.secret, issuer: as.issuer } });
      await agent.call();
      as.expireAccessTokens();
      rs.options = { ...rs.options, servers: [other] };
      await failure(agent.call());
      gotNothingOf(other, as.secrets);
    },
  },
];

const resourceRules: readonly ClientRule[] = [
  {
    id: "2025-06-18, RFC 8707",
    text: "resource is in the requests of authorization, token and refresh",
    holds: async (world) => {
      const { as, rs } = await world.pair();
      const agent = world.agent(rs);
      await agent.call();
      as.expireAccessTokens();
      await agent.call();
      const sent = as.calls.filter(({ endpoint }) => endpoint === "authorize" || endpoint === "token");
      assert.deepEqual(
        sent.map(({ params }) => params.get("resource")),
        [rs.url, rs.url, rs.url],
      );
    },
  },
  {
    id: "2025-06-18, RFC 8707",
    text: "resource is that of the metadata byte for byte, also without a slash",
    holds: async (world) => {
      const { as, rs } = await world.pair();
      const { origin } = new URL(rs.url);
      rs.options = { ...rs.options, metadata: { resource: origin } };
      // The server of the fixture refuses tokens for its origin. This test looks only at the requests.
      await failure(world.agent(rs).call());
      assert.deepEqual([world.asked("resource")[0], tokenCall(as).params.get("resource")], [origin, origin]);
    },
  },
];

const scopeRules: readonly ClientRule[] = [
  ...(
    [
      ["those of the challenge", { scopes: ["a"], metadata: { scopes_supported: ["b"] } }, "a"],
      ["else those of the metadata", { metadata: { scopes_supported: ["b", "c"] } }, "b c"],
      ["else none", {}, null],
    ] as const
  ).map(([text, options, expected]): ClientRule => ({
    id: "2025-11-25, scope selection",
    text: `scopes are ${text}`,
    holds: async (world) => {
      const { rs } = await world.pair({}, options);
      await world.agent(rs).call();
      assert.deepEqual(world.asked("scope"), [expected]);
    },
  })),
  {
    id: "2026-07-28, SEP-2207",
    text: "offline_access is asked for if the authorization server lists it, and only then",
    holds: async (world) => {
      for (const scopes of [["mcp", "offline_access"], ["mcp"]]) {
        const { rs } = await world.pair({ scopes }, { scopes: ["mcp"] });
        await world.agent(rs).call();
      }
      assert.deepEqual(world.asked("scope"), ["mcp offline_access", "mcp"]);
    },
  },
  {
    id: "2026-07-28, SEP-2350",
    text: "a step-up asks for the union of the scopes",
    holds: async (world) => {
      const { rs } = await world.pair({}, { scopes: ["read"] });
      const agent = world.agent(rs);
      await agent.call();
      rs.options = { ...rs.options, scopes: ["write"] };
      await agent.call();
      assert.deepEqual(world.asked("scope"), ["read", "read write"]);
    },
  },
  {
    id: "attack 22",
    text: "a server that always wants more gets three logins at most",
    holds: async (world) => {
      let more = 0;
      const { rs } = await world.pair(
        { decide: () => ({ subject: "u", scope: "read" }) },
        { scopes: ["read", "x"], challenge: (text) => text.replace(/read x/, `read x${more++}`) },
      );
      await failure(world.agent(rs).call());
      assert.ok(world.opened.length <= 3, `${world.opened.length} logins`);
    },
  },
  {
    id: "attack 22",
    text: "a challenge with 10 KB of scopes is not followed",
    holds: async (world) => {
      const { rs } = await world.pair({}, { scopes: ["a"] });
      const agent = world.agent(rs);
      await agent.call();
      const bomb = Array.from({ length: 2000 }, (_, at) => `s${at}`).join(" ");
      rs.options = {
        ...rs.options,
        scopes: ["b"],
        challenge: (text) => text.replace(/scope="[^"]*"/, `scope="${bomb}"`),
      };
      await failure(agent.call());
      assert.equal(world.opened.length, 1);
    },
  },
];

const tokenRules: readonly ClientRule[] = [
  {
    id: "AUTHC-03",
    text: "the token is in every request after the login, in those that open streams and end sessions, too",
    holds: async (world) => {
      const { rs } = await world.pair();
      const agent = world.agent(rs);
      await agent.call();
      await agent.call();
      await agent.close();
      const requests = rs.log.filter((line) => line.endsWith(" /mcp"));
      const methods = new Set(requests.map((line) => line.split(" ")[1]));
      const expected = world.revision < "2026" ? ["DELETE", "GET", "POST"] : ["POST"];
      assert.deepEqual([...methods].sort(), expected);
      assert.equal(requests.filter((line) => line.startsWith("401")).length, 1);
    },
  },
  {
    id: "AUTHC-04",
    text: "the token does not follow a redirect to another origin",
    holds: async (world) => {
      const { rs } = await world.pair();
      const other = await world.pair();
      const agent = world.agent(rs);
      await agent.call();
      rs.options = {
        ...rs.options,
        serve: (request, response, body) =>
          body.includes('"tools/call"')
            ? response.writeHead(307, { location: other.rs.url }).end()
            : answer(request, response, body),
      };
      await failure(agent.call());
      assert.deepEqual(other.rs.tokens, []);
    },
  },
  {
    id: "AUTHC-05",
    text: "expired tokens are refreshed, and a rotated refresh token takes the place of the old one",
    holds: async (world) => {
      const { as, rs } = await world.pair();
      const agent = world.agent(rs);
      for (let i = 0; i < 4; i++) {
        await agent.call();
        as.expireAccessTokens();
      }
      assert.deepEqual([as.count("token refresh_token"), as.count("authorize"), as.state.reuses], [3, 1, 0]);
    },
  },
  {
    id: "AUTHC-05",
    text: "a refresh token that is not replaced is kept",
    holds: async (world) => {
      const { as, rs } = await world.pair({ refresh: "keep" });
      const agent = world.agent(rs);
      for (let i = 0; i < 3; i++) {
        await agent.call();
        as.expireAccessTokens();
      }
      assert.deepEqual([as.count("token refresh_token"), as.count("authorize")], [2, 1]);
    },
  },
  {
    id: "AUTHC-05",
    text: "a refused refresh token leads to one login, and is not used again",
    holds: async (world) => {
      const { as, rs } = await world.pair();
      const agent = world.agent(rs);
      await agent.call();
      as.expireAccessTokens();
      for (const { family } of as.state.refreshTokens.values()) as.state.revokeFamily(family);
      await agent.call();
      assert.deepEqual([as.count("token refresh_token"), as.count("authorize")], [1, 2]);
    },
  },
  {
    id: "AUTHC-12",
    text: "10 parallel refusals lead to 1 login and 1 token request",
    holds: async (world) => {
      const { as, rs } = await world.pair({ refresh: "none" });
      const agent = world.agent(rs);
      await agent.call();
      as.expireAccessTokens();
      await Promise.all(Array.from({ length: 10 }, () => agent.call()));
      assert.deepEqual([as.count("register"), as.count("authorize"), as.count("token")], [1, 2, 2]);
    },
  },
  {
    id: "AUTHC-12",
    text: "10 parallel requests with an expired token lead to 1 refresh",
    holds: async (world) => {
      const { as, rs } = await world.pair();
      const agent = world.agent(rs);
      await agent.call();
      as.expireAccessTokens();
      await Promise.all(Array.from({ length: 10 }, () => agent.call()));
      assert.deepEqual([as.count("token refresh_token"), as.state.reuses, as.count("authorize")], [1, 0, 1]);
    },
  },
  {
    id: "own",
    text: "stored tokens serve the next start without a refusal",
    holds: async (world) => {
      const { as, rs } = await world.pair();
      const agent = world.agent(rs);
      await agent.call();
      const refusals = rs.count(401);
      await agent.restart().call();
      assert.deepEqual([rs.count(401) - refusals, as.count("token")], [0, 1]);
    },
  },
  {
    id: "RFC 9449",
    text: "tokens are bound to a key where both servers offer it, also with nonces",
    holds: async (world) => {
      const { as, rs } = await world.pair({ dpop: "required", nonces: true }, { dpop: true, nonces: true });
      const agent = world.agent(rs, { dpop: true });
      for (let i = 0; i < 3; i++) await agent.call();
      assert.ok(rs.tokens.length > 0 && rs.tokens.every((token) => token.startsWith("DPoP ")));
      assert.equal(as.count("authorize"), 1);
    },
  },
  {
    id: "own",
    text: "an error does not repeat a code and a verifier that the server echoes",
    holds: async (world) => {
      const { as, rs } = await world.pair({
        fault: ({ endpoint, body }, given) =>
          endpoint === "token"
            ? { ...given, status: 400, body: { error: "invalid_scope", error_description: body } }
            : given,
      });
      const text = await failure(world.agent(rs).call());
      const secrets = [tokenCall(as).params.get("code")!, tokenCall(as).params.get("code_verifier")!];
      for (const secret of secrets) assert.ok(!text.includes(secret), "the error has a secret");
    },
  },
];

export const clientRules: readonly ClientRule[] = [
  ...discoveryRules,
  ...legacyRules,
  ...requestRules,
  ...pkceRules,
  ...responseRules,
  ...registrationRules,
  ...resourceRules,
  ...scopeRules,
  ...tokenRules,
];
