// The soak run in its short form: each fault once, and the report. MCPGEN_SEED draws calls and faults.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { randomFrom } from "../engines/cluster.mjs";
import { newFolder } from "../engines/guarded.mjs";
import { noRedis } from "../engines/redis.mjs";
import { seed } from "../support/cases.mjs";
import { faults } from "./soak/faults.mjs";
import { Record } from "./soak/record.mjs";
import { writeReport } from "./soak/report.mjs";
import { slopeOf, verdictOn } from "./soak/slope.mjs";
import { soak } from "./soak/soak.mjs";

/** Milliseconds. The bar is 5 s; a busy machine gets more. */
const hangMs = 60_000;

/** Starts the command. */
function run(...given) {
  const main = fileURLToPath(new URL("soak/main.mjs", import.meta.url));
  return spawnSync(process.execPath, [main, ...given], { encoding: "utf8" });
}

test("half a minute with each fault: no rule is broken", { skip: noRedis, timeout: 300_000 }, async (t) => {
  const settings = { minutes: 0.5, seed, pause: 100, every: 0.2, cores: 2, node: process.version };
  const { record, growth, redis } = await soak({
    ms: settings.minutes * 60_000,
    seed,
    pauseMs: settings.pause,
    everyMs: settings.every * 1000,
    hangMs,
  });
  assert.deepEqual(record.broken, []);
  const met = new Set(record.faults.map(({ name }) => name));
  const calls = record.totals.reduce((sum, { calm, disturbed }) => sum + calm.count + disturbed.count, 0);
  t.diagnostic(`${calls} calls, ${record.faults.length} faults, the longest call took ${record.longest} ms`);
  assert.deepEqual(
    Object.keys(faults).filter((name) => !met.has(name)),
    [],
  );
  for (const { kind, calm, disturbed } of record.totals) assert.ok(calm.count + disturbed.count > 0, kind);
  assert.ok(record.samples.some(({ nodes, redis: bytes }) => nodes.length === 4 && bytes > 0));

  const folder = newFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeReport(folder, { record, growth, redis, settings });
  const plots = ["errors.svg", "heap.svg", "latency.svg", "redis.svg", "rss.svg"];
  assert.deepEqual(readdirSync(folder).sort(), [...plots, "report.md"].sort());
  const report = readFileSync(join(folder, "report.md"), "utf8");
  assert.match(report, /\*\*No rule was broken\.\*\*/);
  assert.doesNotMatch(report, /undefined|NaN/);
  for (const plot of plots) {
    assert.ok(report.includes(`](${plot})`), plot);
    const svg = readFileSync(join(folder, plot), "utf8");
    for (const name of Object.keys(faults)) assert.ok(svg.includes(name), `${plot}: ${name}`);
  }
});

test("a growth of 3 MB/h is found in noise, and pure noise shows no growth", () => {
  const random = randomFrom(seed);
  const hours = Array.from({ length: 180 }, (_, index) => index / 180);
  const series = (growth) => hours.map((hour) => [hour, 60 + growth * hour + random() * 2]);
  assert.equal(verdictOn(slopeOf(series(3))), "grows");
  assert.equal(verdictOn(slopeOf(series(0))), "steady");
  const restless = [60, 63, 61, 64, 60, 63].map((value, index) => [index / 60, value]);
  assert.equal(verdictOn(slopeOf(restless)), "undecided");
  assert.equal(verdictOn(slopeOf([])), "undecided");
  const { slope, error } = slopeOf(hours.map((hour) => [hour, 5 * hour]));
  assert.ok(Math.abs(slope - 5) < 1e-9 && error < 1e-9);
});

test("a failed call counts as a violation unless a fault excuses it", () => {
  const call = (more) => ({ kind: "plain", key: "0.1", revision: "2025-11-25", took: 10, ...more });
  const failed = (code) => Object.assign(new Error("it failed"), { code });
  const judge = (fault, ...calls) => {
    const record = new Record(5000);
    const at = performance.now();
    if (fault) record.fault({ name: fault, at, until: at + 100 });
    for (const each of calls) record.call(call({ began: at + 1, ...each }));
    return record.data.broken.map((line) => line.replace(/^\d+ s: /, ""));
  };
  const lost = failed("connection-closed");
  assert.deepEqual(judge(undefined, {}), []);
  assert.match(
    judge(undefined, { error: lost })[0],
    /^plain 0\.1 .* failed with connection-closed .* no fault$/,
  );
  assert.deepEqual(judge("kill -9", { error: lost }), []);
  assert.match(judge("Redis restarted", { error: lost })[0], /during Redis restarted$/);
  assert.deepEqual(judge("Redis restarted", { kind: "ask", error: failed("store-failed") }), []);
  assert.match(judge("kill -9", { kind: "ask", error: failed("wrong-answer") })[0], /wrong-answer/);
  assert.match(judge("kill -9", { took: 5001 })[0], /took 5001 ms$/);
  assert.match(judge("streams cut", { kind: "progress", lost: 2 })[0], /2 of its steps were lost$/);
  // A fault of long ago.
  const later = { began: performance.now() + 60_000, error: lost };
  assert.equal(judge("kill -9", later).length, 1);
});

test("wrong options are refused with the usage", () => {
  for (const [given, text] of [
    [["--minutes", "x"], /^soak: --minutes is a number above 0, not "x"\n/],
    [["--hours", "1"], /^soak: Unknown option '--hours'/],
  ]) {
    const { status, stderr } = run(...given);
    assert.equal(status, 2);
    assert.match(stderr, text);
    assert.match(stderr, /npm run soak/);
  }
});
