// Clients of the official SDK log in to the server of examples/proxied, whose authorization server is oauthProxy(). A browser
// without script consents and logs in for the user.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as v2 from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { freePorts } from "../support/free-ports.mjs";

const program = fileURLToPath(new URL("../../dist/examples/proxied/main.js", import.meta.url));
const redirectUri = "http://127.0.0.1:41999/callback";
let child;
let url;

before(async () => {
  const [port] = await freePorts(1);
  child = spawn(process.execPath, [program, String(port)], { stdio: ["ignore", "ignore", "pipe"] });
  await once(child.stderr, "data");
  url = new URL(`http://127.0.0.1:${port}/mcp`);
});
after(() => child.kill());

/** Follows redirections and sends forms, up to the redirect URI of the client. */
async function followed(target, init = {}, cookies = new Map()) {
  const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
  const response = await fetch(target, { ...init, redirect: "manual", headers: { cookie } });
  for (const set of response.headers.getSetCookie()) {
    const [name, value] = set.split(";")[0].split("=");
    cookies.set(name, value);
  }
  const location = response.headers.get("location");
  if (location?.startsWith(redirectUri)) return new URL(location).searchParams;
  if (location !== null) return followed(location, {}, cookies);
  const text = await response.text();
  const [, action = target] = /<form method="post"(?: action="([^"]+)")?>/.exec(text);
  const fields = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  const body = new URLSearchParams(fields.map(([, name, value]) => [name, value]));
  body.set("decision", "allow");
  return followed(action, { method: "POST", body }, cookies);
}

/** An OAuthClientProvider of the SDK that keeps all in memory. */
function provider() {
  const kept = {};
  return {
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: "SDK",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    },
    state: () => "state-of-the-client",
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: async (target) => void (kept.answer = await followed(target.href)),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
    kept,
  };
}

const clients = {
  v1: {
    Client: ClientV1,
    Transport: TransportV1,
    finish: (transport, answer) => transport.finishAuth(answer.get("code")),
  },
  v2: {
    Client: v2.Client,
    Transport: v2.StreamableHTTPClientTransport,
    finish: (transport, answer) => transport.finishAuth(answer),
  },
};

for (const [name, { Client, Transport, finish }] of Object.entries(clients))
  test(`a client of the SDK ${name} registers, logs in, calls, and refreshes`, async () => {
    const authProvider = provider();
    const first = new Transport(url, { authProvider });
    await assert.rejects(new Client({ name, version: "1" }).connect(first), /Unauthorized/i);
    assert.equal(authProvider.kept.answer.get("state"), "state-of-the-client");
    await finish(first, authProvider.kept.answer);
    const issued = authProvider.kept.tokens;
    assert.ok(issued.refresh_token);
    // An access token that is not valid any longer: the client refreshes it.
    authProvider.kept.tokens = { ...issued, access_token: "expired" };
    const client = new Client({ name, version: "1" });
    await client.connect(new Transport(url, { authProvider }));
    const { content } = await client.callTool({ name: "whoami", arguments: {} });
    assert.deepEqual(content, [{ type: "text", text: "You are ada." }]);
    assert.notEqual(authProvider.kept.tokens.refresh_token, issued.refresh_token);
    await client.close();
  });
