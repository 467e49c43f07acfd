// The rules of stores, in each database, with each driver.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";
import { storeRules } from "@mcpgen/tasks/testing";
import { engines } from "./engines.mjs";
import { driverNames } from "./stores.mjs";

const program = fileURLToPath(new URL("programs/rules.mjs", import.meta.url));

for (const [driver, engine] of driverNames) {
  const { missing, node, start } = engines[engine];
  test(`${driver} obeys the rules`, { skip: missing }, async (t) => {
    const { address, stop } = await start();
    t.after(stop);
    const { stdout } = await promisify(execFile)(node, [program, driver, address], { maxBuffer: 2 ** 28 });
    const verdicts = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(verdicts.length, storeRules.length);
    for (const { name, problem } of verdicts) await t.test(name, () => assert.equal(problem, undefined));
  });
}
