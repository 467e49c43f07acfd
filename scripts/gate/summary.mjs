// Adds up the reports of the test runners, and prints one closing line: node scripts/gate/summary.mjs. With
// --failed, it first prints the failed files, each as a row for test/seeds.json.
import { readReports } from "./report.mjs";

const reports = readReports();
if (process.argv[2] === "--failed") {
  const rows = reports.flatMap(({ seed, share, failedFiles }) =>
    failedFiles.map((file) => JSON.stringify({ seed, share, file, why: "" })),
  );
  for (const row of new Set(rows)) console.log(row);
}
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
