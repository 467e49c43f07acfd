import { expect, test } from "vitest";
import { OutputChecks } from "../../../runtime/core/client/output-checks.js";
import { hardPatterns, judgingSteps } from "../../support/hard-patterns.js";

const wrong = { content: [], structuredContent: { a: 1 } };

/** A tool whose schema takes about 4 MB in memory. */
const tool = (index: number) => ({
  name: `t${index}`,
  inputSchema: { type: "object" as const },
  outputSchema: {
    type: "object" as const,
    description: "x".repeat(2_000_000),
    properties: { a: { type: "string" } },
  },
});

test("a client keeps the schemas of the latest tools when each list has other tools", async () => {
  const checks = new OutputChecks(() => {});
  for (let index = 0; index < 40; index++) checks.learn([tool(index)]);
  await expect(checks.check("t39", wrong)).rejects.toMatchObject({ code: "invalid-result" });
  await expect(checks.check("t30", wrong)).rejects.toMatchObject({ code: "invalid-result" });
  expect(checks.check("t0", wrong)).toBeUndefined();
});

test("a repeated schema counts once", async () => {
  const checks = new OutputChecks(() => {});
  checks.learn([tool(0)]);
  for (let count = 0; count < 40; count++) checks.learn([tool(1)]);
  await expect(checks.check("t0", wrong)).rejects.toMatchObject({ code: "invalid-result" });
});

test("the patterns of all tools of a server share one work budget, over all lists", async () => {
  const warnings: string[] = [];
  const checks = new OutputChecks((message) => void warnings.push(message));
  const steps = await judgingSteps(async () => {
    for (const list of ["first", "second"]) {
      const patterns = hardPatterns(50, list);
      checks.learn(
        patterns.map((pattern, index) => ({
          ...tool(index),
          outputSchema: { type: "object" as const, properties: { a: { type: "string", pattern } } },
        })),
      );
      for (const index of patterns.keys()) {
        const structuredContent = { a: `aa${list}${index}` };
        await checks.check(`t${index}`, { content: [], structuredContent });
        await expect(
          checks.check(`t${index}`, { content: [], structuredContent: { a: "b" } }),
        ).rejects.toMatchObject({ code: "invalid-result" });
      }
      checks.forget();
    }
  });
  expect(steps).toBeGreaterThan(900_000);
  expect(steps).toBeLessThanOrEqual(1_000_000);
  expect(warnings).toEqual([]);
});

test.each([
  ["a pattern that is none", { b: { type: "string", pattern: "(" } }, "/properties/b/pattern"],
  ["an unknown type", { b: { type: "any" } }, "/properties/b"],
  ["a reference to nothing", { b: { $ref: "#/$defs/none" } }, "/properties/b"],
  ["null in place of a keyword", { b: { type: "string", description: null } }, "/properties/b/description"],
])("%s: the rest of a schema is checked, and a warning names the part", async (_, broken, place) => {
  const warnings: string[] = [];
  const checks = new OutputChecks((message) => void warnings.push(message));
  const properties = { a: { type: "string" }, ...broken };
  checks.learn([{ ...tool(0), outputSchema: { type: "object", properties } as never }]);
  await expect(checks.check("t0", wrong)).rejects.toMatchObject({ code: "invalid-result" });
  await checks.check("t0", { content: [], structuredContent: { a: "text", b: "any" } });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(
    `structuredContent of t0 is not checked by tool "t0": outputSchema${place}: `,
  );
});
