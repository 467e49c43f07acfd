// The rules of stores, in each database, with each driver.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";
import { sessionStoreRules } from "../support/store-rules/session-store-rules.mjs";
import { storeRules } from "../support/store-rules/task-store-rules.mjs";
import { engines } from "./engines.mjs";
import { driverNames, sessionDriverNames } from "./stores.mjs";

const program = fileURLToPath(new URL("programs/rules.mjs", import.meta.url));

const kinds = [
  ["tasks", storeRules, driverNames],
  ["sessions", sessionStoreRules, sessionDriverNames],
];

for (const [kind, rules, [driver, engine]] of kinds.flatMap(([kind, rules, names]) =>
  names.map((name) => [kind, rules, name]),
)) {
  const { missing, node, start } = engines[engine];
  test(`a store of ${kind} over ${driver} obeys the rules`, { skip: missing }, async (t) => {
    const { address, stop } = await start();
    t.after(stop);
    const command = [program, kind, driver, address];
    const { stdout } = await promisify(execFile)(node, command, { maxBuffer: 2 ** 28 });
    const verdicts = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(verdicts.length, rules.length);
    for (const { name, problem } of verdicts) await t.test(name, () => assert.equal(problem, undefined));
  });
}
