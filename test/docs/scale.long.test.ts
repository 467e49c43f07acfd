import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { measuredCalls } from "../../bench/scale/constants.mjs";
import { tables } from "../../bench/scale/table.mjs";

test("the tables of docs/scale.md are what the model gives", () => {
  const { simulated, predicted } = tables();
  const page = readFileSync("docs/scale.md", "utf8");
  for (const table of [simulated, predicted]) expect(page).toContain(table);
  expect(simulated.split("\n")).toHaveLength(6);
  expect(predicted.split("\n")).toHaveLength(2 + measuredCalls.filter(({ name }) => name !== "floor").length);
});
