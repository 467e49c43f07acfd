// Documents over HTTP, from servers that answer when the test says so.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { loopback } from "../../support/listen.js";
import { until } from "../../support/until.mjs";
import { authorizationUrl, issuer, Proxied, redirectUri, type TestClient } from "./proxied.js";

// A busy machine takes longer for a test than a request may wait.
beforeEach(() => {
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
});
afterEach(() => void vi.restoreAllMocks());

const verifier = "v".repeat(43);
const clientAt = (id: string): TestClient => ({ id, method: "none", redirectUri });
const documentAt = (id: string, more: object = {}) => ({
  client_id: id,
  client_name: "Agent",
  redirect_uris: [redirectUri],
  ...more,
});

/** A server over HTTP for the documents of all hosts, which answers when the test says so. */
async function documentServer(documentOf: (id: string) => object | undefined) {
  const seen: string[] = [];
  const held: (() => void)[] = [];
  const most = { all: 0, ofOneHost: 0 };
  const running: string[] = [];
  const state = { holds: false };
  const origin = await loopback((request, response) => {
    const id = new URL(request.url!, "http://here").searchParams.get("url")!;
    seen.push(id);
    running.push(id);
    most.all = Math.max(most.all, running.length);
    const ofHost = running.filter((each) => new URL(each).host === new URL(id).host).length;
    most.ofOneHost = Math.max(most.ofOneHost, ofHost);
    const answer = (): void => {
      running.splice(running.indexOf(id), 1);
      const document = documentOf(id);
      response.writeHead(document ? 200 : 404, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify(document ?? {}));
    };
    if (state.holds) held.push(answer);
    else answer();
  });
  const send = (id: string, init?: RequestInit): Promise<Response> =>
    fetch(`${origin}/?url=${encodeURIComponent(id)}`, init);
  const release = (): void => {
    state.holds = false;
    for (const answer of held.splice(0)) answer();
  };
  return { seen, running, most, state, release, send };
}

function proxiedWith({ send }: Awaited<ReturnType<typeof documentServer>>): Proxied {
  const proxied: Proxied = new Proxied({
    fetch: (input, init) => {
      const url = String(input);
      return url.startsWith(proxied.upstream.origin) ? proxied.upstream.fetch(input, init) : send(url, init);
    },
  });
  return proxied;
}

const opened = (proxied: Proxied, id: string) =>
  proxied.ask(authorizationUrl(clientAt(id), verifier).slice(issuer.length));

describe("documents that anybody names", () => {
  test.each([
    ["500 hosts", (at: number) => `https://c${at}.example.org/c.json`, 16],
    ["one host", (at: number) => `https://c.example.org/${at}.json`, 4],
  ])("500 of %s cause a bounded number of connections at once", async (_, idOf, most) => {
    const server = await documentServer((id) => documentAt(id));
    const proxied = proxiedWith(server);
    server.state.holds = true;
    const answers = Array.from({ length: 500 }, (_, at) => opened(proxied, idOf(at)));
    await until("connections", () => server.running.length === most);
    server.release();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect([server.most.all, server.most.ofOneHost]).toEqual([most, most === 4 ? 4 : 1]);
    // Requests for which there was no room get 503.
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(128);
    expect((await opened(proxied, idOf(1000))).status).toBe(200);
  });

  test("a page for which there is no room says when to retry", async () => {
    const server = await documentServer((id) => documentAt(id));
    const proxied = proxiedWith(server);
    server.state.holds = true;
    const ids = Array.from({ length: 400 }, (_, at) => `https://c.example.org/${at}.json`);
    const answers = ids.map((id) => opened(proxied, id));
    await until("connections", () => server.running.length === 4);
    const late = await opened(proxied, "https://c.example.org/late.json");
    expect([late.status, late.headers.get("retry-after")]).toEqual([503, "5"]);
    // Another host has its own connections.
    const other = opened(proxied, "https://other.example/c.json");
    await until("another", () => server.running.length === 5);
    server.release();
    expect((await other).status).toBe(200);
    await Promise.all(answers);
  });

  test("2,000 of them do not take memory or connections from clients with which users log in", async () => {
    const id = "https://client.example.org/c.json";
    const server = await documentServer((each) => documentAt(each, { grant_types: ["refresh_token"] }));
    const proxied = proxiedWith(server);
    const { refresh_token: token } = await proxied.tokens(clientAt(id));
    expect(server.seen).toEqual([id]);
    for (let at = 0; at < 2000; at += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, more) => opened(proxied, `https://c${at + more}.example.org/c.json`)),
      );
    expect(server.seen).toHaveLength(2001);
    expect((await proxied.refresh(clientAt(id), token)).status).toBe(200);
    expect((await opened(proxied, id)).status).toBe(200);
    expect(server.seen.filter((each) => each === id)).toHaveLength(1);
    // The document has expired, and strangers use all connections that they can have.
    proxied.now += 3_601_000;
    server.state.holds = true;
    const answers = Array.from({ length: 300 }, (_, at) => opened(proxied, `https://d${at}.example/c.json`));
    await until("connections", () => server.running.length === 16);
    const refreshed = proxied.refresh(clientAt(id), token);
    await until("the document", () => server.running.includes(id));
    server.release();
    expect((await refreshed).status).not.toBe(503);
    await Promise.all(answers);
  });

  test("the document of a client without a login is kept for five minutes at most", async () => {
    const id = "https://client.example.org/c.json";
    const server = await documentServer((each) => documentAt(each));
    const proxied = proxiedWith(server);
    for (const [pass, count] of [
      [0, 1],
      [299_000, 1],
      [2000, 2],
    ] as const) {
      proxied.now += pass;
      expect((await opened(proxied, id)).status).toBe(200);
      expect(server.seen).toHaveLength(count);
    }
  });

  test("500 requests for documents that fail cause one connection each, and none for ten seconds", async () => {
    const server = await documentServer(() => undefined);
    const proxied = proxiedWith(server);
    const ids = Array.from({ length: 10 }, (_, at) => `https://c${at}.example.org/c.json`);
    for (let round = 0; round < 50; round++)
      await Promise.all(ids.map(async (id) => expect((await opened(proxied, id)).status).toBe(400)));
    expect(server.seen).toHaveLength(10);
    proxied.now += 10_000;
    await opened(proxied, ids[0]!);
    expect(server.seen).toHaveLength(11);
  });
});

test("60 logins at once leave connections to the upstream for refreshes; the others wait", async () => {
  let running = 0;
  let most = 0;
  let isHeld = false;
  const held: (() => void)[] = [];
  const proxied: Proxied = new Proxied(
    {
      fetch: async (input, init) => {
        if (isHeld && String(input).endsWith("/access_token")) {
          most = Math.max(most, ++running);
          await new Promise<void>((resolve) => held.push(resolve));
          running--;
        }
        return proxied.upstream.fetch(input, init);
      },
    },
    { expiresIn: 600 },
  );
  const client = await proxied.register();
  const tokens = await proxied.tokens(client);
  const claims = await proxied.proxy.verify(tokens.access_token);
  isHeld = true;
  const logins = Array.from({ length: 60 }, () => proxied.login(client));
  await until("logins", () => running === 24);
  proxied.now += 590_000;
  const refreshed = proxied.proxy.upstream(claims);
  await until("the refresh", () => running === 25);
  isHeld = false;
  for (const resolve of held.splice(0)) resolve();
  expect(await refreshed).toMatch(/^gho_/);
  await Promise.all(logins);
  expect(most).toBe(25);
});
