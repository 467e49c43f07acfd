// Published servers in a real host: each difference that `host test` reports is one that a record of the traffic shows, and it
// leaves none out.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { build } from "esbuild";
import { mcpgen, projectFolder, sourceOf } from "../interop/real/project.mjs";
import { cases, seed } from "../support/cases.mjs";
import { bundled } from "./bundled.mjs";
import { judge, readRecord } from "./judge.mjs";
import { publishedServers } from "./servers.mjs";

const { folder, remove } = await projectFolder();
const home = join(folder, "home");
const servers = publishedServers(home);
const recorder = join(folder, "recorder.mjs");
const rows = JSON.parse(await readFile(new URL("../../generator/host/hosts.json", import.meta.url), "utf8"));
/** Milliseconds for a host with a server whose tools take their time. */
const timeout = 300_000;
const hosts = (process.env.MCPGEN_HOSTS ?? "codex").split(",");
const files = new Map();

before(async () => {
  await mkdir(home, { recursive: true });
  const { installed } = await bundled("../support/hosts/install.ts");
  for (const host of hosts) files.set(host, (await installed(host)).file);
  await build({
    entryPoints: [fileURLToPath(new URL("recorder.ts", import.meta.url))],
    outfile: recorder,
    ...{ bundle: true, platform: "node", format: "esm", logLevel: "error" },
    conditions: ["mcpgen-source"],
  });
});
after(remove);

/** Runs `host test` with a recorder in front of the host and of the server. */
async function hostTest(host, { name, args, env }) {
  const own = join(folder, host, name);
  const programs = join(own, "node_modules/.bin");
  const record = join(own, "record.jsonl");
  await mkdir(programs, { recursive: true });
  const words = [process.execPath, recorder, "host", record, files.get(host)].map((word) => `'${word}'`);
  const program = `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`;
  await writeFile(join(programs, rows[host].program), program, { mode: 0o755 });
  const source = sourceOf({ args: [recorder, "server", record, process.execPath, ...args], env });
  const run = await mcpgen(own, "host", "test", ...source, "--host", host, "--json");
  const lines = (await readFile(record, "utf8")).trim().split("\n");
  return { ...run, lines: lines.map((line) => JSON.parse(line)) };
}

/** The tools, as the official client lists them with the capabilities of mcpgen's. */
async function listOf({ args, env }) {
  const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } };
  const client = new Client({ name: "judge", version: "1" }, { capabilities });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
  const tools = [];
  for (let params = {}; params;) {
    const page = await client.request({ method: "tools/list", params }, ResultSchema);
    tools.push(...page.tools);
    params = page.nextCursor === undefined ? undefined : { cursor: page.nextCursor };
  }
  await client.close();
  return tools;
}

/** Reports that are not true in one place: a tool, a change or a result is left out, or is another one. */
function liesOf(report) {
  const lie = (change) => {
    const copy = structuredClone(report);
    change(copy);
    return copy;
  };
  const ofTools = report.tools.flatMap(({ offered, changes }, index) => [
    lie(({ tools }) => tools.splice(index, 1)),
    ...(offered ? [lie(({ tools }) => delete tools[index].offered)] : []),
    ...changes.flatMap(({ rule }, at) => [
      lie(({ tools }) => (tools[index].changes[at].subject.path += ".elsewhere")),
      ...(rule === "default-removed" ? [lie(({ tools }) => tools[index].changes.splice(at, 1))] : []),
    ]),
  ]);
  const ofCalls = report.calls.flatMap(({ result }, index) =>
    result === undefined ? [] : [lie(({ calls }) => (calls[index].result = "other"))],
  );
  return [...ofTools, ...ofCalls];
}

/** At most so many of a list, from all of it. */
function some(list, most) {
  const step = Math.max(1, list.length / most);
  return list.filter((_, index) => Math.floor((index + 1) / step) > Math.floor(index / step));
}

const start = seed % servers.length;
const drawn = [...servers.slice(start), ...servers.slice(0, start)].slice(0, cases(servers.length, 5));

describe("published servers in hosts", { concurrency: 1 }, () => {
  for (const host of hosts)
    for (const server of drawn)
      test(
        `${server.name} in ${host}: all differences are reported, and are true`,
        { timeout },
        async (context) => {
          const begun = performance.now();
          const { code, stdout, stderr, lines } = await hostTest(host, server);
          const seconds = ((performance.now() - begun) / 1000).toFixed(1);
          assert.ok(code === 0 || code === 1, stdout + stderr);
          const { findings, hosts: reports } = JSON.parse(stdout);
          const record = readRecord(lines, Object.values(server.env));
          const [report] = reports;
          const facts = { findings, listed: await listOf(server), record };
          const { reported, faults } = judge({ report, ...facts });
          context.diagnostic(
            `${report.tools.length} tools, ${report.calls.length} calls, ${reported.length} differences, ${faults.length} faults, ${seconds} s`,
          );
          assert.deepEqual(faults, []);
          for (const lie of some(liesOf(report), 20))
            assert.notDeepEqual(judge({ report: lie, ...facts }).faults, []);
        },
      );
});
