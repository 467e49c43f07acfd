// Finds programs other than Node.js that tests need.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of an installed program, or `undefined`. */
export function pathOf(program) {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

/**
 * Returns the reason for skipping the tests that need a program; `undefined` if it is installed. In CI, all
 * programs must be installed.
 *
 * @param isThere whether the program is installed
 * @param reason such as `redis-server is not installed`
 * @throws in CI, if the program is not installed
 */
export function lackOf(isThere, reason) {
  if (isThere) return undefined;
  if (process.env.CI === "true")
    throw new Error(`${reason}; in CI no test is skipped for that (.ci/programs)`);
  return reason;
}
