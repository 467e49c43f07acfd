import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Installs the other implementations, unless the package `needed` is there; without a name, unless any is. */
export function installContenders(needed = "") {
  if (existsSync(`${here}node_modules/${needed}`)) return;
  console.log("bench: installing the other implementations (bench/runtime/package-lock.json)");
  const { status } = spawnSync("npm", ["ci", "--prefix", here], { stdio: "inherit" });
  if (status !== 0) fail("bench: that failed; run: npm ci --prefix bench/runtime");
}

export function fail(message) {
  console.error(message);
  process.exit(1);
}
