import { gzipSync } from "node:zlib";
import { AuthError, github, oauthProxy, type ProxyOptions } from "@mcpgen/auth/proxy";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { Proxied } from "./proxied.js";

const upstream = github({ clientId: "a", secret: "b" });
const knownClient = { id: "a", name: "A", redirectUris: ["https://a.example/cb"] };

test.each<[string, Record<string, unknown>]>([
  ["issuer: ", { issuer: "api.example.com" }],
  ["issuer: ", { issuer: "http://api.example.com" }],
  ["issuer: ", { issuer: "https://api.example.com/" }],
  ["issuer: ", { issuer: "https://api.example.com?tenant=1" }],
  ["issuer: ", { issuer: "https://user@api.example.com" }],
  ["resource: ", { resource: [] }],
  ["resource: ", { resource: "http://api.example.com/mcp" }],
  ["resource: ", { resource: "https://api.example.com/mcp#x" }],
  ["upstream: ", { upstream: "https://github.com" }],
  ["upstream.secret: ", { upstream: github({ clientId: "a", secret: "" }) }],
  ["upstream.secret: ", { upstream: github({ clientId: "a", secret: undefined as never }) }],
  [
    "clients.known[0].secret: ",
    { clients: { known: [{ id: "a", name: "A", secret: "", redirectUris: [] }] } },
  ],
  ...["", null, 7, [], {}, true].flatMap((value): [string, Record<string, unknown>][] => [
    ["upstream.secret: ", { upstream: { ...upstream, secret: value } }],
    ["clients.known[0].secret: ", { clients: { known: [{ ...knownClient, secret: value }] } }],
    ["clients.known[0].name: ", { clients: { known: [{ ...knownClient, name: value }] } }],
  ]),
  ["upstream.clientId: ", { upstream: { ...upstream, clientId: "" } }],
  ["upstream.authentication: ", { upstream: { ...upstream, authentication: "none" } }],
  ["upstream.scopes: ", { upstream: { ...upstream, scopes: [""] } }],
  ["clients.known[0].method: ", { clients: { known: [{ ...knownClient, method: "none" }] } }],
  ["accessTokenMs: the option is gone. ", { accessTokenMs: 600_000 }],
  ["refreshTokenMs: ", { refreshTokenMs: -1 }],
  ["keys: ", { keys: [] }],
  ["keys: ", { keys: ["short"] }],
  ["keys: ", { keys: ["x".repeat(32), "x".repeat(32)] }],
  ["keys: ", { keys: "x".repeat(32) }],
  ["store: ", { store: { get: () => undefined } }],
  ["clients.dcr: ", { clients: { dcr: true } }],
  ["clients.allowRedirect: ", { clients: { allowRedirect: () => true } }],
  ["clients.customSchemes: ", { clients: { customSchemes: ["javascript"] } }],
  [
    "clients.known[0].redirectUris: ",
    { clients: { known: [{ id: "a", name: "A", redirectUris: ["http://a.example"] }] } },
  ],
  ["scopes: ", { scopes: { "a b": [] } }],
  ["consent: the option is gone. Write consentPage", { consent: { rememberMs: 0 } }],
  ["consentPage: ", { consentPage: "<form>" }],
  ["documentation: ", { documentation: "docs" }],
  ["documentation: ", { documentation: "javascript:alert(1)" }],
  ...["http://login.example.com", "", null, 7, "login.example.com"].map(
    (discover): [string, Record<string, unknown>] => [
      "upstream.server.discover: ",
      { upstream: { name: "x", clientId: "c", scopes: [], server: { discover } } },
    ],
  ),
  ["refreshTokenMs: ", { refreshTokenMs: 1 }],
  ["unguarded: ", { unguarded: "yes" }],
  ["unguarded: ", { unguarded: true, fetch: undefined }],
  ["audience: ", { audience: "x" }],
  ["scopeTexts: ", { scopeTexts: "x" }],
  ["clients.known: ", { clients: { known: knownClient } }],
  ["clients.customSchemes: ", { clients: { customSchemes: "cursor", known: [knownClient] } }],
])("a wrong option is named: %s%o", (place, change) => {
  const make = (): unknown => oauthProxy({ ...new Proxied().defaults(), ...change } as ProxyOptions);
  expect(make).toThrow(AuthError);
  expect(make).toThrow(new RegExp(`^${place.replace(/[.[\]]/g, "\\$&")}`));
});

/**
 * Kilobytes of the entry with all that it loads, minified and compressed, without `jose` and `oauth4webapi`. The check of
 * options is a part of it, which a program with an HTTP server has anyway.
 */
const mostOwn = 24.1;
/** The same with both. */
const mostWhole = 36.8;

test(`the entry has at most ${mostOwn} KB, and ${mostWhole} KB with its dependencies`, async () => {
  const size = async (external: string[]): Promise<number> => {
    const { outputFiles } = await build({
      ...{ entryPoints: ["runtime/auth/proxy.ts"], bundle: true, minify: true, write: false, format: "esm" },
      ...{ platform: "neutral", conditions: ["mcpgen-source"], logLevel: "silent", external },
    });
    return gzipSync(outputFiles[0]!.contents, { level: 9 }).length / 1000;
  };
  const [own, whole] = [await size(["jose", "oauth4webapi"]), await size([])];
  expect(own).toBeLessThanOrEqual(mostOwn);
  expect(whole).toBeLessThanOrEqual(mostWhole);
});
