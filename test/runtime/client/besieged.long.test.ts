import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builtProgram } from "../../support/built-program.js";

const program = builtProgram("test/runtime/client/programs/besieged.ts");

const mb = 1_000_000;

/** What becomes of the application, where the server does its worst, and the memory that its process may take. */
const outcomes: readonly (readonly [string, unknown, number])[] = [
  ["40 results of 9 MB", "read", 260 * mb],
  ["5,000 results of 100 KB", "read", 200 * mb],
  ["300,000 notices of the same", 1000, 180 * mb],
  ["300,000 notices of others", "limit-exceeded", 180 * mb],
  ["30,000 questions of 20 KB", "answered", 200 * mb],
  ["50,000 forms in each of 10 calls", "limit-exceeded", 260 * mb],
  ["1,000 pages of 1 MB", "list-incomplete", 260 * mb],
  ["pings of 4 KB whose answers are not read", "timeout", 180 * mb],
  ["the same over HTTP", "timeout", 200 * mb],
];

test.each(outcomes)("a client with a heap of 160 MB survives %s", async (attack, outcome, most) => {
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
