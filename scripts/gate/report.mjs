// Writes and reads the results of test runs as files. In CI, each test runner writes one, and the summary of
// .ci/run adds them up.
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { seed, share } from "../../test/support/cases.mjs";

const folder = "node_modules/.cache/mcpgen-reports";

/** @param failedFiles the files in which a test failed, or which could not be loaded */
export function writeReport(
  { passed, failed, skipped, failedFiles },
  name = process.env.MCPGEN_REPORT ?? randomUUID(),
) {
  const files = [...new Set(failedFiles)].map((file) => relative(".", file));
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    `${folder}/${name}.json`,
    JSON.stringify({ passed, failed, skipped, failedFiles: files, seed, share }),
  );
}

/** @returns all reports, or only the report of the given name */
export function readReports(name) {
  let files = [];
  try {
    files = readdirSync(folder);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  return files
    .filter((file) => name === undefined || file === `${name}.json`)
    .map((file) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8")));
}
