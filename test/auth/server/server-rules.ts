// The rules of the specification for protected servers, tried from outside: the same for every implementation.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { connect } from "node:net";
import { SignJWT, exportJWK, exportSPKI, generateKeyPair, importJWK } from "jose";
import type { AuthorizationServer } from "../../support/auth/authorization-server.js";
import { shown } from "../../support/auth/secrets.js";
import { hang } from "../../support/until.mjs";

/**
 * A protected server: it needs the scope `mcp`, has the tools `echo` without further scopes, `write` with `files:write` and
 * `files:read`, and `whoami` with what handlers know about the caller. `files:admin` implies the scopes of `write`.
 */
export interface ProtectedTarget {
  /** Where it listens. */
  readonly url: string;
  /** The resource identifier that clients use. It has the same path as `url`. */
  readonly resource: string;
  readonly as: AuthorizationServer;
  /** Another issuer whose tokens are accepted. */
  readonly second: AuthorizationServer;
  /** An issuer whose tokens are not accepted. */
  readonly foreign: AuthorizationServer;
  /** The revision of the requests. Default: 2025-11-25. */
  readonly revision?: string;
}

export interface ServerRule {
  /** Requirement of test/checklist, or row of an attack. */
  readonly id: string;
  readonly text: string;
  readonly holds: (target: ProtectedTarget) => Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const revisionOf = ({ revision = "2025-11-25" }: ProtectedTarget): string => revision;

/** Whether requests are stateless: without handshake and session. */
const isStateless = (target: ProtectedTarget): boolean => revisionOf(target) >= "2026";

type Changes = Readonly<Record<string, unknown>>;

function claimsOf({ as, resource }: ProtectedTarget, changes: Changes = {}): Record<string, unknown> {
  const iat = Math.floor(Date.now() / 1000);
  const times = { iat, exp: iat + 600 };
  const claims = {
    iss: as.issuer,
    sub: "user-1",
    client_id: "client-1",
    aud: resource,
    scope: "mcp",
    ...times,
    ...changes,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

const tokenFor = (target: ProtectedTarget, changes?: Changes, typ = "at+jwt"): Promise<string> =>
  target.as.sign(claimsOf(target, changes), typ);

async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { ...init, redirect: "manual" });
  const { status, headers } = response;
  return shown({ status, headers, text: await response.text() });
}

interface Asking {
  readonly token?: string | undefined;
  readonly method?: string;
  readonly session?: string | undefined;
  readonly url?: string;
}

interface Message {
  readonly method: string;
  readonly params?: { readonly name?: string };
}

function post(
  target: ProtectedTarget,
  message: Message,
  { token, method = "POST", session, url }: Asking = {},
): Promise<Answer> {
  const { method: called, params } = message;
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": revisionOf(target),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(session !== undefined && { "mcp-session-id": session }),
    ...(isStateless(target) && { "mcp-method": called, ...(params?.name && { "mcp-name": params.name }) }),
  };
  return ask(url ?? target.url, {
    method,
    headers,
    ...(method === "POST" && { body: JSON.stringify(message) }),
  });
}

const clientInfo = { name: "rules", version: "1" };

/** The description of the client in requests without a handshake. */
function metaOf(target: ProtectedTarget): object {
  if (!isStateless(target)) return {};
  return {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": revisionOf(target),
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
}

/** The first request of a client. */
function greeting(target: ProtectedTarget): Message {
  const handshake = { protocolVersion: revisionOf(target), capabilities: {}, clientInfo };
  const [method, params] = isStateless(target) ? ["tools/list", metaOf(target)] : ["initialize", handshake];
  return { jsonrpc: "2.0", id: 0, method, params } as Message;
}

/** A call of a tool in a new session. */
async function call(target: ProtectedTarget, token: string, name: string): Promise<Answer> {
  const session = await open(target, token);
  return post(target, toolCall(target, name), { token, session });
}

function toolCall(target: ProtectedTarget, name: string): Message {
  const params = { name, arguments: {}, ...metaOf(target) };
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params } as Message;
}

/** The id of a new session, if the server makes sessions. */
async function open(target: ProtectedTarget, token: string): Promise<string | undefined> {
  if (isStateless(target)) return undefined;
  const opened = await post(target, greeting(target), { token });
  assert.equal(opened.status, 200, `initialize got ${opened.status}: ${opened.text.slice(0, 200)}`);
  const session = opened.headers.get("mcp-session-id") ?? undefined;
  const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
  await post(target, initialized, { token, session });
  return session;
}

async function accepted(target: ProtectedTarget, token: string): Promise<void> {
  const { status, text } = await post(target, greeting(target), { token });
  assert.equal(status, 200, `a valid token got ${status}: ${text.slice(0, 200)}`);
}

async function refused(target: ProtectedTarget, token: string, what: string): Promise<void> {
  const { status, headers } = await post(target, greeting(target), { token });
  assert.equal(status, 401, `${what}: status ${status}`);
  assert.match(headers.get("www-authenticate") ?? "", /error="invalid_token"/, what);
}

/** Returns the local URL that serves a URL of the resource's origin. */
function local({ url, resource }: ProtectedTarget, public_: string): string {
  assert.equal(new URL(public_).origin, new URL(resource).origin, "the URL is on another origin");
  return new URL(url).origin + new URL(public_).pathname;
}

function metadataAt(target: ProtectedTarget, form: "path" | "root"): string {
  const path = form === "path" ? new URL(target.resource).pathname : "";
  return `${new URL(target.url).origin}/.well-known/oauth-protected-resource${path}`;
}

async function namesResource(target: ProtectedTarget, url: string): Promise<void> {
  const { status, headers, text } = await ask(url);
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  const { resource, authorization_servers: servers } = JSON.parse(text) as Record<string, unknown>;
  assert.equal(resource, target.resource);
  assert.ok(Array.isArray(servers) && servers.includes(target.as.issuer));
}

const challengeOf = ({ headers }: Answer): string => headers.get("www-authenticate") ?? "";

const scopesIn = (challenge: string): string[] => (/scope="([^"]*)"/.exec(challenge)?.[1] ?? "").split(" ");

const metadataRules: readonly ServerRule[] = [
  {
    id: "AUTHS-02",
    text: "metadata at the well-known path of the resource",
    holds: (target) => namesResource(target, metadataAt(target, "path")),
  },
  {
    id: "AUTHS-02",
    text: "metadata at the root of the origin",
    holds: (target) => namesResource(target, metadataAt(target, "root")),
  },
  {
    id: "own",
    text: "metadata answers HEAD",
    holds: async (target) =>
      assert.equal((await ask(metadataAt(target, "path"), { method: "HEAD" })).status, 200),
  },
  {
    id: "own",
    text: "pages of any origin may read the metadata",
    holds: async (target) => {
      const headers = { origin: "https://page.example.com", "access-control-request-method": "GET" };
      const url = metadataAt(target, "path");
      const got = await ask(url, { headers: { origin: headers.origin } });
      assert.equal(got.headers.get("access-control-allow-origin"), "*");
      const preflight = await ask(url, {
        method: "OPTIONS",
        headers: { ...headers, "access-control-request-headers": "mcp-protocol-version" },
      });
      assert.ok(preflight.status === 204 || preflight.status === 200);
      assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /\*|mcp-protocol-version/i);
    },
  },
  {
    id: "own",
    text: "caches may keep the metadata",
    holds: async (target) => {
      const { headers } = await ask(metadataAt(target, "path"));
      assert.match(headers.get("cache-control") ?? "", /max-age=[1-9]/);
    },
  },
];

const challengeRules: readonly ServerRule[] = [
  ...["POST", "GET", "DELETE"].map((method): ServerRule => ({
    id: "AUTHS-01",
    text: `${method} without a token gets 401 without error, and a challenge that leads to the metadata`,
    holds: async (target) => {
      const answer = await post(target, greeting(target), { method });
      assert.equal(answer.status, 401);
      assert.match(challengeOf(answer), /^Bearer /i);
      assert.doesNotMatch(challengeOf(answer), /error=/);
      const [, url] = /resource_metadata="([^"]+)"/.exec(challengeOf(answer)) ?? [];
      assert.ok(url, "no resource_metadata");
      await namesResource(target, local(target, url));
    },
  })),
  {
    id: "AUTHS-03",
    text: "the URL of the challenge and the well-known one lead to the same metadata",
    holds: async (target) => {
      const answer = await post(target, greeting(target));
      const [, url] = /resource_metadata="([^"]+)"/.exec(challengeOf(answer)) ?? [];
      if (url !== undefined) await namesResource(target, local(target, url));
      await namesResource(target, metadataAt(target, "path"));
    },
  },
  {
    id: "2026-07-28, scope selection",
    text: "the challenge names the scopes",
    holds: async (target) =>
      assert.deepEqual(scopesIn(challengeOf(await post(target, greeting(target)))), ["mcp"]),
  },
  {
    id: "AUTHS-08",
    text: "offline_access is neither in the challenge nor in the metadata",
    holds: async (target) => {
      assert.doesNotMatch(challengeOf(await post(target, greeting(target))), /offline_access/);
      assert.doesNotMatch((await ask(metadataAt(target, "path"))).text, /offline_access/);
    },
  },
  {
    id: "own",
    text: "a refusal comes before the body",
    holds: async (target) => assert.match(await statusBeforeBody(target), /^HTTP\/1\.1 401/),
  },
  {
    id: "attack 14",
    text: "a token in the query is refused, also beside one in the header",
    holds: async (target) => {
      const token = await tokenFor(target);
      const url = `${target.url}?access_token=${token}`;
      assert.equal((await post(target, greeting(target), { url })).status, 401);
      assert.equal((await post(target, greeting(target), { url, token })).status, 401);
    },
  },
];

/** The first line of the answer to a POST whose body never comes. */
function statusBeforeBody({ url }: ProtectedTarget): Promise<string> {
  const { port, host, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1");
    const type = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";
    socket.write(`POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${type}content-length: 1000\r\n\r\n`);
    socket.setTimeout(hang, () => socket.destroy(new Error("no answer")));
    socket.on("data", (data: Buffer) => {
      resolve(data.toString().split("\r\n")[0]!);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

const tokenRules: readonly ServerRule[] = [
  {
    id: "AUTHS-04",
    text: "a token for this resource is accepted, also among others",
    holds: async (target) => {
      await accepted(target, await tokenFor(target));
      await accepted(target, await tokenFor(target, { aud: ["https://other.example.com", target.resource] }));
    },
  },
  {
    id: "AUTHS-01",
    text: "malformed, forged, expired and premature tokens get 401 with error",
    holds: async (target) => {
      const token = await tokenFor(target);
      await refused(target, "not-a-token", "no JWT");
      await refused(target, `${token.slice(0, -8)}AAAAAAAA`, "another signature");
      await refused(target, await tokenFor(target, { exp: Math.floor(Date.now() / 1000) - 120 }), "expired");
      await refused(
        target,
        await tokenFor(target, { nbf: Math.floor(Date.now() / 1000) + 120 }),
        "premature",
      );
      await refused(target, await tokenFor(target, { exp: undefined }), "without expiry");
    },
  },
  {
    id: "AUTHS-04",
    text: "tokens for another audience are refused: another, none, a list without us, a prefix",
    holds: async (target) => {
      const { resource } = target;
      const audiences = [
        "https://other.example.com/mcp",
        undefined,
        ["https://other.example.com"],
        [],
        `${resource}/x`,
      ];
      for (const aud of [...audiences, new URL(resource).origin])
        await refused(target, await tokenFor(target, { aud }), `aud ${JSON.stringify(aud)}`);
    },
  },
  {
    id: "attack 10",
    text: "tokens of an unknown issuer, and of one issuer in the name of another, are refused",
    holds: async (target) => {
      const { foreign, second } = target;
      await refused(target, await foreign.sign(claimsOf(target, { iss: foreign.issuer })), "unknown issuer");
      await refused(target, await foreign.sign(claimsOf(target)), "signed by an unknown issuer");
      await refused(target, await second.sign(claimsOf(target)), "signed by the second issuer");
      await refused(target, await tokenFor(target, { iss: `${target.as.issuer}/` }), "iss with a slash");
    },
  },
  {
    id: "attack 10",
    text: "an ID token for the same audience is no access token",
    holds: async (target) =>
      refused(target, await tokenFor(target, { at_hash: "x", nonce: "n" }, "JWT"), "ID token"),
  },
  {
    id: "attack 11",
    text: "alg none, HS256 with the public key, and keys in the header are refused",
    holds: async (target) => {
      for (const [what, token] of Object.entries(await forgedTokens(target)))
        await refused(target, token, what);
    },
  },
  {
    id: "attack 11",
    text: "50 unknown kids lead to at most one request for keys",
    holds: async (target) => {
      await accepted(target, await tokenFor(target));
      const before = target.as.count("jwks");
      const { privateKey } = await generateKeyPair("ES256");
      for (let at = 0; at < 50; at++) {
        const header = { alg: "ES256", kid: `unknown-${at}` };
        const token = await new SignJWT(claimsOf(target)).setProtectedHeader(header).sign(privateKey);
        assert.equal((await post(target, greeting(target), { token })).status, 401);
      }
      const requests = target.as.count("jwks") - before;
      assert.ok(requests <= 1, `${requests} requests for keys`);
    },
  },
];

/** Tokens that are signed with keys other than that of the issuer. */
async function forgedTokens(target: ProtectedTarget): Promise<Record<string, string>> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const [jwk] = target.as.state.keys.jwks().keys;
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const payload = part(claimsOf(target));
  const pem = await exportSPKI((await importJWK(jwk!, "ES256", { extractable: true })) as never);
  const symmetric = `${part({ alg: "HS256", kid: jwk!.kid })}.${payload}`;
  const embedded = new SignJWT(claimsOf(target)).setProtectedHeader({
    alg: "ES256",
    jwk: await exportJWK(publicKey),
  });
  return {
    "alg none": `${part({ alg: "none" })}.${payload}.AA`,
    HS256: `${symmetric}.${createHmac("sha256", pem).update(symmetric).digest("base64url")}`,
    "embedded key": await embedded.sign(privateKey),
  };
}

const sessionRules: readonly ServerRule[] = [
  {
    id: "AUTHS-05",
    text: "every request is authorized, also within a session",
    holds: async (target) => {
      const session = await open(target, await tokenFor(target));
      assert.equal((await post(target, toolCall(target, "echo"), { session })).status, 401);
    },
  },
  ...(["another subject", "the same sub at another issuer"] as const).map((who): ServerRule => ({
    id: "own",
    text: `a session is not open to ${who}`,
    holds: async (target) => {
      const session = await open(target, await tokenFor(target));
      if (session === undefined) return;
      const token =
        who === "another subject"
          ? await tokenFor(target, { sub: "user-2" })
          : await target.second.sign(claimsOf(target, { iss: target.second.issuer }), "at+jwt");
      await accepted(target, token);
      const { status } = await post(target, toolCall(target, "echo"), { token, session });
      assert.ok(status >= 400, `status ${status}`);
    },
  })),
];

const scopeRules: readonly ServerRule[] = [
  {
    id: "AUTHS-06",
    text: "a token without the scope of the server gets 403 with error, scope and resource_metadata",
    holds: async (target) =>
      lacks(await post(target, greeting(target), { token: await tokenFor(target, { scope: "x" }) }), ["mcp"]),
  },
  {
    id: "AUTHS-06",
    text: "a call without the scopes of its tool gets 403; one challenge names all that it needs",
    holds: async (target) =>
      lacks(await call(target, await tokenFor(target), "write"), ["files:read", "files:write"]),
  },
  {
    id: "2026-07-28, scope hierarchies",
    text: "a broader scope implies narrower ones",
    holds: async (target) => {
      const { status, text } = await call(
        target,
        await tokenFor(target, { scope: "mcp files:admin" }),
        "write",
      );
      assert.equal(status, 200);
      assert.match(text, /written/);
    },
  },
  {
    id: "AUTHS-10",
    text: "handlers do not get the token of the client",
    holds: async (target) => {
      const token = await tokenFor(target);
      const { status, text } = await call(target, token, "whoami");
      assert.equal(status, 200);
      assert.match(text, /client-1/);
      assert.ok(!text.includes(token), "context.auth has the token");
    },
  },
];

function lacks(answer: Answer, scopes: readonly string[]): void {
  assert.equal(answer.status, 403);
  const challenge = challengeOf(answer);
  assert.match(challenge, /error="insufficient_scope"/);
  assert.match(challenge, /resource_metadata="/);
  for (const scope of scopes)
    assert.ok(scopesIn(challenge).includes(scope), `${scope} is missing: ${challenge}`);
}

export const serverRules: readonly ServerRule[] = [
  ...metadataRules,
  ...challengeRules,
  ...tokenRules,
  ...sessionRules,
  ...scopeRules,
];
