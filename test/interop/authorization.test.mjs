// The rules of protected servers (test/auth/server/server-rules.ts) and of their clients (test/auth/client/client-rules.ts), tried
// with ours and with those of the official SDK. bench/authorization/rules.md has the results: MCPGEN_WRITE=1 writes it.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer as createNodeServer } from "node:http";
import { resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { jwks, resourceServer } from "@mcpgen/auth/server";
import { createServer } from "@mcpgen/runtime";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { serverRevisions } from "@mcpgen/protocol";
import { build } from "esbuild";
import express from "express";
import { heldByApplication, sdkAgent } from "./clients/authorized-sdk-v2.mjs";
import { protectedSdk } from "./servers/protected-sdk-v2.mjs";
import { hang } from "../support/until.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = resolve(root, "bench/authorization/rules.md");
const closing = [];

async function fromSource(path) {
  const outfile = resolve(root, `node_modules/.cache/mcpgen-interop/${path.split("/").at(-1)}.mjs`);
  const options = { bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "error" };
  // Servers of the fixture end with this file, not with a test of vitest.
  const alias = { vitest: resolve(root, "test/interop/no-vitest.mjs") };
  await build({ entryPoints: [resolve(root, path)], outfile, alias, ...options });
  return import(pathToFileURL(outfile).href);
}

const { serverRules } = await fromSource("test/auth/server/server-rules.ts");
const { clientRules, ourAgent, tryRule } = await fromSource("test/auth/client/client-rules.ts");
const { startAuthorizationServer } = await fromSource("test/support/auth/authorization-server.ts");

const resource = "https://api.example.com/mcp";
const issuers = {};

before(async () => {
  for (const name of ["as", "second", "foreign"]) {
    issuers[name] = await startAuthorizationServer();
    closing.push(() => issuers[name].close());
  }
});
after(() => closing.forEach((close) => close()));

async function listening(server) {
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  closing.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${server.address().port}/mcp`;
}

function ours({ as, second }) {
  const server = createServer(
    { name: "protected", version: "1" },
    { revisions: serverRevisions, onEvent: () => true },
  );
  server.tool("echo", {}, () => "echoed");
  server.tool("write", { scopes: ["files:write", "files:read"] }, () => "written");
  server.tool("whoami", {}, (_, { auth }) => JSON.stringify(auth));
  const hierarchy = { "files:admin": ["files:write"], "files:write": ["files:read"] };
  const auth = resourceServer({
    resource,
    issuers: [jwks(as.issuer), jwks(second.issuer)],
    scopes: { required: ["mcp"], hierarchy },
  });
  const handler = createNodeHandler(server, auth.http);
  const app = express();
  app.use("/mcp", handler);
  for (const path of handler.routes) app.all(path, handler);
  return createNodeServer(app);
}

const columns = {
  "`@mcpgen/auth`, mounted in Express": ours,
  "SDK 2.4, `createMcpHandler`": (all) => protectedSdk("handler", all),
  "SDK 2.4, sessions": (all) => protectedSdk("sessions", all),
};

const results = {};

/** The contradiction to a rule: the first line of an error. */
const contradiction = (trial) =>
  trial.then(
    () => undefined,
    (error) => error.message.split("\n")[0],
  );

for (const [name, make] of Object.entries(columns))
  test(name, { timeout: 5 * hang }, async () => {
    results[name] = [];
    for (const rule of serverRules) {
      // Each rule gets a new server, so that no state of earlier rules affects it.
      const url = await listening(make({ resource, ...issuers }));
      const found = await contradiction(rule.holds({ url, resource, ...issuers }));
      if (make === ours) assert.equal(found, undefined, `${rule.id}: ${rule.text}: ${found}`);
      results[name].push(found === undefined ? "yes" : "**no**");
    }
  });

const clients = {
  "`oauth()` of `@mcpgen/auth`": ourAgent,
  "SDK 2.4, `StreamableHTTPClientTransport`": sdkAgent,
};

for (const [name, make] of Object.entries(clients))
  test(name, { timeout: 5 * hang }, async () => {
    results[name] = [];
    for (const rule of clientRules) {
      const found = await contradiction(tryRule(rule, make));
      if (make === ourAgent) assert.equal(found, undefined, `${rule.id}: ${rule.text}: ${found}`);
      const held = make === sdkAgent && heldByApplication.includes(rule.text) ? "application" : "yes";
      results[name].push(found === undefined ? held : "**no**");
    }
  });

test("the rules that applications with the SDK keep are in the checklist", () => {
  const texts = new Set(clientRules.map(({ text }) => text));
  assert.ok(heldByApplication.every((text) => texts.has(text)));
});

function table(what, rules, names) {
  const rows = rules.map(({ id, text }, at) => [id, text, ...names.map((name) => results[name][at])]);
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const head = ["rule", what, ...names];
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

test("bench/authorization/rules.md has these results", () => {
  const text = `# Rules of authorization

\`test/interop/authorization.test.mjs\` writes these tables from its results: \`MCPGEN_WRITE=1 npm run test:interop\`. It tries each
rule from outside, with the same requests and the same servers, with \`@mcpgen/auth\` and with the official SDK
(\`@modelcontextprotocol/server\` and \`@modelcontextprotocol/client\` 2.4.0).

The first column is the requirement (AUTHS, AUTHC: test/checklist), the page of the specification, or the attack that the tests
name; \`own\` is a rule of this project.

## Protected servers

The SDK leaves the verification of tokens to the application. The servers here use a careful verifier with \`jose\`: known issuers,
exact \`iss\`, algorithms, audience (\`test/interop/servers/protected-sdk-v2.mjs\`). Scopes of tools use its
\`requireScopes\`; an application can write a handler that knows hierarchies instead. \`createMcpHandler\` makes no sessions, so the rules
about sessions hold.

${table("what a protected server does", serverRules, Object.keys(columns))}

## Clients

The SDK leaves the storage, the comparison of \`state\`, the browser and the end of a login to the application. The application here
keeps credentials by issuer, and runs one login at a time (\`test/interop/clients/authorized-sdk-v2.mjs\`); \`application\` marks
the rules that hold because of it. It opens the URLs that the client gives it. The servers negotiate 2025-11-25 unless a rule names another revision.

${table("what a client does", clientRules, Object.keys(clients))}
`;
  if (process.env.MCPGEN_WRITE === "1") writeFileSync(page, text);
  assert.equal(readFileSync(page, "utf8"), text);
});
