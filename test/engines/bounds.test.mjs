// Four processes share one store, and their clients store as much as they can: neither one client nor all together ever
// exceed the limits, and the sums in the store are equal to the sums of its records.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";
import { cases, seed } from "../support/cases.mjs";
import { limits } from "./bounds.mjs";
import { engines } from "./engines.mjs";
import { driverNames } from "./stores.mjs";

const program = fileURLToPath(new URL("programs/bounds.mjs", import.meta.url));
const steps = cases(2000, 120);

for (const [driver, engine] of driverNames.filter(([, engine]) => engine !== "memory")) {
  const { missing, node, start } = engines[engine];
  test(`${driver}: the bytes of tasks stay within their limits`, { skip: missing }, async (t) => {
    const { address, stop } = await start();
    t.after(stop);
    const run = async (name, steps, index = 0) => {
      const command = [program, driver, address, name, steps, seed * 4 + index];
      return JSON.parse((await promisify(execFile)(node, command)).stdout);
    };
    const all = await Promise.all(["a", "b", "c", "d"].map((name, index) => run(name, steps, index)));
    for (const { taken, full, most } of all) {
      assert.ok(taken > 0 && full > 0, `${taken} taken, ${full} refused`);
      assert.ok(most > limits.bytes / 4 && most <= limits.bytes, `a client had ${most}`);
    }
    const { ends } = await run("e", 0);
    for (const { usage, listed } of ends) assert.deepEqual(usage, listed);
    const total = ends.reduce((sum, { usage }) => sum + usage.bytes, 0);
    assert.ok(total <= limits.totalBytes, `all clients have ${total}`);
  });
}
