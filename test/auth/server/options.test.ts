import { expect, test } from "vitest";
import {
  AuthError,
  type ResourceServerOptions,
  dpop,
  introspection,
  jwks,
  resourceServer,
  tokenExchange,
} from "@mcpgen/auth/server";
import { resource } from "./requests.js";

const issuer = "https://auth.example.com";

function codeOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(AuthError);
    expect((error as AuthError).code).toBe("auth-options");
    return (error as AuthError).message;
  }
  throw new Error("not refused");
}

const options = (more: object): ResourceServerOptions =>
  ({ resource, issuers: [jwks(issuer)], ...more }) as ResourceServerOptions;

test.each<[object, string]>([
  [{ resource: "api.example.com/mcp" }, "resource: "],
  [{ resource: "http://api.example.com/mcp" }, "resource: "],
  [{ resource: "https://user@api.example.com/mcp" }, "resource: "],
  [{ resource: "https://api.example.com/mcp#part" }, "resource: "],
  [{ resource: "https://api.example.com/mcp?tenant=1" }, "resource: "],
  [{ resource: undefined }, "resource: "],
  [{ issuers: [] }, "issuers: "],
  [{ issuers: undefined }, "issuers: "],
  [{ issuers: [issuer] }, "issuers[0]: "],
  [{ issuers: [null] }, "issuers[0]: "],
  [{ issuers: [jwks(issuer), jwks(issuer)] }, "issuers[1]: another issuer"],
  [{ issuers: [{ issuer: "http://auth.example.com", verify: () => ({}) }] }, "issuers[0].issuer: "],
  [{ issuers: [{ issuer, audience: [], verify: () => ({}) }] }, "issuers[0].audience: "],
  [{ issuer: [jwks(issuer)] }, "issuer: there is no such option"],
  [{ scopes: { require: ["a"] } }, "scopes.require: there is no such option"],
  [{ scopes: { required: "mcp" } }, "scopes.required: "],
  [{ scopes: { required: ["a b"] } }, "scopes.required: "],
  [{ scopes: { required: ['a"'] } }, "scopes.required: "],
  [{ scopes: { hierarchy: { admin: "read" } } }, "scopes.hierarchy.admin: "],
  [{ principal: "sub" }, "principal: "],
  [{ dpop: true }, "dpop: expected the result of dpop()"],
  [{ exchange: {} }, "exchange: expected the result of tokenExchange()"],
  [{ cacheSeconds: 61 }, "cacheSeconds: expected a number from 0 to 60"],
  [{ cache: { seconds: 30 } }, "cache: the option is gone. Write cacheSeconds"],
  [{ clockSkew: 10 }, "clockSkew: the option is gone. Leave it out"],
  [{ documentation: "javascript:alert(1)" }, "documentation: "],
  [{ name: "" }, "name: "],
  [{ scopes: { hierarchy: { "a b": ["c"] } } }, "scopes.hierarchy.a b: expected a scope as name"],
  [{ scopes: { hierarchy: { a: undefined } } }, "scopes.hierarchy.a: "],
  [{ issuers: [{ issuer, accepts: ["x"], verify: () => ({}) }] }, "issuers[0].accepts: "],
])("resourceServer refuses %j", (more, message) => {
  expect(codeOf(() => resourceServer(options(more)))).toContain(message);
});

test.each<[string, object, string]>([
  ["http://auth.example.com", {}, "jwks(issuer): "],
  ["https://auth.example.com?x", {}, "jwks(issuer): "],
  ["https://auth.example.com#x", {}, "jwks(issuer): "],
  ["https://auth.example.com|x", {}, "jwks(issuer): "],
  [issuer, { algorithm: "ES256" }, "jwks.algorithm: there is no such option"],
  [issuer, { algorithms: [] }, "jwks.algorithms: "],
  [issuer, { algorithms: ["none"] }, "jwks.algorithms: "],
  [issuer, { algorithms: ["HS256"] }, "jwks.algorithms: "],
  [issuer, { audience: "" }, "jwks.audience: "],
  [issuer, { audience: [] }, "jwks.audience: "],
  [issuer, { audience: false }, "jwks.audience: "],
  [issuer, { audience: null }, "jwks.audience: "],
  [issuer, { audience: { claim: "client_id" } }, "jwks.audience.oneOf: "],
  [issuer, { audience: { claim: "client_id", oneOf: [] } }, "jwks.audience.oneOf: "],
  [issuer, { audience: { claim: "", oneOf: ["a"] } }, "jwks.audience.claim: "],
  [issuer, { jwksUri: "http://keys.example.com" }, "jwks.jwksUri: "],
  [issuer, { keys: {} }, "jwks.keys: "],
  [issuer, { keys: { keys: [] }, jwksUri: "https://keys.example.com" }, "jwks.keys: "],
  [issuer, { types: ["any"] }, "jwks.types: "],
  [issuer, { scopes: "scp" }, "jwks.scopes: "],
  [issuer, { clientTokens: "yes" }, "jwks.clientTokens: expected true or false"],
])("jwks(%j, %j) is refused", (url, more, message) => {
  expect(codeOf(() => jwks(url, more))).toContain(message);
});

const secret = "s3cr3t-value-of-the-client";

test.each<[object, string]>([
  [{ issuer, clientId: "a" }, "introspection.clientSecret: "],
  [{ issuer, clientSecret: secret }, "introspection.clientId: "],
  [{ issuer, clientId: "a", clientSecret: "" }, "introspection.clientSecret: "],
  [{ issuer, clientId: "a", clientSecret: secret, clientKey: {} }, "introspection.clientSecret: "],
  [{ issuer, clientId: "a", clientKey: { key: secret } }, "introspection.clientKey.key: "],
  [
    { issuer, clientId: "a", clientSecret: secret, endpoint: "http://x.example.com" },
    "introspection.endpoint: ",
  ],
  [{ issuer, clientId: "a", clientSecret: secret, audience: [] }, "introspection.audience: "],
])("introspection refuses %j, and the error holds no secret", (given, message) => {
  const text = codeOf(() => introspection(given as never));
  expect(text).toContain(message);
  expect(text).not.toContain(secret);
});

test("at most one issuer verifies opaque tokens: otherwise servers would receive tokens that they did not issue", () => {
  const issuers = ["https://a.example.com", "https://b.example.com"].map((each) =>
    introspection({ issuer: each, clientId: "a", clientSecret: secret }),
  );
  expect(codeOf(() => resourceServer(options({ issuers })))).toContain(
    "issuers: expected at most one issuer",
  );
});

test.each<[object, string]>([
  [{ require: true }, "dpop.require: there is no such option"],
  [{ required: 1 }, "dpop.required: "],
  [{ algorithms: ["HS256"] }, "dpop.algorithms: "],
  [{ seconds: 60 }, "dpop.seconds: the option is gone. Leave it out"],
  [{ nonceKeys: ["short"] }, "dpop.nonceKeys: "],
  [{ nonces: { keys: ["k".repeat(32)] } }, "dpop.nonces: the option is gone. Write nonceKeys"],
  [{ replay: {} }, "dpop.replay: "],
])("dpop refuses %j", (given, message) => {
  expect(codeOf(() => dpop(given as never))).toContain(message);
});

test.each<[object, string]>([
  [{ issuer: "ftp://x" }, "tokenExchange.issuer: "],
  [{ tokenEndpoint: "http://x.example.com" }, "tokenExchange.tokenEndpoint: "],
  [{ flow: "obo" }, "tokenExchange.flow: "],
  [{ clientSecret: undefined }, "tokenExchange.clientSecret: "],
])("tokenExchange refuses %j", (more, message) => {
  const given = { issuer, clientId: "a", clientSecret: secret, ...more };
  expect(codeOf(() => tokenExchange(given))).toContain(message);
});

test("http is for this machine only", () => {
  for (const host of ["localhost:3000", "127.0.0.1", "[::1]:8080"])
    expect(
      resourceServer({ resource: `http://${host}/mcp`, issuers: [jwks(`http://${host}`)] }),
    ).toBeDefined();
  for (const host of ["127.0.0.1.example.com", "localhost.example.com", "0.0.0.0", "10.0.0.1"])
    expect(codeOf(() => jwks(`http://${host}`))).toContain("https");
});
