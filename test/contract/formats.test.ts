import { expect, test } from "vitest";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { explainRefusal } from "@mcpgen/engine/explain";
import { readDocument } from "@mcpgen/engine";
import { type Schema, isValid } from "@mcpgen/engine/interpreter";

const schema = { type: "object", properties: { when: { type: "string", format: "date-time" } } } as const;

const validatorsWith = async (formats?: "annotation" | "assertion") => {
  const contract = {
    name: "n",
    version: "1",
    tools: [{ name: "t", inputSchema: schema, outputSchema: schema }],
  };
  const document = await readContract(JSON.stringify(contract), "c.json");
  const request = { document, role: "both", importExtension: "js", ...(formats && { formats }) } as const;
  return (await generateContract(request)).files;
};

test("formats describe, and are checked on request", async () => {
  const described = await validatorsWith();
  expect(described.get("checks/schemas/validators.ts")).not.toContain("textFormats");
  expect(await validatorsWith("annotation")).toEqual(described);
  const checked = await validatorsWith("assertion");
  expect(checked.get("checks/schemas/validators.ts")!.match(/textFormats\.\w+\(/g)).toHaveLength(2);
  expect([...checked.keys()]).toContain("checks/schemas/formats.ts");
});

test("a violated format is explained, even if the schema alone finds no problem", () => {
  const read = { ...readDocument(schema), assertsFormats: true };
  const judge = (value: unknown): boolean => isValid(read as Schema, read.root!, value as never);
  expect(explainRefusal(judge, schema, { when: "soon" })).toBe(
    'when: expected a string of the format "date-time", got "soon" (string)',
  );
});
