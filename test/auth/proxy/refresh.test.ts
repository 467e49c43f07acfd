import { setTimeout as sleep } from "node:timers/promises";
import { memoryStore, oauthProxy, type ProxyStore } from "@mcpgen/auth/proxy";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases, seed } from "../../support/cases.mjs";
import { ask } from "./browser.js";
import { issuer, Proxied, type TestClient, type Tokens } from "./proxied.js";

/** A store whose answers take a moment, like a database. */
function slow(inner: ProxyStore): ProxyStore {
  const later = async <T>(answer: () => Promise<T>): Promise<T> => {
    await sleep(2 * Math.random());
    const found = await answer();
    await sleep(2 * Math.random());
    return found;
  };
  return {
    get: (key) => later(() => inner.get(key)),
    put: (...given) => later(() => inner.put(...given)),
  };
}

const bodyOf = async (response: Response): Promise<Tokens & { readonly error?: string }> =>
  (await response.json()) as Tokens;

test.each([1, 4])("40 refreshes at once, at %i nodes, get the same next token", async (count) => {
  const proxied = new Proxied();
  const options = { ...proxied.defaults(), store: slow(proxied.store) };
  const nodes = Array.from({ length: count }, () => oauthProxy(options));
  const client = await proxied.register();
  let { refresh_token: token } = await proxied.tokens(client);
  for (let round = 0; round < 2; round++) {
    const form = { grant_type: "refresh_token", refresh_token: token, client_id: client.id };
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams(form).toString();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        ask(nodes[at % count]!, `${issuer}/token`, { method: "POST", body, headers }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
    const next = new Set((await Promise.all(answers.map(bodyOf))).map(({ refresh_token }) => refresh_token));
    expect(next.size).toBe(1);
    [token] = next as unknown as [string];
  }
});

test("if other processes keep changing the login, the answer is 503, not an error", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const { refresh_token: token } = await proxied.tokens(client);
  const { put } = proxied.store;
  proxied.store.put = async () => false;
  const refused = await proxied.refresh(client, token);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  proxied.store.put = put;
  expect((await proxied.refresh(client, token)).status).toBe(200);
});

describe("RFC 9700, 4.14.2: a refresh token that was used", () => {
  async function loggedIn(): Promise<{ proxied: Proxied; client: TestClient; first: string }> {
    const proxied = new Proxied();
    const client = await proxied.register();
    return { proxied, client, first: (await proxied.tokens(client)).refresh_token };
  }

  test("gives the same successor for thirty seconds, because an answer can be lost", async () => {
    const { proxied, client, first } = await loggedIn();
    const { refresh_token: second } = await bodyOf(await proxied.refresh(client, first));
    // The grace does not begin again with each use.
    for (let at = 0; at < 3; at++) {
      proxied.now += 10_000;
      expect((await bodyOf(await proxied.refresh(client, first))).refresh_token).toBe(second);
    }
    proxied.now += 1000;
    expect(await bodyOf(await proxied.refresh(client, first))).toMatchObject({ error: "invalid_grant" });
    expect(await bodyOf(await proxied.refresh(client, second))).toMatchObject({ error: "invalid_grant" });
  });

  test("ends the login if a thief refreshes in step with the client", async () => {
    const { proxied, client, first } = await loggedIn();
    let [mine, stolen] = [first, first];
    let steps = 0;
    for (; steps < 10; steps++) {
      const own = await bodyOf(await proxied.refresh(client, mine));
      if (own.error !== undefined) break;
      mine = own.refresh_token;
      proxied.now += 60_000;
      const theirs = await bodyOf(await proxied.refresh(client, stolen));
      if (theirs.error !== undefined) break;
      stolen = theirs.refresh_token;
      proxied.now += 60_000;
    }
    expect(steps).toBe(0);
    expect((await bodyOf(await proxied.refresh(client, mine))).error).toBe("invalid_grant");
  });

  test("gets the same verdict as with a list of all uses", async () => {
    const steps = fc.array(
      fc.record({ token: fc.nat(6), pass: fc.constantFrom(0, 1, 15, 29, 30, 31, 60, 3600) }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { proxied, client, first } = await loggedIn();
        const known = [first];
        /** When each token was used first. */
        const usedAt: number[] = [];
        let ended = false;
        for (const { token: wanted, pass } of all) {
          proxied.now += 1000 * pass;
          const at = Math.min(wanted, known.length - 1);
          const isNew = at === usedAt.length;
          const isRepeat = at === usedAt.length - 1 && proxied.now - usedAt[at]! <= 30_000;
          const answer = await bodyOf(await proxied.refresh(client, known[at]!));
          ended ||= !isNew && !isRepeat;
          expect(answer.error).toBe(ended ? "invalid_grant" : undefined);
          if (ended) continue;
          if (isNew) usedAt.push(proxied.now);
          if (known.length === at + 1) known.push(answer.refresh_token);
          expect(answer.refresh_token).toBe(known[at + 1]);
        }
      }),
      { seed, numRuns: cases(2000, 20) },
    );
  });
});

test("a sealed login that is copied to the key of another one does not open", async () => {
  const texts = new Map<string, string>();
  const inner = memoryStore();
  const store: ProxyStore = {
    get: (key) => inner.get(key),
    put: (key, value, ...rest) => {
      if (value !== undefined) texts.set(key, value);
      return inner.put(key, value, ...rest);
    },
  };
  const proxied = new Proxied({ store });
  const client = await proxied.register();
  const mine = await proxied.tokens(client);
  const myKey = [...texts.keys()].find((key) => key.startsWith("grant:"));
  proxied.upstream.account = { id: 99, login: "eve" };
  const theirs = await proxied.tokens(client);
  const theirKey = [...texts.keys()].find((key) => key.startsWith("grant:") && key !== myKey)!;
  expect((await proxied.proxy.verify(theirs.access_token))["sub"]).toBe("99");
  // An attacker who can write to the store puts one login into the place of another.
  await inner.put(theirKey, texts.get(myKey!), await inner.get(theirKey), Infinity);
  await expect(proxied.proxy.verify(theirs.access_token)).rejects.toMatchObject({
    code: "auth-token-refused",
  });
  expect((await proxied.refresh(client, theirs.refresh_token)).status).toBe(400);
  expect((await proxied.refresh(client, mine.refresh_token)).status).toBe(200);
});
