import { expect, test } from "vitest";
import { devPage } from "../../generator/command/dev/page.js";
import { loadTemplates } from "../../generator/print/templates.js";
import { policyFaults } from "./page-faults.js";

test("the page of dev is at most 150 KB, and its policy allows its parts", () => {
  const { text, policy } = devPage(loadTemplates());
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(150_000);
  // The one link that leads to the loop, which serves the page.
  expect(policyFaults(text)).toEqual(['<a class="button" href="recording" download>']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});
