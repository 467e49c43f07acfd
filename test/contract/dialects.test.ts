import { expect, test } from "vitest";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";

const draft04 = "http://json-schema.org/draft-04/schema#";

const generated = async (schema: object) => {
  const contract = {
    name: "n",
    version: "1",
    tools: [{ name: "t", inputSchema: { type: "object", ...schema } }],
  };
  const document = await readContract(JSON.stringify(contract), "c.json");
  return generateContract({ document, role: "server", importExtension: "js" });
};

test("schemas of older dialects are accepted, with their own meaning", async () => {
  const { files, warnings } = await generated({
    $schema: draft04,
    properties: { a: { type: "number", minimum: 1, exclusiveMinimum: true } },
  });
  expect(warnings).toEqual([]);
  expect(files.get("checks/schemas/validators.ts")).toMatch(/a > 1/);
  // The server lists the schemas of the contract without change.
  expect(files.get("contract.ts")).toMatch(/"exclusiveMinimum": true/);
});

test.each([
  [draft04, { const: 1 }, "const", "draft-04"],
  [
    "http://json-schema.org/draft-07/schema#",
    { dependentRequired: { a: [] } },
    "dependentRequired",
    "draft-07",
  ],
  ["https://json-schema.org/draft/2019-09/schema", { prefixItems: [true] }, "prefixItems", "2019-09"],
])("a keyword that %s does not have is reported", async ($schema, a, keyword, dialect) => {
  const { warnings } = await generated({ $schema, properties: { a } });
  expect(warnings).toEqual([
    expect.objectContaining({
      code: "MG6008",
      severity: "warning",
      message: `the tool "t": ${dialect} has no keyword "${keyword}"`,
      place: expect.objectContaining({
        file: "c.json",
        pointer: `/tools/0/inputSchema/properties/a/${keyword}`,
      }),
    }),
  ]);
});

test("a dialect that cannot be read is refused", async () => {
  await expect(generated({ $schema: "http://json-schema.org/draft-03/schema#" })).rejects.toMatchObject({
    code: "MG6005",
    place: { pointer: "/tools/0/inputSchema/$schema" },
  });
});
