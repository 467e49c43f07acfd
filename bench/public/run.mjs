/**
 * The load of a published benchmark, for implementations in JavaScript. Usage: npm run bench:public --
 * [--quick] [--only=TEXT] [--try]
 *
 * `--only` selects rows; `--try` only checks every result of each contender once.
 *
 * Source: Thiago Mendes, "Multi-Language MCP Server Performance Benchmark",
 * https://www.tmdevlab.com/mcp-server-performance-benchmark.html and
 * https://github.com/thiagomendes/benchmark-mcp-servers (read in the copy armantik/benchmark-mcp-servers:
 * nodejs-server/index.js at 0099298, benchmark/benchmark.js at ccb84cf).
 *
 * As there: the four tools of its server for Node, their arguments, 50 connections that are kept alive, and
 * `Accept` for JSON and events. Each request is sent in its own session: initialize,
 * notifications/initialized, the request, and DELETE if there is a session id. The last row repeats
 * all five requests with its pause of 100 ms, and its latency is that of every request. In the other rows, which
 * have no pause, it is that of the named request. The server has one core.
 *
 * Not as there: 2025-06-18 instead of 2024-11-05, the load generator (k6 there), no container, no limit of
 * memory, seconds instead of 5 minutes, and new processes that take turns. Servers are stateless where they
 * can be, as the source's server for Node. DELETE is not counted.
 *
 * The contenders of a row take turns on one machine in one run, so only the ratios between them are meaningful.
 */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { fail, installContenders } from "../runtime/install.mjs";

if (process.platform === "win32") fail("bench: memory is read from /proc or ps, which Windows does not have");
installContenders("fastmcp");

const { oursInDevelopment } = await import("../runtime/production.mjs");
if (!existsSync(oursInDevelopment)) fail("bench: mcpgen is not built; run: npm run build");
const { pin } = await import("../runtime/pinning.mjs");
const { ProcessUnderTest } = await import("../runtime/process-under-test.mjs");
const { takeTurns } = await import("../runtime/turns.mjs");
const { base, contenders } = await import("./contenders.mjs");
const { rowsOf } = await import("./rows.mjs");
const { takeTurn } = await import("./turn.mjs");

const given = new Set(process.argv);
const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length) ?? "";
const trying = given.has("--try");
const quick = given.has("--quick");
const rounds = quick ? 3 : 5;
const times = quick ? { warming: 500, lasting: 1000 } : { warming: 2000, lasting: 4000 };

const all = await contenders();
// The load generator and the API that the servers call share a core; each server has the other one.
const pinned = availableParallelism() > 1 && pin(process.pid, 0);
if (!pinned) console.log("(not pinned to cores: the load generator takes time from the servers)");
const core = pinned ? 1 : undefined;
const upstream = new ProcessUnderTest(fileURLToPath(new URL("upstream.mjs", import.meta.url)));
const [port] = await upstream.receive();
const rows = rowsOf(`http://127.0.0.1:${port}/api`);

const figures = [
  ["requests/s", ({ rate }) => rate],
  ["p99, ms", ({ p99 }) => p99],
  ["peak memory, MB", ({ memory }) => memory / 1e6],
];
try {
  if (trying) await tryAll();
  else await measureAll();
} finally {
  await upstream.end();
}

async function tryAll() {
  // The last row has every request.
  for (const one of all) {
    await takeTurn(one, rows.at(-1), { connections: 1, warming: 0, lasting: 0, core });
    console.log(`${one.name}: all results as expected`);
  }
}

async function measureAll() {
  const names = all.map(({ name }) => name);
  console.log(line("", names));
  for (const row of rows.filter(({ name }) => name.includes(only)))
    print(
      row,
      await takeTurns(all, rounds, (one) => takeTurn(one, row, { connections: 50, ...times, core })),
    );
}

function print({ name }, values) {
  console.log(name);
  for (const [unit, of] of figures) {
    const numbers = all.map((one) => of(values.get(one.name)));
    const reference = of(values.get(base));
    console.log(line(`  ${unit}`, numbers.map(figure)));
    console.log(
      line(
        `    times ${base}`,
        numbers.map((number) => (number / reference).toFixed(2)),
      ),
    );
  }
}

function figure(value) {
  return value.toFixed(value < 1 ? 2 : value < 100 ? 1 : 0);
}

function line(title, cells) {
  return `${title.padEnd(32)}${cells.map((cell) => cell.padStart(11)).join("")}`;
}
