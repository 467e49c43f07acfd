import { beforeAll, expect, test } from "vitest";
import { deadAnchors, policyFaults } from "./page-faults.js";
import { mcpgen } from "../support/in-process.js";

let page: string;

beforeAll(async () => {
  page = (await mcpgen(".", ["diff", "2025-11-25", "2026-07-28", "--format", "html"])).stdout;
});

test("the page of a diff shows breaking changes first, each finding with both sides and its proof", async () => {
  const headings = [...page.matchAll(/<h2 id="([^"]*)"/g)].map(([, id]) => id);
  expect(headings.slice(0, 2)).toEqual(["breaking-both", "breaking-client"]);
  expect(headings.at(-1)).toBe("safe");
  const { stdout } = await mcpgen(".", ["diff", "2025-11-25", "2026-07-28", "--json"]);
  const { findings } = JSON.parse(stdout) as { findings: { fingerprint: string }[] };
  // The document holds findings of the diff and warnings of the run.
  const fingerprints = findings.flatMap(({ fingerprint }) => fingerprint ?? []);
  expect(fingerprints.length).toBeGreaterThan(50);
  for (const fingerprint of fingerprints) expect(page).toContain(`id="finding-${fingerprint}"`);
  expect(page).toMatch(/refuses it<\/span>/);
});

test("all its links have targets, and its policy allows its parts", () => {
  expect(deadAnchors(page)).toEqual([]);
  expect(policyFaults(page)).toEqual([]);
});

test("check refuses a page without --server", async () => {
  const { code, stderr } = await mcpgen(".", ["check", "--format", "html"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("MG2005")]);
});
