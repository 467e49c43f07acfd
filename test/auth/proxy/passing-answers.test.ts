// 429, 5xx and similar responses of the upstream, or of the host of a client's document, are temporary: logins and
// clients survive them.
import { oidc, type Upstream } from "@mcpgen/auth/proxy";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import type { Answer } from "../../support/auth/authorization-server.js";
import { passingAnswers } from "../../support/auth/passing-answers.js";
import { authorizationUrl, issuer, Proxied, redirectUri, type TestClient, type Tokens } from "./proxied.js";

const answered = ({ status, headers, body }: Answer): Response =>
  new Response(body as string, { status, headers: headers as Record<string, string> });

const verifier = "v".repeat(43);

test("during temporary errors of the upstream's token endpoint, the browser gets 503, and can retry", async () => {
  let answer: Answer | undefined;
  const proxied: Proxied = new Proxied({
    fetch: (input, init) =>
      answer && String(input).endsWith("/access_token")
        ? Promise.resolve(answered(answer))
        : proxied.upstream.fetch(input as string, init),
  });
  const client = await proxied.register();
  const browser = proxied.browser();
  const page = await browser.open(authorizationUrl(client, verifier));
  [answer] = passingAnswers;
  expect((await browser.decide(page, "allow")).response.status).toBe(503);
  const callback = browser.visited.at(-1)!;
  for (answer of passingAnswers)
    expect((await browser.open(callback)).response.status, JSON.stringify(answer)).toBe(503);
  answer = undefined;
  const end = await browser.open(callback);
  const code = end.url.searchParams.get("code")!;
  const { status } = await proxied.redeem(client, { code, verifier, page, end });
  expect(status).toBe(200);
});

test("a login during temporary errors of the upstream's metadata", async () => {
  const registered = { clientId: "upstream-client", secret: "upstream-secret" };
  const profile: Upstream = oidc({ ...registered, name: "Example", issuer: "https://login.example.com" });
  const whole = {
    issuer: "https://login.example.com",
    authorization_endpoint: "https://login.example.com/authorize",
    token_endpoint: "https://login.example.com/token",
  };
  let answer: Answer | undefined;
  const fetch = async (): Promise<Response> => (answer ? answered(answer) : Response.json(whole));
  const proxied = new Proxied({ upstream: profile, fetch });
  const client = await proxied.register();
  const browser = proxied.browser();
  const page = await browser.open(authorizationUrl(client, verifier));
  for (answer of passingAnswers)
    expect((await browser.decide(page, "allow")).text, JSON.stringify(answer)).toContain(
      "cannot be reached now",
    );
  answer = undefined;
  expect((await browser.decide(page, "allow")).url.host).toBe("login.example.com");
});

describe("the host of a document", () => {
  const id = "https://client.example.org/oauth/client.json";
  const jwksUri = "https://client.example.org/jwks.json";
  const grants = ["authorization_code", "refresh_token"];
  const good = { client_id: id, client_name: "Agent", redirect_uris: [redirectUri], grant_types: grants };
  const client: TestClient = { id, method: "none", redirectUri };

  /** A proxy, and the response that the host gives instead of the document. "failure" is an error of the network. */
  function withDocuments(documents: Readonly<Record<string, unknown>>) {
    const now: { answer: Answer | "failure" | undefined; at: string } = { answer: undefined, at: id };
    const proxied: Proxied = new Proxied({
      fetch: async (input, init) => {
        const url = String(input);
        if (url.startsWith(proxied.upstream.origin)) return proxied.upstream.fetch(input as string, init);
        if (url !== now.at || !now.answer)
          return Response.json(documents[url], { headers: { "cache-control": "max-age=60" } });
        if (now.answer === "failure") throw new TypeError("fetch failed");
        return answered(now.answer);
      },
    });
    return { proxied, now };
  }

  test("does not end logins or clients if it answers with temporary errors, or not at all", async () => {
    const { proxied, now } = withDocuments({ [id]: good });
    let { refresh_token: token } = await proxied.tokens(client);
    for (const answer of [...passingAnswers, "failure"] as const) {
      now.answer = answer;
      proxied.now += 61_000;
      const refused = await proxied.refresh(client, token);
      expect([refused.status, await refused.json()], JSON.stringify(answer)).toMatchObject([
        503,
        { error: "temporarily_unavailable" },
      ]);
      const page = await proxied.browser().open(authorizationUrl(client, verifier));
      expect(page.response.status, JSON.stringify(answer)).toBe(503);
    }
    now.answer = undefined;
    proxied.now += 11_000;
    const refreshed = await proxied.refresh(client, token);
    expect(refreshed.status).toBe(200);
    ({ refresh_token: token } = (await refreshed.json()) as Tokens);
    expect((await proxied.refresh(client, token)).status).toBe(200);
  });

  test("is not refused during temporary errors for its keys", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const { proxied, now } = withDocuments({
      [id]: { ...good, token_endpoint_auth_method: "private_key_jwt", jwks_uri: jwksUri },
      [jwksUri]: { keys: [await exportJWK(publicKey)] },
    });
    const assertion = (): Promise<string> =>
      new SignJWT({ iss: id, sub: id, aud: issuer, jti: crypto.randomUUID(), exp: proxied.now / 1000 + 60 })
        .setProtectedHeader({ alg: "ES256" })
        .sign(privateKey);
    const login = await proxied.login(client);
    const redeem = async (): Promise<number> =>
      (
        await proxied.redeem(client, login, {
          client_assertion: await assertion(),
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        })
      ).status;
    now.at = jwksUri;
    [now.answer] = passingAnswers;
    expect(await redeem()).toBe(503);
    now.answer = undefined;
    proxied.now += 11_000;
    expect(await redeem()).toBe(200);
  });

  test.each([400, 401, 403, 404, 410])("has no such client if it answers %i", async (status) => {
    const { proxied, now } = withDocuments({ [id]: good });
    const { refresh_token: token } = await proxied.tokens(client);
    now.answer = { status };
    proxied.now += 61_000;
    expect((await proxied.refresh(client, token)).status).toBe(401);
  });
});

test.each<[string, Record<string, unknown>, boolean]>([
  ["members that are null", { refresh_token: null, expires_in: null, id_token: null, x: null }, true],
  ["a scope that is null, which decides about rights", { scope: null }, false],
])("an upstream that answers with %s", async (_, members, isTaken) => {
  const proxied = new Proxied({}, { tokenAnswer: (answer) => ({ ...answer, ...members }) });
  const { code } = await proxied.login(await proxied.register());
  expect(code !== "").toBe(isTaken);
});
