// Third-party authorization servers for the logins of our client. Each is a process.
import { spawn } from "node:child_process";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { introspection, jwks } from "@mcpgen/auth/server";
import { build } from "esbuild";
import { workerd } from "../../portability/runtimes.mjs";
import { started } from "../started.mjs";
import { startProtected } from "./protected-server.mjs";

const servers = fileURLToPath(new URL("servers/", import.meta.url));
/** A server of ours, whose tokens come from a program. */
async function behind(program, env, pathOfIssuer, issuersOf, options) {
  const protectedServer = await startProtected();
  const { url } = protectedServer;
  const server = await started([servers + program], { RESOURCE: url, ...env }, pathOfIssuer);
  const issuer = pathOfIssuer === "/" ? server.url.origin : server.url.href;
  protectedServer.protect(issuersOf(issuer), options);
  const close = async () => {
    protectedServer.close();
    await server.close();
  };
  return { url, issuer, close };
}

/** A program that is authorization server and protected server. */
async function alone(program, env) {
  const server = await started([program], env, "/mcp");
  return { url: server.url.href, issuer: `${server.url.origin}/`, close: () => server.close() };
}

const resourceServerClient = { clientId: "resource-server", clientSecret: "a secret of the resource server" };

/** @param options of `resourceServer()` */
export function oidcProvider(env = {}, options = {}) {
  const issuersOf = (issuer) =>
    env.TOKENS === "opaque" ? [introspection({ issuer, ...resourceServerClient })] : [jwks(issuer)];
  return behind("oidc-provider.mjs", env, "/", issuersOf, options);
}

async function workersOAuthProvider() {
  const folder = await mkdtemp(join(tmpdir(), "mcpgen-worker-"));
  const bundle = {
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "error",
  };
  for (const name of ["workers-oauth-provider", "key-values"])
    await build({
      entryPoints: [`${servers}${name}.worker.mjs`],
      outfile: join(folder, `${name}.js`),
      ...bundle,
    });
  await copyFile(`${servers}workers-oauth-provider.capnp`, join(folder, "worker.capnp"));
  const child = spawn(workerd, ["serve", "worker.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const line = once(createInterface({ input: child.stdio[3] }), "line");
  const [message] = await Promise.race([line, ended.then(() => Promise.reject(new Error("workerd ended")))]);
  const origin = `http://127.0.0.1:${JSON.parse(message).port}`;
  const close = async () => {
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true });
  };
  return { url: `${origin}/mcp`, issuer: origin, close };
}

/** A server of ours behind `resourceServer()` and `oauthProxy()`. */
export async function ourProxy() {
  const found = await alone(`${servers}our-proxy.mjs`, {});
  return { ...found, issuer: new URL(found.url).origin };
}

/**
 * `stepUp`: its server has a tool that needs another scope. `opaque`: a revoked token is refused at once. `extras`: tests of its
 * own try these.
 */
export const counterparts = [
  {
    name: "oidc-provider",
    text: "tokens are JWT",
    packages: ["oidc-provider"],
    start: () => oidcProvider(),
    stepUp: true,
    extras: ["proofs", "device"],
  },
  {
    name: "oidc-provider, opaque tokens",
    text: "tokens are opaque: introspection",
    packages: ["oidc-provider"],
    start: () => oidcProvider({ TOKENS: "opaque" }),
    stepUp: true,
    opaque: true,
  },
  {
    name: "better-auth",
    text: "the issuer has a path; tokens are JWT",
    packages: ["better-auth", "@better-auth/oauth-provider"],
    start: () => behind("better-auth.mjs", {}, "/api/auth", (issuer) => [jwks(issuer)]),
    stepUp: true,
  },
  {
    name: "workers-oauth-provider",
    text: "in workerd, together with a server of ours; tokens are opaque",
    packages: ["@cloudflare/workers-oauth-provider"],
    start: workersOAuthProvider,
    stepUp: true,
    opaque: true,
  },
  {
    name: "official SDK 1",
    text: "`mcpAuthRouter()` and `requireBearerAuth()`",
    packages: ["@modelcontextprotocol/sdk"],
    start: () => alone(`${servers}sdk-auth-router.mjs`, { SDK: "v1" }),
    opaque: true,
  },
  {
    name: "official SDK 2",
    text: "`mcpAuthRouter()`, in its package for migration",
    packages: ["@modelcontextprotocol/server-legacy"],
    start: () => alone(`${servers}sdk-auth-router.mjs`, { SDK: "legacy" }),
    opaque: true,
  },
  { name: "oauthProxy()", text: "ours", packages: [], start: ourProxy, stepUp: true },
];
