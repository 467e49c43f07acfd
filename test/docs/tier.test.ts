import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { features, tierRows } from "../../scripts/tier-rows.js";

test("the programme has 48 features, each once", () => {
  expect(new Set(features).size).toBe(48);
});

test("the repository meets what tier 1 asks of it", () => {
  expect(tierRows().filter(({ state }) => state === "not met")).toEqual([]);
});

test("CONTRIBUTING.md says how each label is used", () => {
  const labels = parse(readFileSync(".github/labels.yml", "utf8")) as { readonly name: string }[];
  const [, section = ""] = readFileSync("CONTRIBUTING.md", "utf8").split("\n## Issues\n");
  const [text] = section.split("\n## ");
  const priorities = text!.includes("(`P0` to `P3`)") ? ["P0", "P1", "P2", "P3"] : [];
  const explained = new Set([...priorities, ...[...text!.matchAll(/`([\w ]+)`/g)].map(([, name]) => name!)]);
  expect(labels.map(({ name }) => name).filter((name) => !explained.has(name))).toEqual([]);
});
