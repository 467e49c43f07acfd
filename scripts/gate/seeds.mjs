// Repeats the random draws in test/seeds.json that failed once. node scripts/gate/seeds.mjs
//
// A row has: `seed` and `share`, the values of MCPGEN_SEED and MCPGEN_SHARE in the failed run; `file`, a test
// file; `test`, if only one test failed, a part of its name; `why`, the fault that was found.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { text } from "node:stream/consumers";
import { readReports } from "./report.mjs";

const rows = JSON.parse(readFileSync("test/seeds.json", "utf8"));
for (const [index, row] of rows.entries()) {
  const { seed, share, file, why } = row;
  const isDraw = Number.isSafeInteger(seed) && seed >= 0 && share >= 0 && share <= 1;
  if (!isDraw || !/\.test\.(?:ts|mjs)$/.test(file) || !existsSync(file) || !why)
    throw new Error(
      `test/seeds.json, row ${index + 1}: expected seed, share, file and why, got ${JSON.stringify(row)}`,
    );
}
// A row runs one file, which keeps one core busy: a row for each core, and the output of one after the other.
const next = rows.entries();
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (const [index, row] of next) await repeat(index, row);
  }),
);
console.log(`${rows.length} seeds that failed once`);

async function repeat(index, row) {
  const { seed, share, file, test } = row;
  const name = `seed-${index}`;
  const variables = {
    MCPGEN_SEED: `${seed}`,
    MCPGEN_SHARE: `${share}`,
    MCPGEN_LONG: "1",
    MCPGEN_REPORT: name,
  };
  const command = file.endsWith(".mjs")
    ? [
        "node",
        "--test",
        "--test-reporter=./scripts/gate/node-report.mjs",
        ...(test ? ["--test-name-pattern", test] : []),
        file,
      ]
    : // Vitest keeps the times of files in one place, which two of them may not write at once.
      ["npx", "vitest", "run", "--no-cache", file, ...(test ? ["-t", test] : [])];
  const child = spawn(command[0], command.slice(1), {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...variables },
  });
  const closed = new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  process.stdout.write(output);
  process.stderr.write(errors);
  const ran = readReports(name).reduce((sum, { passed, failed }) => sum + passed + failed, 0);
  if (status === 0 && ran === 0)
    console.error(`test/seeds.json, row ${index + 1}: no test ran of ${JSON.stringify(row)}`);
  if (status !== 0 || ran === 0) process.exitCode = 1;
}
