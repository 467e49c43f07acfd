// Adds up the reports that vitest left and prints them as one closing line: node scripts/gate/summary.mjs
// With --failed, prints the files that failed, each as a row for test/seeds.json.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { relative } from "node:path";

const folder = "node_modules/.cache/mcpgen-reports";
const files = existsSync(folder) ? readdirSync(folder) : [];
const reports = files.map((file) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8")));

if (process.argv[2] === "--failed") {
  const seed = Number(process.env.MCPGEN_SEED ?? 1);
  const failed = reports.flatMap(({ testResults }) =>
    testResults.filter(({ status }) => status === "failed"),
  );
  for (const name of new Set(failed.map(({ name }) => relative(".", name))))
    console.log(JSON.stringify({ seed, share: Number(process.env.MCPGEN_SHARE ?? 0), file: name, why: "" }));
} else {
  const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
  console.log(
    `${sum("numPassedTests")} passed, ${sum("numFailedTests")} failed, ${sum("numPendingTests")} skipped`,
  );
}
