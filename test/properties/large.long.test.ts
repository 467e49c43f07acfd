import { expect, test } from "vitest";
import type { JsonValue } from "@mcpgen/engine";
import { schemaFrom, schemaOf } from "../support/revisions.js";
import { compile } from "../support/compiled-schema.js";
import type { Issue } from "../support/emitted-checks.js";

// Emitted checks with emitted validators on values that are made to take long. What would take the
// square of a size runs into the time limit.

const checks = await compile(schemaOf("2026-07-28"));
const check = (name: string, value: unknown): Issue[] => checks.get(name)!.check(value);

test("a million wrong items end the search at once, a million right ones do not hide the wrong one", () => {
  const nulls = { content: Array.from({ length: 1_000_000 }, () => null), resultType: "complete" };
  const issues = check("CallToolResult", nulls);
  expect(issues).toHaveLength(16);
  const blocks: JsonValue[] = Array.from({ length: 1_000_000 }, () => ({ type: "text", text: "fine" }));
  const [only, ...others] = check("CallToolResult", {
    content: [...blocks, { type: "text" }],
    resultType: "complete",
  });
  expect([only?.pointer, others]).toEqual(["/content/1000000/text", []]);
});

test("hundreds of thousands of unknown or ill-typed keys end the search at once", async () => {
  const closed = schemaFrom({
    Closed: { type: "object", properties: { a: {} }, required: ["a", "b", "c"], additionalProperties: false },
    Map: { type: "object", additionalProperties: { type: "string" }, propertyNames: { maxLength: 3 } },
  });
  const named = await compile(closed);
  const value = Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`key${index}`, index]));
  expect(named.get("Closed")!.check(value)).toHaveLength(16);
  expect(named.get("Map")!.check(value)).toHaveLength(16);
});

test.each([100, 5_000, 1_000_000])("values %i levels deep are judged", (depth) => {
  let value: unknown = () => "no JSON";
  let fine: unknown = 1;
  for (let level = 0; level < depth; level++) {
    value = level % 2 === 0 ? [value] : { a: value };
    fine = level % 2 === 0 ? [fine] : { a: fine };
  }
  const issues = check("JSONValue", value);
  expect(issues).toHaveLength(1);
  expect(issues[0]?.expected).toMatch(/^JSON/);
  expect(check("JSONValue", fine)).toEqual([]);
});
