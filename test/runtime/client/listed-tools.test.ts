import { expect, test } from "vitest";
import { ListedTools } from "../../../runtime/core/client/listed-tools.js";
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
  const tools = new ListedTools(() => {});
  for (let index = 0; index < 40; index++) tools.learn([tool(index)], false);
  await expect(tools.check("t39", wrong)).rejects.toMatchObject({ code: "invalid-result" });
  await expect(tools.check("t30", wrong)).rejects.toMatchObject({ code: "invalid-result" });
  expect(tools.check("t0", wrong)).toBeUndefined();
});

test("the names of tools count with the bytes that they take", () => {
  const tools = new ListedTools(() => {});
  // 30 MB each: two of them are as much as the client keeps.
  const names = ["a", "b", "c"].map((first) => first + "é".repeat(15_000_000));
  for (const name of names)
    tools.learn([{ name, inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }], false);
  expect(names.map((name) => tools.isRepeatable(name))).toEqual([false, true, true]);
});

test("a repeated schema counts once", async () => {
  const tools = new ListedTools(() => {});
  tools.learn([tool(0)], false);
  for (let count = 0; count < 40; count++) tools.learn([tool(1)], false);
  await expect(tools.check("t0", wrong)).rejects.toMatchObject({ code: "invalid-result" });
});

test("the patterns of all tools of a server share one work budget, over all lists", async () => {
  const warnings: string[] = [];
  const tools = new ListedTools((message) => void warnings.push(message));
  const steps = await judgingSteps(async () => {
    for (const list of ["first", "second"]) {
      const patterns = hardPatterns(50, list);
      const listed = patterns.map((pattern, index) => ({
        ...tool(index),
        outputSchema: { type: "object" as const, properties: { a: { type: "string", pattern } } },
      }));
      tools.learn(listed, false);
      for (const index of patterns.keys()) {
        const structuredContent = { a: `aa${list}${index}` };
        await tools.check(`t${index}`, { content: [], structuredContent });
        await expect(
          tools.check(`t${index}`, { content: [], structuredContent: { a: "b" } }),
        ).rejects.toMatchObject({ code: "invalid-result" });
      }
      tools.forget();
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
  const tools = new ListedTools((message) => void warnings.push(message));
  const properties = { a: { type: "string" }, ...broken };
  tools.learn([{ ...tool(0), outputSchema: { type: "object", properties } as never }], false);
  await expect(tools.check("t0", wrong)).rejects.toMatchObject({ code: "invalid-result" });
  await tools.check("t0", { content: [], structuredContent: { a: "text", b: "any" } });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(
    `structuredContent of t0 is not checked by tool "t0": outputSchema${place}: `,
  );
});
