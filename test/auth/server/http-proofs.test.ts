// DPoP and secrets, over HTTP.
import { createHash, randomUUID } from "node:crypto";
import { request as send } from "node:http";
import { SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import { expect, test } from "vitest";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { dpop, introspection, jwks, resourceServer } from "@mcpgen/auth/server";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { shown } from "../../support/auth/secrets.js";
import { heard } from "../../support/heard.mjs";
import { adapters, serve } from "../../support/http-adapters.js";
import { claimsFor, resource } from "./requests.js";

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
});

/** A POST with headers that may be repeated. */
function post(
  url: string,
  headers: Record<string, string | string[]>,
): Promise<{ status: number; all: string }> {
  return new Promise((resolve, reject) => {
    const types = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const sent = send(url, { method: "POST", headers: { ...types, ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode!, all: JSON.stringify(response.headers) + text }),
      );
    });
    sent.on("error", reject);
    sent.end(initialize);
  });
}

test.each(adapters)("a proof names the public URL (%s); two headers are refused", async (adapter) => {
  const as = await authorizationServer();
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(publicKey);
  const token = await as.sign(claimsFor(as, { cnf: { jkt: await calculateJwkThumbprint(jwk) } }), "at+jwt");
  const { http } = resourceServer({ resource, issuers: [jwks(as.issuer)], dpop: dpop() });
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, onEvent: () => true },
  );
  const { url } = await serve(adapter, server, http);
  const proof = (htu: string): Promise<string> =>
    new SignJWT({
      htm: "POST",
      htu,
      jti: randomUUID(),
      ath: createHash("sha256").update(token).digest("base64url"),
    })
      .setIssuedAt()
      .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk })
      .sign(privateKey);
  const authorization = `DPoP ${token}`;
  expect((await post(url, { authorization, dpop: await proof(resource) })).status).toBe(200);
  expect((await post(url, { authorization, dpop: await proof(url) })).status).toBe(401);
  // A proof names the URL that was called.
  const called = `${url}/`;
  expect((await post(called, { authorization, dpop: await proof(`${resource}/`) })).status).toBe(200);
  expect((await post(called, { authorization, dpop: await proof(resource) })).status).toBe(401);
  expect((await post(url, { authorization, dpop: await proof(`${resource}/`) })).status).toBe(401);
  const two = [await proof(resource), await proof(resource)];
  expect((await post(url, { authorization, dpop: two })).status).toBe(401);
});

test("attack 23: answers, events and warnings hold no token and no secret", async () => {
  const clientSecret = "secret-of-the-resource-server";
  const [as, opaque] = [
    await authorizationServer(),
    await authorizationServer({ tokens: "opaque", clients: [{ id: "rs", secret: clientSecret }] }),
  ];
  const broken = await authorizationServer({ fault: () => ({ status: 500, body: "broken" }) });
  const seen: unknown[] = [];
  const server = createServer(
    { name: "s", version: "1" },
    {
      revisions: serverRevisions,
      onEvent: heard({
        warning: (warning) => void seen.push(warning),
        handlerError: (error) => void seen.push(error),
      }),
    },
  );
  server.onEvent((event) => void seen.push(event));
  const issuers = [
    jwks(as.issuer),
    jwks(broken.issuer),
    introspection({ issuer: opaque.issuer, clientId: "rs", clientSecret }),
  ];
  const { http } = resourceServer({ resource, issuers, scopes: { required: ["mcp"] } });
  const { url } = await serve("node", server, http);
  const good = await as.sign(claimsFor(as, { scope: "mcp" }));
  const tokens = [
    good,
    `${good.slice(0, -10)}AAAAAAAAAA`,
    await as.sign(claimsFor(as)),
    await as.sign(claimsFor(as, { aud: "https://other.example.com" })),
    await broken.sign(claimsFor(broken)),
    await opaque.mint({ resource, scope: "mcp" }),
    "opaque-and-unknown-token",
    "malformed token",
  ];
  const statuses = [];
  for (const token of tokens) {
    const { status, all } = await post(url, { authorization: `Bearer ${token}` });
    statuses.push(status);
    seen.push(all, (await post(`${url}?access_token=${encodeURIComponent(token)}`, {})).all);
  }
  expect(statuses).toEqual([200, 401, 403, 401, 503, 200, 401, 401]);
  expect(seen.length).toBeGreaterThan(20);
  shown(seen);
  const text = seen
    .map((each) => (typeof each === "string" ? each : JSON.stringify(each) + String(each)))
    .join("\n");
  for (const secret of [...tokens, clientSecret, ...as.secrets, ...opaque.secrets])
    expect(text.includes(secret), secret).toBe(false);
});
