import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { measuredCalls } from "../../bench/scale/constants.mjs";
import { tables } from "../../bench/scale/table.mjs";

test("the tables of bench/scale/journal.md equal the model's output", () => {
  const { simulated, predicted } = tables();
  const page = readFileSync("bench/scale/journal.md", "utf8");
  for (const table of [simulated, predicted]) assert.ok(page.includes(table), `not in the page:\n${table}`);
  assert.equal(simulated.split("\n").length, 6);
  assert.equal(predicted.split("\n").length, 2 + measuredCalls.filter(({ name }) => name !== "floor").length);
});
