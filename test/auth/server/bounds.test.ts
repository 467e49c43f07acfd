// Limits on the memory that one user, or a stranger, can make a resource server use, and on its requests to issuers.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { introspection, MemoryReplayStore, resourceServer, tokenExchange } from "@mcpgen/auth/server";
import { loopback } from "../../support/listen.js";
import { until } from "../../support/until.mjs";
import { bearer, callerOf, resource } from "./requests.js";

// A busy machine takes longer for a test than a request may wait.
beforeEach(() => {
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
});
afterEach(() => void vi.restoreAllMocks());

const credentials = { clientId: "rs", clientSecret: "secret of the resource server" };

/** An issuer over HTTP, which answers when the test says so. */
async function heldIssuer(answerTo: (path: string, form: URLSearchParams) => object | undefined) {
  const seen: string[] = [];
  const held: (() => void)[] = [];
  const state = { holds: false, running: 0, most: 0 };
  const origin = await loopback((request, response) => {
    const path = request.url!;
    seen.push(path);
    state.most = Math.max(state.most, ++state.running);
    let text = "";
    request.on("data", (part) => (text += String(part)));
    request.on("end", () => {
      const answer = (): void => {
        state.running--;
        const body = answerTo(path, new URLSearchParams(text));
        response.writeHead(body ? 200 : 404, { "content-type": "application/json" });
        response.end(JSON.stringify(body ?? {}));
      };
      if (state.holds) held.push(answer);
      else answer();
    });
  });
  const release = (): void => {
    state.holds = false;
    for (const answer of held.splice(0)) answer();
  };
  return { origin, seen, state, release };
}

const statusOf = (found: object): number => ("status" in found ? (found.status as number) : 200);

describe("introspection", () => {
  test("1,500 invented tokens cause at most 16 connections at once; some requests are asked to retry", async () => {
    const issuer = await heldIssuer(() => ({ active: false }));
    const guard = resourceServer({
      resource,
      issuers: [
        introspection({ issuer: issuer.origin, endpoint: `${issuer.origin}/introspect`, ...credentials }),
      ],
    });
    issuer.state.holds = true;
    const answers = Array.from({ length: 1500 }, (_, at) =>
      guard.http.authenticate(bearer(`invented-${at}`)),
    );
    await until("connections", () => issuer.state.running === 16);
    issuer.release();
    const statuses = (await Promise.all(answers)).map(statusOf);
    expect(issuer.state.most).toBe(16);
    // Half of the queue, because all of these requests have the same key.
    expect(statuses.filter((status) => status === 401)).toHaveLength(16 + 256);
    expect(statuses.filter((status) => status === 503)).toHaveLength(1500 - 16 - 256);
    // Tokens that the issuer refused are refused again without a request to it.
    const count = issuer.seen.length;
    const again = Array.from({ length: 272 }, (_, at) => guard.http.authenticate(bearer(`invented-${at}`)));
    expect(new Set((await Promise.all(again)).map(statusOf))).toEqual(new Set([401]));
    expect(issuer.seen).toHaveLength(count);
  });

  test("unreadable metadata are requested once, not for each token", async () => {
    const issuer = await heldIssuer(() => undefined);
    const guard = resourceServer({
      resource,
      issuers: [introspection({ issuer: issuer.origin, ...credentials })],
    });
    for (let round = 0; round < 2; round++) {
      const answers = Array.from({ length: 200 }, (_, at) =>
        guard.http.authenticate(bearer(`invented-${round}-${at}`)),
      );
      expect(new Set((await Promise.all(answers)).map(statusOf))).toEqual(new Set([503]));
    }
    // The places of the metadata of one issuer.
    expect(issuer.seen).toHaveLength(2);
  });
});

test("500 exchanges of one user cause at most 8 connections at once; another user's exchange does not wait for them", async () => {
  const issuer = await heldIssuer((_, form) => ({
    access_token: `for ${form.get("subject_token")!}`.replaceAll(" ", "-"),
    token_type: "Bearer",
    issued_token_type: "urn:x",
  }));
  const tokenEndpoint = `${issuer.origin}/token`;
  const from = ["https://issuer.example"];
  const exchange = tokenExchange({ issuer: issuer.origin, tokenEndpoint, from, ...credentials });
  const guard = resourceServer({
    resource,
    exchange,
    issuers: [
      {
        issuer: "https://issuer.example",
        opaque: true,
        verify: async (token) => ({
          sub: token.split(".")[0],
          aud: resource,
          exp: Math.floor(Date.now() / 1000) + 60,
        }),
      },
    ],
  });
  issuer.state.holds = true;
  const exchanged = async (token: string) =>
    exchange.token((await callerOf(guard, token)).auth, { audience: "files" });
  const greedy = Promise.allSettled(Array.from({ length: 500 }, (_, at) => exchanged(`ada.${at}`)));
  await until("connections", () => issuer.state.running === 8);
  const other = exchanged("bob.1");
  await until("another", () => issuer.state.running === 9);
  issuer.release();
  expect((await other).accessToken).toBe("for-bob.1");
  expect((await greedy).filter(({ status }) => status === "fulfilled")).toHaveLength(8 + 256);
});

test("verified tokens are cached in at most 64 MB; one user does not evict the tokens of another", async () => {
  let verified = 0;
  const guard = resourceServer({
    resource,
    issuers: [
      {
        issuer: "https://issuer.example",
        opaque: true,
        verify: async (token) => {
          verified++;
          const [sub, , size = "0"] = token.split(".");
          const exp = Math.floor(Date.now() / 1000) + 600;
          return { sub, aud: resource, exp, padding: "x".repeat(Number(size)) };
        },
      },
    ],
  });
  await callerOf(guard, "bob.0");
  for (let at = 0; at < 300; at++) await callerOf(guard, `ada.${at}.200000`);
  expect(verified).toBe(301);
  await callerOf(guard, "bob.0");
  await callerOf(guard, "ada.299.200000");
  expect(verified).toBe(301);
  // Each verified token takes 400 KB, and the cache has room for 79 of one user.
  await callerOf(guard, "ada.221.200000");
  expect(verified).toBe(301);
  await callerOf(guard, "ada.220.200000");
  expect(verified).toBe(302);
});

describe("proofs", () => {
  test("of one user, even 250,000, do not make another user's first proof fail", () => {
    const store = new MemoryReplayStore(300);
    const until = Date.now() / 1000 + 300;
    const answers = { new: 0, used: 0, full: 0 };
    for (let at = 0; at < 250_000; at++)
      answers[store.use(`${"x".repeat(38)}${String(at).padStart(5, "0")}`, until, "ada")]++;
    expect(answers).toEqual({ new: 125_000, used: 0, full: 125_000 });
    expect(store.use("first of bob", until, "bob")).toBe("new");
    // The store forgets no proof of the user who fills it, either.
    expect(store.use(`${"x".repeat(38)}00000`, until, "ada")).toBe("used");
  });

  test("with long jti count by their bytes", () => {
    const store = new MemoryReplayStore(300);
    let kept = 0;
    while (store.use(`${kept}`.padEnd(100_000, "x"), Date.now() / 1000 + 300, "ada") === "new") kept++;
    expect(kept).toBe(Math.floor(32_000_000 / 100_200));
  });
});
