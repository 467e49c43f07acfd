import { expect, test } from "vitest";
import type { JsonValue } from "@mcpgen/engine";
import { schemaFrom, schemaOf } from "../support/revisions.js";
import { compile } from "../support/compiled-schema.js";
import type { Issue } from "@mcpgen/engine";

// Emitted checks with emitted validators on values that could take long. If the time grew with the square of a size,
// the test would time out.

const explanations = await compile(schemaOf("2026-07-28"));
const explain = (name: string, value: unknown): Issue[] => explanations.get(name)!.explain(value);

test("a million wrong items end the search early, and a million right ones do not hide a wrong one", () => {
  const nulls = { content: Array.from({ length: 1_000_000 }, () => null), resultType: "complete" };
  const issues = explain("CallToolResult", nulls);
  expect(issues).toHaveLength(16);
  const blocks: JsonValue[] = Array.from({ length: 1_000_000 }, () => ({ type: "text", text: "fine" }));
  const [only, ...others] = explain("CallToolResult", {
    content: [...blocks, { type: "text" }],
    resultType: "complete",
  });
  expect([only?.pointer, others]).toEqual(["/content/1000000/text", []]);
});

test("hundreds of thousands of unknown or wrongly typed keys end the search early", async () => {
  const closed = schemaFrom({
    Closed: { type: "object", properties: { a: {} }, required: ["a", "b", "c"], additionalProperties: false },
    Map: { type: "object", additionalProperties: { type: "string" }, propertyNames: { maxLength: 3 } },
  });
  const named = await compile(closed);
  const value = Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`key${index}`, index]));
  expect(named.get("Closed")!.explain(value)).toHaveLength(16);
  expect(named.get("Map")!.explain(value)).toHaveLength(16);
});

test.each([100, 5_000, 1_000_000])("values %i levels deep are judged", (depth) => {
  let value: unknown = () => "no JSON";
  let fine: unknown = 1;
  for (let level = 0; level < depth; level++) {
    value = level % 2 === 0 ? [value] : { a: value };
    fine = level % 2 === 0 ? [fine] : { a: fine };
  }
  const issues = explain("JSONValue", value);
  expect(issues).toHaveLength(1);
  expect(issues[0]?.expected).toMatch(/^JSON/);
  expect(explain("JSONValue", fine)).toEqual([]);
});
