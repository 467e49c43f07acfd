import { decodeJwt, decodeProtectedHeader } from "jose";
import { expect, test } from "vitest";
import { issuer, Proxied, redirectUri, resource } from "./proxied.js";

test("a whole login: register, authorize, consent, upstream, token, call", async () => {
  const proxied = new Proxied();
  const client = await proxied.register();
  const login = await proxied.login(client);
  expect(login.page.response.status).toBe(200);
  expect(login.page.text).toContain("Test client");
  expect(login.end.url.href.startsWith(`${redirectUri}?`)).toBe(true);
  expect(login.end.url.searchParams.get("state")).toBe("client-state");
  expect(login.end.url.searchParams.get("iss")).toBe(issuer);
  const response = await proxied.redeem(client, login);
  const tokens = (await response.json()) as Record<string, string>;
  expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 1800, scope: "repo gist" });
  const access = tokens["access_token"]!;
  expect(decodeProtectedHeader(access)).toMatchObject({ typ: "at+jwt", alg: "ES256" });
  expect(decodeJwt(access)).toMatchObject({ iss: issuer, aud: resource, sub: "17", client_id: client.id });
  const claims = await proxied.proxy.verify(access);
  expect(claims["sub"]).toBe("17");
  const upstream = await proxied.proxy.upstream(claims);
  expect(proxied.upstream.tokens.get(upstream)).toMatchObject({ login: "ada" });
  expect(access).not.toContain(upstream);
});
