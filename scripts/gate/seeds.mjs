// Repeats the random draws in test/seeds.json that failed once. node scripts/gate/seeds.mjs
//
// A row has: `seed` and `share`, the values of MCPGEN_SEED and MCPGEN_SHARE in the failed run; `file`, a test
// file; `test`, if only one test failed, a part of its name; `why`, the fault that was found.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readReports } from "./report.mjs";

const rows = JSON.parse(readFileSync("test/seeds.json", "utf8"));
for (const [index, row] of rows.entries()) {
  const { seed, share, file, test, why } = row;
  const isDraw = Number.isSafeInteger(seed) && seed >= 0 && share >= 0 && share <= 1;
  if (!isDraw || !/\.test\.(?:ts|mjs)$/.test(file) || !existsSync(file) || !why)
    throw new Error(
      `test/seeds.json, row ${index + 1}: expected seed, share, file and why, got ${JSON.stringify(row)}`,
    );
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
    : ["npx", "vitest", "run", file, ...(test ? ["-t", test] : [])];
  const { status } = spawnSync(command[0], command.slice(1), {
    stdio: "inherit",
    env: { ...process.env, ...variables },
  });
  const ran = readReports(name).reduce((sum, { passed, failed }) => sum + passed + failed, 0);
  if (status === 0 && ran === 0)
    console.error(`test/seeds.json, row ${index + 1}: no test ran of ${JSON.stringify(row)}`);
  if (status !== 0 || ran === 0) process.exitCode = 1;
}
console.log(`${rows.length} seeds that failed once`);
