// Issuers that answer late, with too much, or elsewhere: each request of a resource server to one is bounded.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ResourceServer, introspection, jwks, resourceServer, tokenExchange } from "@mcpgen/auth/server";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
} from "../../support/auth/authorization-server.js";
import { loopback } from "../../support/listen.js";
import { callerOf, claimsFor, denialOf, guardOf, resource } from "./requests.js";

/** Shortens time limits of 5 s to 20 ms; other time limits become a minute. */
function shortBound(): void {
  const { timeout } = AbortSignal;
  const spy = vi
    .spyOn(AbortSignal, "timeout")
    .mockImplementation((ms) => timeout.call(AbortSignal, ms === 5000 ? 20 : 60_000));
  onTestFinished(() => spy.mockRestore());
}

const clients = [{ id: "rs", secret: "secret of the resource server" }];
const credentials = { clientId: "rs", clientSecret: clients[0]!.secret };

/** Requests of a resource server to an issuer, by name: the endpoint, and a function that causes the request. */
const requests: Readonly<
  Record<string, readonly [endpoint: string, ask: (as: AuthorizationServer) => Promise<number>]>
> = {
  "metadata for keys": ["metadata", async (as) => statusOf(guardOf(as), await as.sign(claimsFor(as)))],
  keys: ["jwks", async (as) => statusOf(guardOf(as), await as.sign(claimsFor(as)))],
  "metadata for introspection": ["metadata", (as) => statusOf(introspecting(as), "opaque-token")],
  introspection: ["introspect", (as) => statusOf(introspecting(as), "opaque-token")],
};

const statusOf = async (guard: ResourceServer, token: string): Promise<number> =>
  (await denialOf(guard, token)).status;

function introspecting({ issuer }: AuthorizationServer): ResourceServer {
  return resourceServer({ resource, issuers: [introspection({ issuer, ...credentials })] });
}

/** An issuer of which one endpoint has a fault. */
const faulty = (
  endpoint: string,
  fault: NonNullable<AuthorizationServerOptions["fault"]>,
): Promise<AuthorizationServer> =>
  authorizationServer({
    tokens: "opaque",
    clients,
    fault: (call, answer) => (call.endpoint === endpoint ? fault(call, answer) : answer),
  });

describe.each(Object.entries(requests))("attack 13: the request for %s", (_, [endpoint, ask]) => {
  test("ends when the issuer does not answer in 5 s: 503", async () => {
    shortBound();
    expect(await ask(await faulty(endpoint, () => "hang"))).toBe(503);
  });

  test("ends when the body does not come in 5 s: 503", async () => {
    shortBound();
    // The rest of the body never comes.
    const slow = await loopback((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 1000 }).write("{");
    });
    const as = await authorizationServer({ tokens: "opaque", clients });
    const path =
      endpoint === "metadata" ? "/.well-known/" : `/${endpoint === "jwks" ? "jwks.json" : endpoint}`;
    const { fetch } = globalThis;
    vi.stubGlobal("fetch", (url: string, init: RequestInit) => fetch(url.includes(path) ? slow : url, init));
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(await ask(as)).toBe(503);
  });

  test("takes no more than 64 KB: 503", async () => {
    const padding = "x".repeat(70_000);
    const as = await faulty(endpoint, (_call, answer) => ({
      ...answer,
      status: 200,
      body: { ...(answer.body as object), padding },
    }));
    expect(await ask(as)).toBe(503);
  });

  test.each([301, 302, 303, 307, 308])("follows no redirect (%i): 503", async (status) => {
    const other = await authorizationServer({ tokens: "opaque", clients });
    const as = await faulty(endpoint, ({ url }) => ({
      status,
      headers: { location: other.issuer + url.pathname },
    }));
    expect(await ask(as)).toBe(503);
    expect(other.calls).toEqual([]);
  });
});

test("attack 13: an exchange of tokens ends when the issuer does not answer in 5 s", async () => {
  shortBound();
  const as = await authorizationServer({
    fault: ({ endpoint }, answer) => (endpoint === "token" ? "hang" : answer),
  });
  const exchange = tokenExchange({ issuer: as.issuer, ...credentials });
  const guard = resourceServer({
    resource,
    issuers: [jwks(as.issuer, { keys: as.state.keys.jwks() })],
    exchange,
  });
  const { auth } = await callerOf(guard, await as.sign(claimsFor(as)));
  await expect(exchange.token(auth, { audience: "files" })).rejects.toMatchObject({
    code: "auth-unavailable",
  });
});
