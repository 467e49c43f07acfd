import fc from "fast-check";
import { expect, test } from "vitest";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { cases } from "../support/cases.mjs";
import { projectConfig, compilerOutput } from "../support/typescript-compiler.js";

const names = [
  ...[
    "constructor",
    "toString",
    "__proto__",
    "then",
    "prototype",
    "hasOwnProperty",
    "await",
    "class",
    "default",
  ],
  ...[
    "tools",
    "client",
    "arguments",
    "Arguments",
    "Result",
    "types",
    "checks",
    "string",
    "never",
    "globalThis",
  ],
  ...[
    "天気",
    "予報-天気",
    "прогноз",
    "ПРОГНОЗ",
    "café",
    "cafe\u0301",
    "مرحبا",
    "हिन्दी",
    "🎉",
    "🎉🎉",
    "1",
    "1st",
    "ﬁle",
  ],
  ...["get-user", "get_user", "getUser", "Get User", "a.b/c", "--", "_", "$", "a\u200db", "x".repeat(64)],
];

test("output compiles, whatever the names of a contract's entries", async () => {
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(names, { minLength: names.length / 2 }), async (drawn) => {
      const contract = {
        ...{ name: "odd", version: "1", capabilities: { completions: {} } },
        tools: drawn.map((name) => ({
          name,
          inputSchema: { type: "object", properties: { [name]: { type: "string" } } },
          outputSchema: { type: "object", properties: { [name]: { type: "number" } }, required: [name] },
        })),
        prompts: drawn.map((name) => ({
          name,
          arguments: [{ name: "constructor" }, { name: "a-b", required: true }],
        })),
        resources: drawn.map((name, index) => ({ name, uri: `r:${index}` })),
        resourceTemplates: drawn.map((name, index) => ({ name, uriTemplate: `t:${index}/{x}` })),
      };
      const document = await readContract(JSON.stringify(contract), "c.json");
      const { files } = await generateContract({ document, role: "both", importExtension: "js" });
      expect(await compilerOutput(files, projectConfig)).toBe("");
    }),
    { numRuns: cases(20, 2) },
  );
});
