import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { measuredCalls } from "../../bench/scale/constants.mjs";
import { tables } from "../../bench/scale/table.mjs";

test("the tables of bench/scale/journal.md equal the model's output", () => {
  const { simulated, predicted } = tables();
  const page = readFileSync("bench/scale/journal.md", "utf8");
  for (const table of [simulated, predicted]) expect(page).toContain(table);
  expect(simulated.split("\n")).toHaveLength(6);
  expect(predicted.split("\n")).toHaveLength(2 + measuredCalls.filter(({ name }) => name !== "floor").length);
});
