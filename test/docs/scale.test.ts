import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { table } from "../../bench/scale/table.mjs";

test("the table of docs/scale.md is what the simulation gives", () => {
  const simulated = table();
  expect(simulated.split("\n")).toHaveLength(6);
  expect(readFileSync("docs/scale.md", "utf8")).toContain(simulated);
});
