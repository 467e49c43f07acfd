import type { ConsentFacts, ProxyEvent } from "@mcpgen/auth/proxy";
import { expect, test } from "vitest";
import { authorizationUrl, issuer, Proxied, resource } from "./proxied.js";

const verifier = "v".repeat(43);

test("a page of the operator gets the facts, and its form works", async () => {
  const seen: ConsentFacts[] = [];
  const page = (facts: ConsentFacts): string => {
    seen.push(facts);
    return `<form method="post" action="${facts.action}"><input type="hidden" name="request" value="${facts.fields["request"]}">`;
  };
  const scopes = { "notes:write": ["gist"], "notes:read": [] };
  const proxied = new Proxied({ consentPage: page, scopes, scopeTexts: { "notes:write": "Write notes" } });
  const client = await proxied.register({ redirect_uris: ["http://127.0.0.1:8123/cb"] });
  const login = await proxied.login(client);
  expect(login.code).not.toBe("");
  expect(seen).toMatchObject([
    {
      clientName: "Test client",
      redirectUri: "http://127.0.0.1:8123/cb",
      redirectHost: "127.0.0.1:8123",
      isLoopback: true,
      upstreamName: "GitHub",
      upstreamScopes: ["read:user", "gist"],
      resource,
      scopes: [{ name: "notes:write", text: "Write notes" }, { name: "notes:read" }],
      action: `${issuer}/consent`,
    },
  ]);
  expect(login.page.response.headers.get("content-security-policy")).toContain(`'nonce-${seen[0]!.nonce}'`);
});

test("a browser remembers a decision for 30 days after the last login", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const browser = proxied.browser();
  await proxied.login(client, {}, browser);
  const asks = async (): Promise<boolean> =>
    (await browser.open(authorizationUrl(client, verifier))).text.includes("<form");
  expect(await asks()).toBe(false);
  proxied.now += 29 * 86_400_000;
  expect(await asks()).toBe(false);
  // That login renewed it.
  proxied.now += 30 * 86_400_000;
  expect(await asks()).toBe(true);
});

test("a browser remembers the twenty newest decisions", async () => {
  const proxied = new Proxied();
  const browser = proxied.browser();
  const clients = [];
  for (let count = 0; count < 21; count += 1) {
    const client = await proxied.register();
    clients.push(client);
    await proxied.login(client, {}, browser);
  }
  const asked = await browser.open(authorizationUrl(clients[0]!, verifier));
  expect(asked.text).toContain("<form");
  expect((await browser.open(authorizationUrl(clients[20]!, verifier))).text).not.toContain("<form");
});

test("a browser has at most four logins begun", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const browser = proxied.browser();
  proxied.upstream.authorize = () => "https://elsewhere.example/";
  for (let count = 0; count < 6; count += 1) await proxied.login(client, {}, browser);
  const begun = [...browser.cookies.keys()].filter((name) => name.startsWith("__Host-mcp-login-"));
  expect(begun).toHaveLength(4);
});

test("a scheme of an application is allowed if the operator names it", async () => {
  const uri = "cursor://callback";
  const proxied = new Proxied({ clients: { customSchemes: ["cursor"] } });
  const login = await proxied.login(await proxied.register({ redirect_uris: [uri] }));
  expect(login.page.text).toContain("<strong>cursor:</strong>");
  expect(login.end.url.href.startsWith(`${uri}?code=`)).toBe(true);
  expect((await proxied.registration({ redirect_uris: ["vscode://x"] })).status).toBe(400);
});

test("events report each step", async () => {
  const events: ProxyEvent[] = [];
  const proxied = new Proxied({ onEvent: (event) => events.push(event) });
  const client = await proxied.register();
  const tokens = await proxied.tokens(client);
  await proxied.refresh(client, tokens.refresh_token);
  await proxied.tokenRequest(client, { token: tokens.refresh_token }, "/revoke");
  await proxied.refresh(client, tokens.refresh_token);
  expect(events).toEqual([
    { type: "registered", client: "Test client" },
    { type: "consented", client: "Test client" },
    { type: "logged-in", client: "Test client" },
    { type: "refreshed", client: "Test client" },
    { type: "revoked", reason: "revoked by the client" },
    { type: "refused", reason: "invalid_grant" },
  ]);
});
