// Runs every command of mcpgen that README and docs/ show and that needs no network, as a user has it: installed from the tarballs
// into an empty folder outside of the repository. A command runs when it ends with 0, or with 1, as those that found something.
//
//   node test/portability/outside.mjs        # packs what the last build made
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const outside = mkdtempSync(join(tmpdir(), "mcpgen-outside-"));
const home = join(outside, "home");
const cli = join(outside, "node_modules/mcpgen/dist/generator/cli.js");
/** Nothing of this machine's user, and nothing of a job of CI. */
const env = {
  PATH: process.env.PATH,
  HOME: home,
  NO_COLOR: "1",
  npm_config_cache: process.env.npm_config_cache,
};
if (env.npm_config_cache === undefined) delete env.npm_config_cache;

/** What readers have where a document says no more: placeholders, and the files that commands name. */
const words = { FILE: "schema.json", SOURCE: "stdio:node server.js", TOOL: "add", NAME: "greeting" };
const needsNetwork = /\bhttps?:|\bURL\b|^(?:login|logout) /;
/** They run until Ctrl-C; test/dev and docs/journeys have them. */
const staysOn = /^dev\b/;

let problems = 0;
try {
  install();
  const placeOf = prepared();
  const commands = commandsOfDocuments();
  const [left, run] = [commands.filter(({ why }) => why), commands.filter(({ why }) => !why)];
  for (const { line, why } of left) console.log(`left out ${line}: ${why}`);
  if (run.length < 25) problem(`only ${run.length} commands were found`, "");
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < run.length; at = next++) await judge(run[at], placeOf(run[at].line), at);
  };
  await Promise.all([lane(), lane()]);
  console.log(`${run.length} commands, ${left.length} left out, ${problems} problems`);
} finally {
  rmSync(outside, { recursive: true, force: true });
}
process.exitCode = problems > 0 ? 1 : 0;

/** Installs the tarballs as a user does; packages of others come from the cache where it has them. */
function install() {
  mkdirSync(home);
  const tarballs = join(outside, "tarballs");
  must(process.execPath, [join(root, "scripts/pack.mjs"), tarballs, "--as-built"], root, process.env);
  writeFileSync(join(outside, "package.json"), '{ "private": true, "type": "module" }\n');
  const files = readdirSync(tarballs).map((name) => join(tarballs, name));
  // The compiler that a project of `init` asks for; its version here is in the cache already.
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const name of ["typescript", "@types/node"]) files.push(`${name}@${devDependencies[name]}`);
  const quietly = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  must("npm", ["install", ...quietly, ...files], outside, process.env);
}

/**
 * A project as `init` makes it, with the files that commands name; and a folder with these files alone, for what makes a project or
 * its contract.
 */
function prepared() {
  const [project, bare] = ["project", "bare"].map((name) => join(outside, name));
  must(process.execPath, [cli, "init", "server", "project"], outside, env);
  must(process.execPath, [cli, "generate"], project, env);
  mkdirSync(join(bare, "new"), { recursive: true });
  mkdirSync(join(bare, "src"));
  const released = readFileSync(join(outside, "node_modules/mcpgen/schema/2026-07-28/schema.json"), "utf8");
  const protocol = JSON.parse(released);
  const search = {
    type: "object",
    properties: { method: { const: "search/query" }, params: { type: "object" } },
    required: ["method"],
  };
  const files = {
    "server.js": `import { tasks as extension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { createServer } from "@mcpgen/runtime/all";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { tasks } from "@mcpgen/tasks";
const server = createServer({ name: "calculator", version: "1.0.0" }, { extensions: [tasks(extension)] });
const number = { type: "number" };
const inputSchema = { type: "object", properties: { a: number, b: number, city: { type: "string" } } };
server.tool("add", { description: "Adds two numbers.", inputSchema, task: { support: "optional" } }, ({ a = 0, b = 0 }) => String(a + b));
server.resource("note://one", { name: "one" }, () => "first");
server.prompt("greeting", { description: "A greeting." }, () => "Hello");
await serveStdio(server);
`,
    "session.jsonl": `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`,
    "schema.json": JSON.stringify({
      $defs: { SearchQueryRequest: search, SearchQueryResult: { type: "object" } },
    }),
    "new/schema.json": JSON.stringify({
      ...protocol,
      $defs: { ...protocol.$defs, Unheard: { type: "object" } },
    }),
    "src/host.ts":
      'import type { Tool } from "@mcpgen/protocol/2025-11-25/types";\nexport const nameOf = ({ name }: Tool): string => name;\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(bare, name), text);
  cpSync(bare, project, { recursive: true });
  writeFileSync(join(bare, "package.json"), '{ "private": true, "type": "module" }\n');
  return (line) => (/^(?:init|capture) /.test(line) ? bare : project);
}

/** The commands of README and docs/, each once; journeys are walked by test/docs/journeys.long.test.ts. */
function commandsOfDocuments() {
  const folders = ["docs", "docs/tasks"];
  const documents = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name)),
  );
  const found = new Map();
  for (const document of ["README.md", ...documents]) {
    const text = readFileSync(join(root, document), "utf8");
    for (const [, block] of text.matchAll(/^ *```sh\n(.*?)^ *```$/gms))
      for (const [, line] of block.matchAll(/^ *npx mcpgen (.+?)(?: +#.*)?$/gm))
        if (!found.has(line)) found.set(line, { line, document, why: reasonAgainst(line) });
  }
  return [...found.values()];
}

function reasonAgainst(line) {
  if (needsNetwork.test(line)) return "it needs a server on the network";
  return staysOn.test(line) ? "it runs until Ctrl-C" : undefined;
}

/** Runs one command in a copy of a folder. */
async function judge({ line, document }, place, number) {
  const folder = join(outside, `run-${number}`);
  cpSync(place, folder, { recursive: true });
  const given = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? words[bare] ?? bare,
  );
  const child = spawn(process.execPath, [cli, ...given], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const late = setTimeout(() => child.kill(), 120_000);
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(late);
  rmSync(folder, { recursive: true, force: true });
  if (code === 0 || code === 1) console.log(`ok       ${line}`);
  else problem(`${document}: npx mcpgen ${line} ended with ${code}`, output);
}

function problem(what, output) {
  problems++;
  console.log(`PROBLEM  ${what}\n${output}`);
}

function must(command, args, cwd, given) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env: given, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`);
}
