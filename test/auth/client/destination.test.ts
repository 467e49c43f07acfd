// Secrets go back to the issuer, and to the owner of the endpoint, that they are from (RFC 9700, 4.4: mix-up).
import { describe, expect, test } from "vitest";
import { type TokenStore, forgetLogin, memoryStore, oauth } from "../../../runtime/auth/client.js";
import { haveOneOwner } from "../../../runtime/auth/client/destination.js";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
} from "../../support/auth/authorization-server.js";
import { protectedResource } from "../../support/auth/protected-resource.js";
import { failure, login, send } from "./drive.js";

const honestEndpoints = ["authorization", "token", "registration", "revocation", "device_authorization"];
const paths = ["/authorize", "/token", "/register", "/revoke", "/device"];

/** Endpoints of an authorization server, as metadata names them. */
const endpointsOf = ({ issuer }: AuthorizationServer, names = honestEndpoints): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [`${name}_endpoint`, issuer + paths[honestEndpoints.indexOf(name)]!]),
  );

/** An honest server that names itself in no response, and an attacker whose metadata can change. */
async function mixed(honestOptions: AuthorizationServerOptions = {}) {
  const honest = await authorizationServer({ iss: "omitted", ...honestOptions });
  const metadata: Record<string, unknown> = {};
  const attacker = await authorizationServer({ iss: "omitted", metadata });
  const rs = await protectedResource({ servers: [attacker, honest] });
  return { honest, attacker, rs, metadata };
}

/** Fails if an attacker got anything that is a secret of the honest server. */
function expectNothingOf(honest: AuthorizationServer, attacker: AuthorizationServer): void {
  const got = attacker.calls.map(({ url, body, headers }) =>
    [url.href, body, ...headers.values()].join("\n"),
  );
  for (const secret of honest.secrets) {
    const forms = [secret, encodeURIComponent(secret), btoa(secret)];
    expect(got.some((text) => forms.some((form) => text.includes(form)))).toBe(false);
  }
}

/** Lets an attacker whose metadata is that of the honest server have a login there. */
async function loggedIn(store: TokenStore) {
  const world = await mixed({ registrationMethod: "client_secret_post" });
  Object.assign(world.metadata, endpointsOf(world.honest));
  expect(await send(login({ store }), world.rs.url)).toBe(200);
  expect(world.honest.count("token authorization_code")).toBe(1);
  return world;
}

test("a code of another owner's login does not go to the token endpoint: no user is asked to log in", async () => {
  const { honest, attacker, rs, metadata } = await mixed();
  Object.assign(metadata, endpointsOf(honest, ["authorization", "registration"]));
  expect(await failure(send(login(), rs.url))).toBe("auth-metadata-unsafe");
  Object.assign(metadata, endpointsOf(attacker, ["registration"]));
  expect(await failure(send(login(), rs.url))).toBe("auth-metadata-unsafe");
  expect([honest.count("authorize"), attacker.count("token")]).toEqual([0, 0]);
});

test("an issuer that the application names may have endpoints anywhere", async () => {
  for (const by of ["issuer", "issuers"] as const) {
    const { honest, attacker, rs, metadata } = await mixed();
    Object.assign(metadata, endpointsOf(honest, ["authorization", "token", "registration"]));
    metadata["token_endpoint"] = `${attacker.issuer}/token`;
    const named = by === "issuer" ? { issuer: attacker.issuer } : { issuers: { [attacker.issuer]: {} } };
    await failure(send(login(named), rs.url));
    expect([honest.count("authorize"), attacker.count("token")]).toEqual([1, 1]);
  }
});

test("a response that names its issuer proves who gave the code: endpoints may be elsewhere", async () => {
  const metadata: Record<string, unknown> = {};
  const as = await authorizationServer({ metadata });
  const front = await authorizationServer({
    fault: ({ endpoint, url }, answer) =>
      endpoint === "authorize"
        ? { status: 302, headers: { location: `${as.issuer}/authorize${url.search}` } }
        : answer,
  });
  Object.assign(metadata, endpointsOf(front, ["authorization"]));
  const rs = await protectedResource({ servers: [as] });
  const receive = async (url: string): Promise<string> => as.visit(await as.visit(url));
  const redirect = { uri: "http://127.0.0.1:4711/callback", receive };
  expect(await send(oauth({ redirect }), rs.url)).toBe(200);
});

test("a device code does not go to the token endpoint of another owner", async () => {
  const { honest, attacker, rs, metadata } = await mixed();
  Object.assign(metadata, endpointsOf(honest, ["device_authorization"]));
  const device = (): never => {
    throw new Error("a code is shown");
  };
  expect(await failure(send(oauth({ device }), rs.url))).toBe("auth-metadata-unsafe");
  expect([honest.count("device"), attacker.count("token")]).toEqual([0, 0]);
});

describe("an issuer whose metadata changes after a login", () => {
  test("gets no refresh token and no client secret of the endpoints that it named before", async () => {
    const store = memoryStore();
    const { honest, attacker, rs, metadata } = await loggedIn(store);
    for (const name of Object.keys(metadata)) delete metadata[name];
    honest.expireAccessTokens();
    // The attacker gets another login, with another registration.
    expect(await send(login({ store }), rs.url)).toBe(200);
    expect(attacker.count("register")).toBe(1);
    expect([attacker.count("token refresh_token"), honest.count("token refresh_token")]).toEqual([0, 0]);
    expectNothingOf(honest, attacker);
  });

  test("gets no token at its revocation endpoint", async () => {
    const store = memoryStore();
    const { honest, attacker, rs, metadata } = await loggedIn(store);
    Object.assign(metadata, endpointsOf(attacker, ["revocation"]));
    expect(await forgetLogin(store, rs.url)).toBe("removed");
    expect(attacker.count("revoke")).toBe(0);
    expectNothingOf(honest, attacker);
  });

  test("that names the same endpoints still gets them", async () => {
    const store = memoryStore();
    const { honest, rs } = await loggedIn(store);
    honest.expireAccessTokens();
    expect(await send(login({ store }), rs.url)).toBe(200);
    expect(honest.count("token refresh_token")).toBe(1);
    expect(await forgetLogin(store, rs.url)).toBe("revoked");
  });
});

test.each([
  ["https://as.example/authorize", "https://as.example/token", true],
  ["https://mcp.as.example/authorize", "https://cf.mcp.as.example/token", true],
  ["https://as.example/authorize", "https://api.as.example/token", true],
  ["https://www.as.example/authorize", "https://api.as.example/token", true],
  ["https://as.example/authorize", "https://as.example:8443/token", false],
  ["https://as.example/authorize", "http://as.example/token", false],
  ["https://as.example/authorize", "https://attacker.example/token", false],
  ["https://one.as.example/authorize", "https://two.as.example/token", false],
  ["https://as.example/authorize", "https://evilas.example/token", false],
  ["https://example/authorize", "https://as.example/token", false],
  ["https://127.0.0.1/authorize", "https://1.127.0.0.1.nip.example/token", false],
  ["https://0.0.1/authorize", "https://127.0.0.1/token", false],
  ["http://127.0.0.1:1/authorize", "http://127.0.0.1:2/token", false],
  ["https://[::1]/authorize", "https://[::1]/token", true],
])("%s and %s have one owner: %s", (one, other, expected) => {
  expect([haveOneOwner(one, other), haveOneOwner(other, one)]).toEqual([expected, expected]);
});
