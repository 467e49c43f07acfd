// Repeats what test/seeds.json lists: draws that failed once. node scripts/gate/seeds.mjs
//
// A row: `seed` and `share` (MCPGEN_SEED, MCPGEN_SHARE) of the run that failed; `file`, a file of tests; `test`, if it is one test,
// a part of its name; `why`, what was wrong.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const rows = JSON.parse(readFileSync("test/seeds.json", "utf8"));
for (const [index, row] of rows.entries()) {
  const { seed, share, file, test, why } = row;
  if (!Number.isSafeInteger(seed) || !(share >= 0 && share <= 1) || !existsSync(file) || !why)
    throw new Error(
      `test/seeds.json, row ${index + 1}: expected seed, share, file and why, got ${JSON.stringify(row)}`,
    );
  const env = {
    ...process.env,
    ...{ MCPGEN_SEED: `${seed}`, MCPGEN_SHARE: `${share}`, MCPGEN_LONG: "1", MCPGEN_REPORT: `seed-${index}` },
  };
  const command = ["vitest", "run", file, ...(test === undefined ? [] : ["-t", test])];
  const { status } = spawnSync("npx", command, { stdio: "inherit", env });
  if (status !== 0) process.exitCode = 1;
}
console.log(`${rows.length} seeds that failed once`);
