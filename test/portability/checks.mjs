// Runs the public conformance suite, and reads the checks that it wrote.
import { spawn } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** The command of the suite, with the Node 22 that it needs. The tested programs may run on another version. */
export const suite = [
  join(here, "node_modules/node-22/bin/node"),
  join(here, "node_modules/@modelcontextprotocol/conformance/dist/index.js"),
];

/**
 * Runs the suite. Resolves with its exit code, which is not a verdict: only the checks are.
 *
 * @param folder for its output
 */
export function runSuite(args, folder) {
  const [node, program] = suite;
  return new Promise((resolve, reject) => {
    const child = spawn(node, [program, ...args, "-o", folder], { stdio: "ignore" });
    child.on("error", reject);
    child.on("exit", resolve);
  });
}

/** The folders of the scenarios of a server; the group is the name of the scenario. */
export const serverPattern = /^server-(.*)-\d{4}-\d\d-\d\dT.*$/;

/** Statuses by check id by scenario, of the scenarios that count. */
export async function checksBelow(folder, pattern) {
  const found = {};
  for (const path of await readdir(folder, { recursive: true })) {
    if (basename(path) !== "checks.json") continue;
    const scenario = dirname(path).split(/[\\/]/).join("-").replace(pattern, "$1");
    const checks = (found[scenario] ??= {});
    for (const { id, status, errorMessage } of JSON.parse(await readFile(join(folder, path), "utf8")))
      // Checks that do not apply are neither successes nor failures.
      if (status !== "INFO" && status !== "SKIPPED") (checks[id] ??= []).push({ status, errorMessage });
  }
  return found;
}
