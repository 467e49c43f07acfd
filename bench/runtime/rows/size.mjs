import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { contenders, ours } from "../contenders.mjs";

const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")).packages;

/** What a stdio server of two tools is as one file, and what is installed for it. */
export const sizeRows = [
  { name: "stdio server, min+gzip", unit: "KiB", bar: 20, measure: () => sizes("five") },
  { name: "the same, two newest revisions", unit: "KiB", bar: 15, measure: () => sizes("two") },
  { name: "packages installed for it", unit: "", bar: 0, measure: async () => packages() },
  { name: "HTTP adds, min+gzip", unit: "KiB", bar: 10, measure: httpAdds },
];

/** Ours is a server from a contract; which revisions the others hold cannot be chosen. */
async function sizes(revisions) {
  const values = new Map();
  for (const { name, server } of contenders()) {
    const bundle =
      name === ours ? fileURLToPath(new URL(`../bundles/${revisions}.mjs`, import.meta.url)) : server;
    values.set(name, (await bundled(bundle)) / 1024);
  }
  return values;
}

/** What our stdio server of all revisions grows by when it serves over HTTP, too. */
async function httpAdds() {
  const [alone, both] = await Promise.all(
    ["five", "http"].map((name) =>
      bundled(fileURLToPath(new URL(`../bundles/${name}.mjs`, import.meta.url))),
    ),
  );
  return new Map([[ours, (both - alone) / 1024]]);
}

async function bundled(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    platform: "node",
    format: "esm",
    legalComments: "none",
    // It warns of imports that it rightly drops.
    logLevel: "error",
    plugins: [withoutDynamicImports],
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

/** What is loaded only when it is needed, such as the explanation of a refused message, is not counted. */
const withoutDynamicImports = {
  name: "without dynamic imports",
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    ),
};

/** What each needs beyond Node, as its documentation has it: the package, its stdio transport, a schema library. */
const needed = {
  "mcp-lite": ["mcp-lite", "zod"],
  tmcp: ["tmcp", "@tmcp/transport-stdio", "@tmcp/adapter-valibot", "valibot"],
  "sdk-v1": ["@modelcontextprotocol/sdk", "zod"],
  "sdk-v2": ["@modelcontextprotocol/server", "zod"],
};

function packages() {
  const values = new Map(Object.entries(needed).map(([name, roots]) => [name, closure(roots).size]));
  if (contenders().some(({ name }) => name === ours))
    values.set(ours, thirdParties("../../../runtime/core/"));
  return values;
}

/** All that comes with `roots`, themselves included. */
function closure(roots) {
  const seen = new Set();
  const visit = (path) => {
    if (seen.has(path) || lock[path] === undefined) return;
    seen.add(path);
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = lock[path];
    const wanted = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of [...Object.keys(dependencies), ...wanted]) visit(resolve(path, name));
  };
  for (const root of roots) visit(`node_modules/${root}`);
  return seen;
}

/** Where Node finds `name` from the package at `path`. */
function resolve(path, name) {
  const nested = `${path}/node_modules/${name}`;
  if (lock[nested] !== undefined) return nested;
  const outer = path.lastIndexOf("/node_modules/");
  return outer === -1 ? `node_modules/${name}` : resolve(path.slice(0, outer), name);
}

/** Packages of others that our own need, at any depth. */
function thirdParties(folder) {
  const { dependencies = {} } = JSON.parse(
    readFileSync(new URL(`${folder}package.json`, import.meta.url), "utf8"),
  );
  const own = { "@mcpgen/engine": "../../../runtime/engine/", "@mcpgen/protocol": "../../../generated/" };
  return Object.keys(dependencies)
    .map((name) => (own[name] === undefined ? 1 : thirdParties(own[name])))
    .reduce((sum, count) => sum + count, 0);
}
