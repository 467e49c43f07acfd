import { createHash, randomUUID } from "node:crypto";
import { type CryptoKey, type JWK, SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import { expect, test, vi } from "vitest";
import {
  type AuthDenial,
  type DpopOptions,
  MemoryReplayStore,
  type ResourceServer,
  dpop,
} from "@mcpgen/auth/server";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { callerOf, claimsFor, denialOf, expectRefused, guardOf, request, resource } from "./requests.js";

interface Sender {
  readonly guard: ResourceServer;
  readonly token: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function sender(
  options: DpopOptions = {},
  claims: Readonly<Record<string, unknown>> = {},
): Promise<Sender> {
  const as = await authorizationServer();
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(publicKey);
  const cnf = { jkt: await calculateJwkThumbprint(jwk) };
  const token = await as.sign(claimsFor(as, { ...claims, cnf }), "at+jwt");
  return { guard: guardOf(as, { dpop: dpop(options) }), token, privateKey, jwk };
}

interface Changes {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: CryptoKey | Uint8Array;
}

function proofOf({ token, privateKey, jwk }: Sender, { claims, header, key }: Changes = {}): Promise<string> {
  const all = {
    jti: randomUUID(),
    htm: "POST",
    htu: resource,
    iat: Math.floor(Date.now() / 1000),
    ath: createHash("sha256").update(token).digest("base64url"),
    ...claims,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new SignJWT(given)
    .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk, ...header })
    .sign(key ?? privateKey);
}

const sent = (token: string, proof?: string): ReturnType<typeof request> =>
  request({ authorization: `DPoP ${token}`, ...(proof !== undefined && { dpop: proof }) });

async function refusedWith(
  from: Sender,
  proof: string | undefined,
): Promise<[string | undefined, AuthDenial]> {
  const denial = await denialOf(from.guard, sent(from.token, proof));
  expect(denial.status).toBe(401);
  const challenge = denial.headers["www-authenticate"]!;
  // Only the challenge of the used scheme (DPoP) contains the error.
  expect(challenge.split("DPoP ")[0]).not.toContain("error=");
  return [/error="(\w+)"/.exec(challenge)?.[1], denial];
}

test("RFC 9449: a token with a proof of its key is accepted; each request needs a new proof", async () => {
  const from = await sender();
  for (let i = 0; i < 2; i++)
    expect(await from.guard.http.authenticate(sent(from.token, await proofOf(from)))).toMatchObject({
      auth: { subject: "user-1" },
    });
  const url = `${resource}?x=1#y`;
  const withQuery = await proofOf(from, { claims: { htu: "HTTPS://API.example.com:443/mcp?other=2" } });
  expect(await from.guard.http.authenticate({ ...sent(from.token, withQuery), url })).toHaveProperty("auth");
});

test("RFC 9449: the audience of a bound token is checked, too", async () => {
  const from = await sender({}, { aud: "https://other.example.com/mcp" });
  const [error, { text }] = await refusedWith(from, await proofOf(from));
  expect([error, text]).toEqual(["invalid_token", expect.stringMatching(/audience/)]);
});

const minute = (): number => Math.floor(Date.now() / 1000);

test.each<[string, Changes, string?]>([
  ["another htm", { claims: { htm: "GET" } }],
  ["htm in lower case", { claims: { htm: "post" } }],
  ["another htu", { claims: { htu: "https://api.example.com/other" } }],
  ["another host", { claims: { htu: "https://evil.example.com/mcp" } }],
  ["no htu", { claims: { htu: undefined } }],
  ["a stale iat", { claims: { iat: minute() - 302 } }],
  ["an iat of the future", { claims: { iat: minute() + 310 } }],
  ["no iat", { claims: { iat: undefined } }],
  ["no ath", { claims: { ath: undefined } }],
  ["the ath of another token", { claims: { ath: createHash("sha256").update("x").digest("base64url") } }],
  ["no jti", { claims: { jti: undefined } }],
  ["an empty jti", { claims: { jti: "" } }],
  ["a jti of 1 KB", { claims: { jti: "x".repeat(1024) } }],
  ["another typ", { header: { typ: "JWT" } }],
  ["no typ", { header: { typ: undefined } }],
  ["no jwk", { header: { jwk: undefined } }],
])("attack 20: a proof with %s gets 401", async (_, changes) => {
  const from = await sender();
  expect((await refusedWith(from, await proofOf(from, changes)))[0]).toBe("invalid_dpop_proof");
});

test("attack 20: a proof is valid once", async () => {
  const from = await sender();
  const proof = await proofOf(from);
  expect(await from.guard.http.authenticate(sent(from.token, proof))).toHaveProperty("auth");
  const [error, { text }] = await refusedWith(from, proof);
  expect([error, text]).toEqual(["invalid_dpop_proof", "the proof was used before"]);
});

test("attack 20: of two concurrent uses of a proof, one is refused", async () => {
  const from = await sender();
  const proof = await proofOf(from);
  const all = await Promise.all([1, 2, 3].map(() => from.guard.http.authenticate(sent(from.token, proof))));
  expect(all.filter((each) => "auth" in each)).toHaveLength(1);
});

test("attack 20: a proof by another key than cnf.jkt gets 401", async () => {
  const [from, other] = [await sender(), await sender()];
  const proof = await proofOf(from, { header: { jwk: other.jwk }, key: other.privateKey });
  const [error, { text }] = await refusedWith(from, proof);
  expect([error, text]).toEqual(["invalid_token", "the token is bound to another key"]);
});

test("attack 20: a proof that another key signed, or that brings a private or symmetric key, gets 401", async () => {
  const [from, other] = [await sender(), await sender()];
  const secret = new Uint8Array(32);
  for (const changes of [
    { key: other.privateKey },
    { header: { jwk: await exportJWK(from.privateKey) } },
    { header: { alg: "HS256", jwk: { kty: "oct", k: "AAAA" } }, key: secret },
  ])
    expect((await refusedWith(from, await proofOf(from, changes)))[0]).toBe("invalid_dpop_proof");
});

test.each([
  ["ES256", { kty: "EC", crv: "P-256", x: "AAAA", y: "AAAA" }],
  ["EdDSA", { kty: "OKP", crv: "Ed25519", x: "AA" }],
  ["RS256", { kty: "RSA", n: "AA", e: "AQAB" }],
])("attack 20: a proof with a key that the platform cannot import gets 401 (%s)", async (alg, jwk) => {
  const from = await sender();
  const [header, payload] = [{ alg, typ: "dpop+jwt", jwk }, {}].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  expect((await refusedWith(from, `${header}.${payload}.AAAA`))[0]).toBe("invalid_dpop_proof");
});

test("attack 20: no proof, two headers, and a text that is not a JWT get 401", async () => {
  const from = await sender();
  const two = `${await proofOf(from)}, ${await proofOf(from)}`;
  for (const proof of [undefined, two, "text", "x".repeat(10_000), ""])
    expect((await refusedWith(from, proof))[0]).toBe("invalid_dpop_proof");
});

test("RFC 9449, 7.1: a token that is bound to a key is not accepted as a bearer token", async () => {
  const from = await sender();
  await expectRefused(from.guard, from.token, /needs a DPoP proof/);
  const as = await authorizationServer();
  const without = guardOf(as);
  const bound = await as.sign(claimsFor(as, { cnf: { jkt: "x" } }));
  await expectRefused(without, bound, /needs a DPoP proof/);
  expect((await denialOf(without, sent(bound))).status).toBe(401);
});

test("a token that is not bound is a bearer token, unless DPoP is required", async () => {
  const as = await authorizationServer();
  const token = await as.sign(claimsFor(as));
  await callerOf(guardOf(as, { dpop: dpop() }), token);
  expect((await denialOf(guardOf(as, { dpop: dpop() }), sent(token))).status).toBe(401);
  const { status, headers } = await denialOf(guardOf(as, { dpop: dpop({ required: true }) }), token);
  expect([status, headers["www-authenticate"]!.slice(0, 26)]).toEqual([401, 'DPoP error="invalid_token"']);
});

test.each([{ "x5t#S256": "abc" }, { jwk: {} }, { jkt: 7 }])(
  "RFC 7800, 3.1: a confirmation that is not understood (%j) is refused, not ignored",
  async (cnf) => {
    const as = await authorizationServer();
    await expectRefused(guardOf(as), await as.sign(claimsFor(as, { cnf })), /bound to its sender/);
  },
);

const nonceKeys = ["k".repeat(32)];

test("RFC 9449, 9: a proof needs a nonce; every process with the same keys accepts it", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const [from, other] = [await sender({ nonceKeys }), await sender({ nonceKeys })];
  const [error, { headers }] = await refusedWith(from, await proofOf(from));
  expect(error).toBe("use_dpop_nonce");
  const nonce = headers["dpop-nonce"];
  for (const each of [from, other])
    expect(
      await each.guard.http.authenticate(sent(each.token, await proofOf(each, { claims: { nonce } }))),
    ).toHaveProperty("auth");
  vi.setSystemTime(Date.now() + 120_000);
  expect(
    await from.guard.http.authenticate(sent(from.token, await proofOf(from, { claims: { nonce } }))),
  ).toHaveProperty("auth");
  vi.setSystemTime(Date.now() + 120_000);
  const [again, fresh] = await refusedWith(from, await proofOf(from, { claims: { nonce } }));
  expect(again).toBe("use_dpop_nonce");
  expect(fresh.headers["dpop-nonce"]).not.toBe(nonce);
});

test("keys of nonces rotate: the nonces of the old key are accepted, the new key issues", async () => {
  const [old, both] = ["a".repeat(32), "b".repeat(32)] as const;
  const [before, after] = [await sender({ nonceKeys: [old] }), await sender({ nonceKeys: [both, old] })];
  const [, first] = await refusedWith(before, undefined);
  const nonce = first.headers["dpop-nonce"];
  expect(
    await after.guard.http.authenticate(sent(after.token, await proofOf(after, { claims: { nonce } }))),
  ).toHaveProperty("auth");
  const [, second] = await refusedWith(after, undefined);
  expect(second.headers["dpop-nonce"]).not.toBe(nonce);
});

test("a refused proof is not recorded, and a store that several processes share decides", async () => {
  const used = new Set<string>();
  const replay = {
    use: (id: string) => Promise.resolve(used.has(id) ? ("used" as const) : (used.add(id), "new" as const)),
  };
  const from = await sender({ replay, nonceKeys });
  await refusedWith(from, await proofOf(from));
  expect(used.size).toBe(0);
  const full = await sender({ replay: { use: () => "full" } });
  expect((await denialOf(full.guard, sent(full.token, await proofOf(full)))).status).toBe(503);
});

test("the store gets the owner of a proof, so that it can give each user a share", async () => {
  const owners: (string | undefined)[] = [];
  const replay = {
    use: (_id: string, _until: number, principal?: string) => {
      owners.push(principal);
      return "new" as const;
    },
  };
  const from = await sender({ replay });
  const found = await from.guard.http.authenticate(sent(from.token, await proofOf(from)));
  expect(owners).toEqual([(found as { readonly principal: string }).principal]);
});

test("the store in memory remembers a proof as long as it is valid, and forgets it after that", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const store = new MemoryReplayStore(300);
  expect(store.use("a")).toBe("new");
  vi.setSystemTime(Date.now() + 599_000);
  expect([store.use("b"), store.use("a")]).toEqual(["new", "used"]);
  vi.setSystemTime(Date.now() + 599_000);
  expect([store.use("b"), store.use("c")]).toEqual(["used", "new"]);
  vi.setSystemTime(Date.now() + 2_400_000);
  expect([store.use("a"), store.use("b"), store.use("c")]).toEqual(["new", "new", "new"]);
});
