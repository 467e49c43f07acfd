import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builtProgram } from "../../support/built-program.js";

const program = builtProgram("test/runtime/client/programs/besieged.ts");

/**
 * Bytes that the process may use: its heap, and its other memory. The test does not depend on garbage collection: a
 * full heap ends the process.
 */
const most = 260_000_000;

/** The outcome of the application for each attack of the server. */
const outcomes: readonly (readonly [string, unknown])[] = [
  ["40 results of 9 MB", "read"],
  ["5,000 results of 100 KB", "read"],
  ["300,000 notices of the same", 1000],
  ["300,000 notices of others", "limit-exceeded"],
  ["30,000 questions of 20 KB", "answered"],
  ["50,000 forms in each of 10 calls", "limit-exceeded"],
  ["1,000 pages of 1 MB", "list-incomplete"],
  ["pings of 4 KB whose answers are not read", "timeout"],
  ["the same over HTTP", "timeout"],
];

test.each(outcomes)("a client with a heap of 160 MB survives %s", async (attack, outcome) => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--max-old-space-size=160",
    program,
    "client",
    attack,
  ]);
  const report = JSON.parse(stdout) as { outcome: unknown; peak: number };
  expect(report.outcome).toBe(outcome);
  expect(report.peak).toBeLessThan(most);
});
