import { expect, test } from "vitest";
import { features, tierRows } from "../../scripts/tier-rows.js";

/** Features that no page shows by code yet: remove a name when docs/features.md links to its example. */
const withoutExample = [
  ...["Resources - listing", "Resources - unsubscribing", "Resources - change notifications"],
  ...["Prompts - listing", "Prompts - embedded resources", "Prompts - change notifications"],
  ...["Sampling - creating messages", "Elicitation - default values", "Elicitation - complete notification"],
  ...["Roots - change notifications", "Logging - sending log messages", "Logging - setting level"],
  "SSE transport - legacy (server)",
];

test("the programme has 48 features, each once", () => {
  expect(new Set(features).size).toBe(48);
});

test("the repository meets what tier 1 asks of it, apart from the listed examples", () => {
  const unmet = tierRows().filter(({ state }) => state === "not met");
  const open = unmet.filter(({ where }) => where === "docs/features.md names no example");
  expect(unmet.filter((row) => !open.includes(row))).toEqual([]);
  expect(open.map(({ requirement }) => requirement).sort()).toEqual(
    withoutExample.map((feature) => `example: ${feature}`).sort(),
  );
});
