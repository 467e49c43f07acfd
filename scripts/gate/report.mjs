// What a run of tests gave, as a file that the summary of .ci/run adds up. In CI, each runner writes one.
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { seed, share } from "../../test/support/cases.mjs";

const folder = "node_modules/.cache/mcpgen-reports";

/** @param failedFiles those of which a test failed, or all, as they could not be read */
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

/** @returns the reports that were written, or the one of a name */
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
