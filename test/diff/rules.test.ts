import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rulesManual } from "../../scripts/rules-manual.js";
import { ruleIds, ruleTable } from "../../generator/diff/rules/table.js";
import { mcpgen } from "../support/in-process.js";

test("docs/rules.md is up to date (node scripts/run-ts.mjs scripts/rules.ts)", () => {
  expect(readFileSync("docs/rules.md", "utf8")).toBe(rulesManual());
});

test("every case of a rule has a separate row", () => {
  const keys = ruleTable.map(({ id, when }) => `${id}: ${when ?? ""}`);
  expect(new Set(keys).size).toBe(keys.length);
});

test.each(ruleTable.map((rule) => [`${rule.id} ${rule.when ?? ""}`, rule] as const))(
  "%s has a mutual mirror, or a waiver",
  (_, { id, mirror }) => {
    if ("waived" in mirror) {
      expect(mirror.waived).not.toBe("");
      return;
    }
    expect(mirror.length).toBeGreaterThan(0);
    for (const other of mirror) {
      expect(ruleIds).toContain(other);
      const back = ruleTable
        .filter((rule) => rule.id === other)
        .flatMap((rule) => ("waived" in rule.mirror ? [] : rule.mirror));
      expect(back).toContain(id);
    }
  },
);

test.each(ruleTable)("$id states the reason and the advice in sentences", ({ reason, advice }) => {
  for (const text of [reason, advice]) expect(text).toMatch(/^[A-Zn].*\.$/);
});

test("explain prints rules as well as codes", async () => {
  const { code, stdout } = await mcpgen(".", ["explain", "enum-value-added"]);
  expect(code).toBe(0);
  expect(stdout).toContain("Readers: dangerous (breaking if they reject unknown values)");
  const wrong = await mcpgen(".", ["explain", "enum-value-aded"]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("Did you mean enum-value-added?");
});
