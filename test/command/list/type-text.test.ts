import { expect, test } from "vitest";
import type { JsonValue } from "@mcpgen/engine";
import { typeText, promptSignature, toolSignature } from "../../../generator/command/signature.js";

test.each<[JsonValue, string]>([
  [true, "any"],
  [{}, "any"],
  [false, "never"],
  [{ type: "string", minLength: 3 }, "string"],
  [{ type: ["string", "null"] }, "string | null"],
  [{ enum: ["a", 1, null] }, '"a" | 1 | null'],
  [{ const: "a" }, '"a"'],
  [{ type: "array" }, "any[]"],
  [{ type: "array", items: { type: "string" } }, "string[]"],
  [{ type: "array", items: { enum: ["a", "b"] } }, '("a" | "b")[]'],
  [{ type: "array", items: { type: "object", properties: { a: { type: "string" } } } }, "{ a?: string }[]"],
  [{ anyOf: [{ type: "string" }, { type: "string" }, { type: "number" }] }, "string | number"],
  [{ type: "object" }, "object"],
  [{ type: "object", additionalProperties: { type: "integer" } }, "{ [name]: integer }"],
  [
    { properties: { "a b": { type: "string" }, c: { type: "integer", default: 3 } }, required: ["c"] },
    '{ c: integer = 3, "a b"?: string }',
  ],
  [{ $ref: "#/$defs/A", $defs: { A: { type: "string" } } }, "string"],
  [{ $ref: "#/$defs/a~1b%20c", $defs: { "a/b c": { type: "boolean" } } }, "boolean"],
  [{ $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } }, "any"],
  [{ $ref: "https://example.com/x" }, "any"],
  [{ $ref: "#/$defs/constructor" }, "any"],
])("%j is %s", (schema, expected) => {
  expect(typeText(schema, schema)).toBe(expected);
});

test("a recursive schema does not cause an endless text", () => {
  const tree = {
    type: "object",
    properties: { next: { $ref: "#" }, list: { type: "array", items: { $ref: "#" } } },
  };
  expect(typeText(tree, tree)).toMatch(/^\{ next\?: \{ next\?: \{ next\?: object/);
  const loop = { anyOf: [{ $ref: "#" }, { type: "string" }] };
  expect(typeText(loop, loop)).toBe("any | string");
});

test("a schema that multiplies itself does not take longer than others", () => {
  const members = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`m${index}`, { $ref: "#" }]));
  const wide = { type: "object", properties: members, anyOf: Object.values(members) };
  expect(typeText(wide, wide).length).toBeLessThan(20_000);
});

test("signatures that fit are on one line", () => {
  const inputSchema = {
    type: "object",
    properties: { units: { enum: ["metric", "imperial"], default: "metric" }, city: { type: "string" } },
    required: ["city"],
  };
  const outputSchema = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] };
  expect(toolSignature({ name: "get_weather", inputSchema, outputSchema })).toBe(
    'get_weather(city: string, units?: "metric" | "imperial" = "metric") → { celsius: number }',
  );
  const many = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`argument${index}`, { type: "string" }]),
  );
  expect(
    toolSignature({ name: "t", inputSchema: { type: "object", properties: many } }).split("\n"),
  ).toHaveLength(14);
  expect(toolSignature({ name: "t" })).toBe("t()");
  expect(
    promptSignature({ name: "review", arguments: [{ name: "code", required: true }, { name: "style" }] }),
  ).toBe("review(code, style?)");
});
