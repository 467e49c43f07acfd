import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { contenders, floor, floorValid, ours } from "../contenders.mjs";
import { bundling } from "../production.mjs";

const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")).packages;

/** What a stdio server of two tools is as one file, and what is installed for it. */
export const sizeRows = [
  { name: "stdio server in one file, min+gzip", unit: "KB", bar: 45, measure: () => sizes("five") },
  { name: "the same, two newest revisions", unit: "KB", bar: 30, measure: () => sizes("two") },
  { name: "packages installed for it", unit: "", bar: 0, measure: async () => packages() },
  { name: "HTTP adds, min+gzip", unit: "KB", bar: 10, measure: httpAdds },
];

const bundleOf = (name) => fileURLToPath(new URL(`../bundles/${name}.mjs`, import.meta.url));

/** Ours is a server from a contract; which revisions the others hold cannot be chosen. */
async function sizes(revisions) {
  const contract = generated();
  const values = new Map();
  for (const { name, server } of contenders()) {
    const code = await bundled(name === ours ? bundleOf(revisions) : server, contract);
    await expectAnswers(name, code);
    values.set(name, gzipSync(code).length / 1000);
  }
  return values;
}

/** What our stdio server of all revisions grows by when it serves over HTTP, too. */
async function httpAdds() {
  const contract = generated();
  const [alone, both] = await Promise.all(["five", "http"].map((name) => bundled(bundleOf(name), contract)));
  return new Map([[ours, (gzipSync(both).length - gzipSync(alone).length) / 1000]]);
}

/** What the compiler makes of the contract, in a folder that is below this one and no part of the repository. */
function generated() {
  const folder = fileURLToPath(new URL("../node_modules/.cache/contract", import.meta.url));
  const contract = fileURLToPath(new URL("../bundles/mcp.contract.yaml", import.meta.url));
  const compiler = fileURLToPath(new URL("../../../dist/generator/cli.js", import.meta.url));
  rmSync(folder, { recursive: true, force: true });
  execFileSync(process.execPath, [compiler, "generate", "--contract", contract, "--out", folder, "--quiet"]);
  return folder;
}

/** A program as one file that loads nothing: what it may import on demand is in it. */
async function bundled(file, contract) {
  const { outputFiles } = await build({
    ...bundling,
    entryPoints: [file],
    write: false,
    alias: { "contract-of-bench": join(contract, "server.ts") },
  });
  return outputFiles[0].contents;
}

/** A bundle counts if it works: alone in a folder, it answers a call; and unless by hand, refuses wrong arguments. */
async function expectAnswers(name, code) {
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-bundle-"));
  const file = join(folder, "server.mjs");
  writeFileSync(file, code);
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] });
  const timer = setTimeout(() => child.kill(), 20_000);
  try {
    const ask = asking(child);
    await ask("initialize", handshake);
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    const { result } = await ask("tools/call", { name: "add", arguments: { a: 2, b: 3 } });
    if (result?.content?.[0]?.text !== "5") throw new Error(`${name}: the bundle does not add`);
    if (name === floor || name === floorValid) return;
    const wrong = await ask("tools/call", { name: "add", arguments: { a: "2", b: 3 } });
    if (!wrong.error && !wrong.result.isError) throw new Error(`${name}: the bundle takes any arguments`);
  } finally {
    clearTimeout(timer);
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const handshake = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1.0.0" },
};

/** Sends requests to a process, one after another, and gives their answers. */
function asking(child) {
  let id = 0;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the bundle ended before it answered ${method}`);
      const answer = JSON.parse(value);
      if (answer.id === id) return answer;
    }
  };
}

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
  const own = { "@mcpgen/engine": "../../../engine/", "@mcpgen/protocol": "../../../generated/" };
  return Object.keys(dependencies)
    .map((name) => (own[name] === undefined ? 1 : thirdParties(own[name])))
    .reduce((sum, count) => sum + count, 0);
}
