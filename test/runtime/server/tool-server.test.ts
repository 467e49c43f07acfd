import { expect, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { defineToolServer, toolCheck } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";

const inputSchema = {
  type: "object",
  required: ["unit"],
  properties: { unit: { enum: ["celsius", "kelvin"] } },
} as const;
const contract = { name: "t", version: "1", tools: [{ name: "a", inputSchema }] };
const isUnit = (value: unknown): boolean =>
  ["celsius", "kelvin"].includes((value as { readonly unit?: string }).unit!);
const options = {
  revisions: serverRevisions,
  checks: { a: { input: toolCheck(isUnit, () => inputSchema) } },
};
const handlers = { tools: { a: () => "fine" } };

test("a server with only tools answers, and explains wrong arguments by the schema", async () => {
  const server = defineToolServer(contract, handlers, options);
  const { client, close } = await createTestPair({
    server,
    revisions: clientRevisions,
    revision: "2026-07-28",
  });
  expect((await client.callTool("a", { unit: "kelvin" })).content).toMatchObject([{ text: "fine" }]);
  const { isError, content } = await client.callTool("a", { unit: "kelvn" });
  expect([isError, content]).toMatchObject([
    true,
    [
      {
        text: 'the arguments are wrong: unit: expected one of "celsius", "kelvin", got "kelvn" (string); did you mean "kelvin"?',
      },
    ],
  ]);
  await close();
});

test.each([
  ["resources", { ...contract, resources: [] }, handlers, options],
  ["prompts", contract, { ...handlers, prompts: {} }, options],
  ["completions", contract, handlers, { ...options, capabilities: { completions: {} } }],
])("features other than tools are refused: %s", (kind, some, given, chosen) => {
  expect(() => defineToolServer(some, given, chosen)).toThrow(`${kind}: only defineServer takes them.`);
});
