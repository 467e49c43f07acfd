// Adds up the reports that vitest left and prints them as one closing line.
import { readFileSync, readdirSync } from "node:fs";

const folder = "node_modules/.cache/mcpgen-reports";
const reports = readdirSync(folder).map((file) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8")));
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
console.log(
  `${sum("numPassedTests")} passed, ${sum("numFailedTests")} failed, ${sum("numPendingTests")} skipped`,
);
