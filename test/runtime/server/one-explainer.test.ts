import { expect, test } from "vitest";
import { readDocument } from "@mcpgen/engine";
import { validatorOf } from "@mcpgen/engine/interpreter";
import type { Judge } from "@mcpgen/protocol/model";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type JsonSchema, createServer, defineToolServer, toolCheck } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";

type Property = { readonly [keyword: string]: unknown };

const revisions = serverRevisions;
const info = { name: "s", version: "1" };

const formOf = (property: Property): JsonSchema => ({
  type: "object",
  required: ["p"],
  properties: { p: property },
});

/** The text of a tool's result, at the newest revision before multi round-trip requests. */
async function answerOf(
  server: Parameters<typeof createTestPair>[0]["server"],
  args: Record<string, unknown>,
  content: Record<string, unknown> = {},
): Promise<string> {
  const pair = await createTestPair({
    server,
    revisions: clientRevisions,
    revision: "2025-11-25",
    elicit: () => ({ action: "accept", content: content as never }),
  });
  const result = await pair.client.callTool("t", args);
  await pair.close();
  return (result.content[0] as { text: string }).text;
}

function codeFirst(inputSchema: JsonSchema) {
  const server = createServer(info, { revisions, onEvent: () => true });
  server.tool("t", { inputSchema }, () => "taken");
  return server;
}

function ofContract(inputSchema: JsonSchema) {
  const judge = validatorOf(readDocument(inputSchema as never)) as Judge;
  return defineToolServer(
    { ...info, tools: [{ name: "t", inputSchema: inputSchema as never }] },
    { tools: { t: () => "taken" } },
    { revisions, checks: { t: { input: toolCheck(judge, () => inputSchema) } } },
  );
}

function asking(requestedSchema: JsonSchema) {
  const server = createServer(info, { revisions, onEvent: () => true });
  server.tool("t", {}, async (_, { ask }) => {
    const { action } = await ask.elicit("k", { message: "?", requestedSchema: requestedSchema as never });
    return action;
  });
  return server;
}

// `asking` asks the client for the property, so each must be allowed in a form.
test.each<[string, Property, unknown, string]>([
  ["a type", { type: "number" }, "3", 'p: expected number, got "3" (string)'],
  ["an exclusive bound", { type: "number", exclusiveMinimum: 5 }, 3, "p: expected > 5, got 3 (number)"],
  ["a bound", { type: "integer", minimum: 5 }, 3, "p: expected at least 5, got 3 (number)"],
  ["a length", { type: "string", minLength: 2 }, "x", "p: expected at least 2 characters, got 1"],
  ["nothing", { type: "string" }, undefined, "p: expected string, got nothing"],
  [
    "a choice",
    { type: "string", enum: ["celsius", "kelvin"] },
    "kelvn",
    'p: expected one of "celsius", "kelvin", got "kelvn" (string); did you mean "kelvin"?',
  ],
  [
    "items",
    { type: "array", items: { type: "string", enum: ["a", "b"] }, maxItems: 2 },
    ["a", "b", "c"],
    'p: expected at most 2 items, got 3\np[2]: expected one of "a", "b", got "c" (string)',
  ],
])("%s is explained alike in code, by contract and in a form", async (_, property, value, sentence) => {
  const schema = formOf(property);
  const given = value === undefined ? {} : { p: value };
  const wrong = `the arguments are wrong: ${sentence}`;
  expect(await answerOf(codeFirst(schema), given)).toBe(wrong);
  expect(await answerOf(ofContract(schema), given)).toBe(wrong);
  const inForm = sentence.replaceAll(/^p/gm, "content.p");
  expect(await answerOf(asking(schema), {}, given)).toContain(`does not fit the form: ${inForm}`);
});

test("a member of a form's answer that is undefined counts as absent", async () => {
  const form: JsonSchema = { type: "object", properties: { p: { type: "string" } } };
  expect(await answerOf(asking(form), {}, { p: undefined })).toBe("accept");
});
