import { expect, test } from "vitest";
import type { Contract } from "../../generator/contract/contract.js";
import { diffContracts } from "../../generator/diff/contract/diff-contracts.js";
import { readToolSchemas } from "../../generator/contract/emit/tool-schemas.js";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { hardPatterns, judgingSteps } from "../support/hard-patterns.js";

const ordinary = "^[a-z]+(-[a-z]+)*$";

/** A contract with one tool for each pattern, and a last tool with an ordinary pattern. */
const contractOf = (patterns: readonly string[], more: object = {}): Contract => ({
  name: "n",
  version: "1",
  tools: [...patterns, ordinary].map((pattern, index) => ({
    name: `t${index}`,
    inputSchema: { type: "object", properties: { a: { type: "string", pattern, ...more } } },
  })),
});

test("the patterns of a contract's tools are analysed with the budget of one document, and emitted accordingly", async () => {
  const count = 20;
  const contract = contractOf(hardPatterns(count, "contract"));
  const document = await readContract(JSON.stringify(contract), "c.json");
  let files: ReadonlyMap<string, string> = new Map();
  const steps = await judgingSteps(async () => {
    ({ files } = await generateContract({ document, role: "both", importExtension: "js" }));
  });
  expect(steps).toBeGreaterThan(900_000);
  expect(steps).toBeLessThanOrEqual(1_000_000);
  const [, content = ""] = [...files].find(([path]) => path.endsWith("validators.ts"))!;
  expect(content.match(/textPatterns\.linearMatcher\(/g)).toHaveLength(count + 1);
  expect([...files.keys()].some((path) => path.endsWith("patterns.ts"))).toBe(true);
});

test("in every run, the platform matches a simple pattern of a contract", async () => {
  const document = await readContract(JSON.stringify(contractOf([])), "c.json");
  for (let run = 0; run < 2; run++) {
    const { files } = await generateContract({ document, role: "both", importExtension: "js" });
    const [, content = ""] = [...files].find(([path]) => path.endsWith("validators.ts"))!;
    expect(content).toContain(`/${ordinary}/u`);
    expect([...files.keys()].some((path) => path.endsWith("patterns.ts"))).toBe(false);
  }
});

test("a pattern beyond the budget without an automaton is reported at its place", () => {
  const contract = contractOf([...hardPatterns(20, "unread"), "^([a-z]{4})-\\1$"]);
  const unread = readToolSchemas(contract).flatMap((tool) => tool.unread);
  expect(unread.map(({ pointer }) => pointer)).toEqual(["/tools/20/inputSchema/properties/a/pattern"]);
});

test("two contracts are compared with the budget of one document each, plus a little per pattern for samples", async () => {
  const patterns = hardPatterns(40, "compared");
  const steps = await judgingSteps(() => {
    const findings = diffContracts(contractOf(patterns), contractOf(patterns, { maxLength: 300 }));
    expect(findings.length).toBeGreaterThan(0);
  });
  expect(steps).toBeGreaterThan(1_000_000);
  expect(steps).toBeLessThanOrEqual(2_000_000 + 20_000 * patterns.length);
});
