import { expect, test } from "vitest";
import { type ServerRoute, dpop, jwks, resourceServer } from "@mcpgen/auth/server";
import { guardOf, resource } from "./requests.js";

const as = { issuer: "https://auth.example.com/tenant" } as Parameters<typeof guardOf>[0];

const ask = (route: ServerRoute, method = "GET"): Response =>
  route.handle(new Request("https://api.example.com/.well-known/x", { method })) as Response;

test("AUTHS-02: the metadata names the resource and its authorization servers, at the path and at the root", async () => {
  const guard = guardOf(as, {
    scopes: { required: ["mcp"] },
    name: "Files",
    documentation: "https://example.com/docs",
  });
  const { routes } = guard.http;
  expect(routes.map(({ path }) => path)).toEqual([
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource",
  ]);
  for (const route of routes)
    expect(await ask(route).json()).toEqual({
      resource,
      authorization_servers: ["https://auth.example.com/tenant"],
      scopes_supported: ["mcp"],
      bearer_methods_supported: ["header"],
      resource_name: "Files",
      resource_documentation: "https://example.com/docs",
    });
});

test.each([
  ["https://api.example.com", ["/.well-known/oauth-protected-resource"]],
  ["https://api.example.com/", ["/.well-known/oauth-protected-resource"]],
  [
    "https://api.example.com/a/b/",
    ["/.well-known/oauth-protected-resource/a/b/", "/.well-known/oauth-protected-resource"],
  ],
])("RFC 9728, 3.1: the paths of the metadata of %s", (url, paths) => {
  const guard = guardOf(as, { resource: url });
  expect(guard.http.routes.map(({ path }) => path)).toEqual(paths);
  expect(guard.metadataUrl).toBe(`https://api.example.com${paths[0]}`);
  expect(guard.metadata["resource"]).toBe(url);
});

test("pages of any origin may read it, and caches keep it", async () => {
  const [route] = guardOf(as).http.routes;
  const got = ask(route!);
  expect(got.status).toBe(200);
  expect(Object.fromEntries(got.headers)).toMatchObject({
    "content-type": "application/json",
    "access-control-allow-origin": "*",
    "cache-control": "public, max-age=3600",
  });
  const head = ask(route!, "HEAD");
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
    200,
    String((await got.text()).length),
    "",
  ]);
  const preflight = ask(route!, "OPTIONS");
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, HEAD, OPTIONS",
    "access-control-allow-headers": "*",
  });
  expect(ask(route!, "POST").status).toBe(405);
});

test("with DPoP, the metadata names the algorithms of proofs", () => {
  expect(guardOf(as, { dpop: dpop({ required: true, algorithms: ["ES256"] }) }).metadata).toMatchObject({
    dpop_signing_alg_values_supported: ["ES256"],
    dpop_bound_access_tokens_required: true,
  });
});

test("several issuers are listed in the order of the options", () => {
  const issuers = ["https://b.example.com", "https://a.example.com"].map((url) => jwks(url));
  expect(resourceServer({ resource, issuers }).metadata["authorization_servers"]).toEqual([
    "https://b.example.com",
    "https://a.example.com",
  ]);
});
