import { describe, expect, it } from "vitest";
import { validatorsOf } from "./emitted.js";
import { schemaFrom } from "../../../support/revisions.js";

/** The text from `start` to the end of its function. */
function functionIn(text: string, start: string): string {
  const from = text.indexOf(start);
  return text.slice(from, text.indexOf("\n}\n", from) + 2);
}

const definitions = {
  Call: {
    type: "object",
    properties: {
      jsonrpc: { const: "2.0" },
      method: { const: "call" },
      id: { $ref: "#/$defs/Id" },
      params: {
        type: "object",
        properties: {
          name: { type: "string" },
          arguments: { type: "object" },
          _meta: { type: "object", additionalProperties: {} },
        },
        required: ["name"],
      },
      tags: { type: "array", items: { type: "string" } },
      priority: { type: "number", minimum: 0, maximum: 1 },
      icons: { type: "array", items: { $ref: "#/$defs/Icon" } },
    },
    required: ["jsonrpc", "method", "id", "params"],
  },
  Icon: {
    type: "object",
    properties: { src: { type: "string" }, theme: { enum: ["light", "dark"] } },
    required: ["src"],
  },
  Id: { type: ["string", "integer"] },
  Item: { anyOf: [{ $ref: "#/$defs/Call" }, { $ref: "#/$defs/Note" }] },
  Note: { type: "object", properties: { method: { const: "note" } }, required: ["method"] },
};

describe("emitted validators read as if written by hand", () => {
  const text = validatorsOf(schemaFrom(definitions));

  it("begin with the line that turns the compiler off, which only works before any code", () => {
    expect(text).toMatch(/^\/\/ Generated .*\n\/\/ @ts-nocheck .*\n\n/);
  });

  it("an object: constants, required scalars, required members, optional ones", () => {
    expect(functionIn(text, "export function isCall(")).toBe(`\
export function isCall(value: unknown): value is types.Call {
  if (!isObject(value)) return false;
  if (value["jsonrpc"] !== "2.0") return false;
  if (value["method"] !== "call") return false;
  if (!isId(value["id"])) return false;
  const params = value["params"];
  if (!isObject(params)) return false;
  if (typeof params["name"] !== "string") return false;
  if (!isOptionalObject(params["arguments"])) return false;
  if (!isOptionalObject(params["_meta"])) return false;
  const priority = value["priority"];
  if (
    priority !== undefined &&
    (typeof priority !== "number" || !Number.isFinite(priority) || priority < 0 || priority > 1)
  ) {
    return false;
  }
  const tags = value["tags"];
  if (tags !== undefined && !isStrings(tags)) return false;
  const icons = value["icons"];
  if (icons !== undefined) {
    if (!Array.isArray(icons)) return false;
    for (const item of icons) if (!isIcon(item)) return false;
  }
  return true;
}`);
  });

  it("scalars", () => {
    expect(functionIn(text, "export function isId(")).toBe(`\
export function isId(value: unknown): value is types.Id {
  return Number.isInteger(value) || typeof value === "string";
}`);
  });

  it("a union by its discriminator", () => {
    expect(functionIn(text, "export function isItem(")).toBe(`\
export function isItem(value: unknown): value is types.Item {
  if (!isObject(value)) return false;
  switch (value["method"]) {
    case "call":
      return isCall(value);
    case "note":
      return isNote(value);
    default:
      return false;
  }
}`);
  });
});

describe("locals of one function", () => {
  const list = { type: "array", items: { $ref: "#/$defs/Icon" } };
  const schema = { type: "object", properties: { list, items: { type: "object" } } };
  const pair = { type: "object", properties: { inputSchema: schema, outputSchema: schema } };
  const text = validatorsOf(schemaFrom({ Icon: definitions.Icon, Pair: pair }));

  it("are named by their path if two have the same last word", () => {
    const pairText = functionIn(text, "export function isPair(");
    expect(pairText).toContain('const list = inputSchema["list"];');
    expect(pairText).toContain('const outputSchemaList = outputSchema["list"];');
    expect(pairText).toContain("for (const outputSchemaListItem of outputSchemaList) if (");
    expect(pairText).not.toMatch(/[a-z]2\b/);
  });
});
