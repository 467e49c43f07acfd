import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";

const core = `import { createServer } from "@mcpgen/runtime/server";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { revision } from "@mcpgen/protocol/2026-07-28/server";
const server = createServer({ name: "s", version: "1" }, { revisions: [revision] });
`;

const plain = "globalThis.handler = createHttpHandler(server);";

const guarded = (imports: string, options: string): string =>
  `import { resourceServer, ${imports} } from "@mcpgen/auth/server";
const auth = resourceServer({ resource: "https://api.example.com/mcp", ${options} });
globalThis.handler = createHttpHandler(server, auth.http);`;

async function sizeOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd(), loader: "ts" },
    ...{ bundle: true, minify: true, write: false, platform: "node", format: "esm", legalComments: "none" },
    ...{ conditions: ["mcpgen-source"], logLevel: "error" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return gzipSync(outputFiles[0]!.text).length;
}

const json = 'issuers: [jwks("https://auth.example.com")]';
const opaque =
  'issuers: [introspection({ issuer: "https://a.example.com", clientId: "a", clientSecret: "b" })]';

test.each([
  ["JWT", 11_930, guarded("jwks", json)],
  ["JWT and DPoP", 14_030, guarded("jwks, dpop", `${json}, dpop: dpop()`)],
  ["introspection", 12_370, guarded("introspection", opaque)],
])("a resource server with %s adds at most %i bytes to the core, compressed", async (_, most, text) => {
  const added = (await sizeOf(core + text)) - (await sizeOf(core + plain));
  expect(added).toBeLessThanOrEqual(most);
});
