import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../support/built-program.js";
import { listen } from "../support/listen.js";

const program = builtProgram("examples/proxied/main.ts");
const verifier = "v".repeat(43);
const redirectUri = "http://127.0.0.1/callback";

async function started(): Promise<{ child: ChildProcess; issuer: string }> {
  const probe = createServer();
  const port = await listen(probe);
  await new Promise((resolve) => probe.close(resolve));
  const child = spawn(process.execPath, [program, String(port)], { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stderr, "data");
  return { child, issuer: `http://127.0.0.1:${port}` };
}

/** Follows redirections and sends forms, up to the redirect URI of the client. */
async function loggedIn(url: string, init: RequestInit, cookies: Map<string, string>): Promise<URL> {
  const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
  const response = await fetch(url, { ...init, redirect: "manual", headers: { cookie } });
  for (const set of response.headers.getSetCookie()) {
    const [name, value] = set.split(";")[0]!.split("=");
    cookies.set(name!, value!);
  }
  const location = response.headers.get("location");
  if (location?.startsWith(redirectUri)) return new URL(location);
  if (location !== null) return loggedIn(location, {}, cookies);
  const text = await response.text();
  const [form, action = url] = /<form method="post"(?: action="([^"]+)")?>/.exec(text) ?? [];
  expect(form, text).toBeDefined();
  const fields = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  const body = new URLSearchParams(fields.map(([, name, value]): [string, string] => [name!, value!]));
  body.set("decision", "allow");
  return loggedIn(action, { method: "POST", body }, cookies);
}

test("the example of a proxy: registration, consent, login at the stand-in, a call with the token", async () => {
  const { issuer } = await started();
  const registration = await fetch(`${issuer}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: "none" }),
  });
  const { client_id: id } = (await registration.json()) as { client_id: string };
  const query = new URLSearchParams({
    ...{ response_type: "code", client_id: id, redirect_uri: redirectUri, code_challenge_method: "S256" },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  });
  const { searchParams } = await loggedIn(`${issuer}/authorize?${query}`, {}, new Map());
  const answer = await fetch(`${issuer}/token`, {
    method: "POST",
    body: new URLSearchParams({
      ...{ grant_type: "authorization_code", code: searchParams.get("code")!, redirect_uri: redirectUri },
      ...{ client_id: id, code_verifier: verifier },
    }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  const client = await connect(`${issuer}/mcp`, { revisions: clientRevisions, http: { headers } });
  onTestFinished(() => client.close());
  expect((await client.callTool("whoami", {})).content).toEqual([{ type: "text", text: "You are ada." }]);
});
