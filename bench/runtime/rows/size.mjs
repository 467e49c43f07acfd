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

/** The size of a stdio server with two tools as one file, and of the packages that are installed for it. */
export const sizeRows = [
  { name: "stdio server in one file, min+gzip", unit: "KB", bar: 45, measure: () => sizes("five") },
  { name: "the same, two newest revisions", unit: "KB", bar: 30, measure: () => sizes("two") },
  { name: "packages installed for it", unit: "", bar: 0, measure: async () => packages() },
  { name: "HTTP adds, min+gzip", unit: "KB", bar: 10, measure: httpAdds },
];

const bundleOf = (name) => fileURLToPath(new URL(`../bundles/${name}.mjs`, import.meta.url));

/**
 * For mcpgen, the server is generated from a contract for the given revisions. Other implementations always
 * contain the same revisions.
 */
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

/** The growth of our stdio server of all revisions when it also serves over HTTP. */
async function httpAdds() {
  const contract = generated();
  const [alone, both] = await Promise.all(["five", "http"].map((name) => bundled(bundleOf(name), contract)));
  return new Map([[ours, (gzipSync(both).length - gzipSync(alone).length) / 1000]]);
}

/** Compiles the contract into a folder below this one that git ignores. */
function generated() {
  const folder = fileURLToPath(new URL("../node_modules/.cache/contract", import.meta.url));
  const contract = fileURLToPath(new URL("../bundles/mcp.contract.yaml", import.meta.url));
  const compiler = fileURLToPath(new URL("../../../dist/generator/cli.js", import.meta.url));
  rmSync(folder, { recursive: true, force: true });
  execFileSync(process.execPath, [compiler, "generate", "--contract", contract, "--out", folder, "--quiet"]);
  return folder;
}

/**
 * Bundles a program into one file that loads nothing: it also contains the modules that the program may
 * import on demand.
 */
async function bundled(file, contract) {
  const { outputFiles } = await build({
    ...bundling,
    entryPoints: [file],
    write: false,
    alias: { "contract-of-bench": join(contract, "server.ts") },
  });
  return outputFiles[0].contents;
}

/**
 * Checks a bundle: alone in a folder, it must answer a call and, unless it is hand-written, refuse wrong
 * arguments.
 */
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

/** Returns a function that sends requests to a process, one after another, and resolves to its answers. */
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

/**
 * The packages that each implementation needs besides Node, according to its documentation: the package, its
 * stdio transport, a schema library.
 */
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

/** Returns all packages that are installed with `roots`, including these. */
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

/** Returns the path of the package `name` that Node finds from the package at `path`. */
function resolve(path, name) {
  const nested = `${path}/node_modules/${name}`;
  if (lock[nested] !== undefined) return nested;
  const outer = path.lastIndexOf("/node_modules/");
  return outer === -1 ? `node_modules/${name}` : resolve(path.slice(0, outer), name);
}

/** Returns the third-party packages that our packages depend on, at any depth. */
function thirdParties(folder) {
  const { dependencies = {} } = JSON.parse(
    readFileSync(new URL(`${folder}package.json`, import.meta.url), "utf8"),
  );
  const own = { "@mcpgen/engine": "../../../engine/", "@mcpgen/protocol": "../../../generated/" };
  return Object.keys(dependencies)
    .map((name) => (own[name] === undefined ? 1 : thirdParties(own[name])))
    .reduce((sum, count) => sum + count, 0);
}
