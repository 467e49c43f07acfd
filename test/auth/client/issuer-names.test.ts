// An issuer and what its authorization server calls itself: two texts are two issuers, but for an exception that names both.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  clientCredentials,
  forgetLogin,
  memoryStore,
  type OAuthOptions,
  storedLogin,
} from "../../../runtime/auth/client.js";
import { isFrom, issuerNames, knownServer } from "../../../runtime/auth/client/issuer-names.js";
import type { AuthorizationServerOptions } from "../../support/auth/authorization-server.js";
import { cases, seed } from "../../support/cases.mjs";
import { failure, login, type Pair, pair, send, user } from "./drive.js";

/** Ways in which two names of a server differ. The first four exist at public servers. */
const differences: readonly (readonly [string, (issuer: string) => string])[] = [
  ["a slash (Google)", (issuer) => `${issuer}/`],
  ["a path (SAP, SmartBear)", (issuer) => `${issuer}/oauth/token`],
  ["a host below (Atlassian)", (issuer) => issuer.replace("127.0.0.1", "localhost")],
  ["another host (Context7, Salesforce)", () => "https://login.example"],
  ["a full stop", (issuer) => issuer.replace(/:(\d+)$/, ".:$1")],
  ["a port", (issuer) => issuer.replace(/\d+$/, "1")],
  ["a zero before the port", (issuer) => issuer.replace(/(\d+)$/, "0$1")],
];

/** A server whose metadata and responses have another name. */
async function renamed(
  name: (issuer: string) => string,
  options: AuthorizationServerOptions = {},
): Promise<Pair & { readonly other: string }> {
  const found = await pair({
    ...options,
    fault: (call, honest) =>
      call.endpoint === "metadata"
        ? { ...honest, body: { ...(honest.body as object), issuer: name(found.as.issuer) } }
        : honest,
  });
  return { ...found, other: name(found.as.issuer) };
}

/** A browser that is redirected back with this name of the issuer. */
const named = (iss: string) =>
  user((callback) => {
    callback.searchParams.set("iss", iss);
    return callback;
  });

async function messageOf(sent: Promise<number>): Promise<string> {
  const error: unknown = await sent.catch((error: unknown) => error);
  return String((error as { readonly cause?: { readonly message?: string } }).cause?.message);
}

describe.each(differences)("%s", (_, name) => {
  test("is refused with both names in full, and with the exception to write", async () => {
    const { as, rs, other } = await renamed(name);
    expect(await failure(send(login(), rs.url))).toBe("auth-issuer-mismatch");
    const text = await messageOf(send(login(), rs.url));
    expect(text).toContain(`the issuer "${as.issuer}" names another issuer, "${other}"`);
    expect(text).toContain(`issuers: { "${as.issuer}": { issuer: "${other}" } }`);
    expect(new Set(as.calls.map(({ endpoint }) => endpoint))).toEqual(new Set(["metadata"]));
  });

  test("with the exception, login, refresh, stored login and logout use the issuer that the server names", async () => {
    const { as, rs, other } = await renamed(name);
    const issuers = { [as.issuer]: { issuer: other } };
    const store = memoryStore();
    const options: OAuthOptions = { issuers, store, redirect: named(other) };
    expect(await send(login(options), rs.url)).toBe(200);
    as.expireAccessTokens();
    expect(await send(login(options), rs.url)).toBe(200);
    expect([as.count("authorize"), as.count("token refresh_token")]).toEqual([1, 1]);
    expect(await storedLogin(store, rs.url)).toMatchObject({ issuer: as.issuer });
    expect(await forgetLogin(store, rs.url, { issuers })).toBe("revoked");
  });

  test("a response may have either name, but not a third one", async () => {
    const { as, rs, other } = await renamed(name);
    const issuers = { [as.issuer]: { issuer: other } };
    expect(await send(login({ issuers, redirect: named(as.issuer) }), rs.url)).toBe(200);
    const third = `${other}/x`;
    const sent = (): Promise<number> => send(login({ issuers, redirect: named(third) }), rs.url);
    expect(await failure(sent())).toBe("auth-issuer-mismatch");
    const text = await messageOf(sent());
    for (const each of [as.issuer, third]) expect(text).toContain(`"${each}"`);
  });

  test("if only the response has another name (Namecheap), it is refused, but accepted with the exception", async () => {
    const { as, rs } = await pair();
    const other = name(as.issuer);
    expect(await failure(send(login({ redirect: named(other) }), rs.url))).toBe("auth-issuer-mismatch");
    const issuers = { [as.issuer]: { issuer: other } };
    expect(await send(login({ issuers, redirect: named(other) }), rs.url)).toBe(200);
  });

  test.each([
    ["is for another issuer", (issuer: string, other: string) => ({ [other]: { issuer } })],
    ["names a prefix", (issuer: string, other: string) => ({ [issuer]: { issuer: other.slice(0, -1) } })],
    ["names more", (issuer: string, other: string) => ({ [issuer]: { issuer: `${other}/x` } })],
    [
      "is in capitals",
      (issuer: string, other: string) => ({ [issuer]: { issuer: other.replace("http", "HTTP") } }),
    ],
    ["has no name", (issuer: string) => ({ [issuer]: {} })],
  ])("an exception that %s has no effect", async (_, exceptionsOf) => {
    const { as, rs, other } = await renamed(name);
    const issuers = exceptionsOf(as.issuer, other);
    expect(await failure(send(login({ issuers }), rs.url))).toBe("auth-issuer-mismatch");
    expect([as.count("register"), as.count("authorize")]).toEqual([0, 0]);
  });

  test("a secret goes only to its issuer, whatever name the server gives itself", async () => {
    const client = { id: "ci", secret: "s3cret" };
    const { as, rs, other } = await renamed(name, { clients: [client] });
    const issuers = { [as.issuer]: { issuer: other } };
    expect(await send(clientCredentials({ ...client, issuer: as.issuer, issuers }), rs.url)).toBe(200);
    const calls = as.count("token");
    const foreign = clientCredentials({ ...client, issuer: other, issuers });
    expect(await failure(send(foreign, rs.url))).toBe("auth-issuer-mismatch");
    expect(await messageOf(send(foreign, rs.url))).toContain(
      `"${other}", and the server now names "${as.issuer}"`,
    );
    expect(as.count("token")).toBe(calls);
  });
});

test("exactly two texts name an issuer: its own name and the name in its exception", () => {
  const issuer = fc.webUrl();
  fc.assert(
    fc.property(issuer, issuer, issuer, (one, other, asked) => {
      const as = (names: readonly string[]) => knownServer({ issuer: other, token_endpoint: "" }, one, names);
      expect(isFrom(as(issuerNames(one, {})), asked)).toBe(asked === one);
      const both = as(issuerNames(one, { [one]: { issuer: other } }));
      expect(isFrom(both, asked)).toBe(asked === one || asked === other);
      for (const near of [`${one}/`, one.slice(0, -1), one.toUpperCase(), `${one}.evil.example`])
        expect(isFrom(both, near)).toBe(near === one || near === other);
      expect(both.issuer).toBe(one);
    }),
    { seed, numRuns: cases(2000) },
  );
});
