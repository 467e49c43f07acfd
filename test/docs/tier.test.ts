import { expect, test } from "vitest";
import { features, tierRows } from "../../scripts/tier-rows.js";

test("the programme has 48 features, each once", () => {
  expect(new Set(features).size).toBe(48);
});

test("the repository meets what tier 1 asks of it", () => {
  expect(tierRows().filter(({ state }) => state === "not met")).toEqual([]);
});
