import { describe, expect, test } from "vitest";
import { type JsonValue, atPointer, readDocument } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { minimallyInvalid, mutants } from "../../generator/sample/invalid.js";
import { randomFrom } from "../../generator/sample/values.js";
import { minimalValid } from "../../generator/sample/sample.js";
import { revisions, schemaOf } from "../support/revisions.js";

const schema = schemaOf("2025-11-25");
const message: JsonValue = {
  role: "user",
  content: [
    { type: "text", text: "hello" },
    { type: "tool_result", toolUseId: "1", content: [] },
  ],
};
const found = mutants(schema, "SamplingMessage", message, randomFrom("mutants"));

test("the instance itself is not changed", () => {
  const before = JSON.stringify(message);
  mutants(schema, "SamplingMessage", message, randomFrom("again"));
  expect(JSON.stringify(message)).toBe(before);
});

test("changes of every kind are made, at every depth", () => {
  const kinds = new Set(found.map((mutant) => mutant.kind));
  expect([...kinds].sort()).toEqual([
    "added",
    "arm",
    "constant",
    "dropped",
    "item",
    "null",
    "prototype",
    "renamed",
    "string",
    "type",
  ]);
  const places = new Set(found.map((mutant) => mutant.pointer));
  for (const place of ["", "/role", "/content", "/content/0", "/content/0/type", "/content/1/content"]) {
    expect(places).toContain(place);
  }
});

test("each mutant names the changed place, and is equal elsewhere", () => {
  for (const { pointer, value } of found) {
    if (pointer !== "/content/0/type") continue;
    expect(atPointer(value, pointer)).not.toBe("text");
    expect(atPointer(value, "/content/1")).toEqual(atPointer(message, "/content/1"));
  }
});

test("the tags of other arms are tried", () => {
  const tags = found
    .filter(({ pointer }) => pointer === "/content/0/type")
    .map(({ value }) => atPointer(value, "/content/0/type"));
  expect(tags).toEqual(expect.arrayContaining(["image", "texts"]));
});

test("an own __proto__ is a key, not a prototype", () => {
  const { value } = found.find(({ kind, pointer }) => kind === "prototype" && pointer === "")!;
  expect(Object.hasOwn(value as object, "__proto__")).toBe(true);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test("objects and arrays from constants of the schema are ordinary copies", () => {
  const { definitions } = readDocument({ $defs: { Limit: { enum: ["none", { max: { of: [{}] } }] } } });
  const made = mutants({ definitions }, "Limit", "none", randomFrom("constants"));
  const { value } = made.find((mutant) => mutant.kind === "constant" && typeof mutant.value === "object")!;
  expect(value).toStrictEqual({ max: { of: [{}] } });
  const constants = definitions.get("Limit")!.node.enum!;
  expect(constants).not.toContain(value);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

describe.each(revisions)("%s", (revision) => {
  const revisionSchema = schemaOf(revision);

  test("every definition that refuses anything has minimally invalid instances", () => {
    for (const [name, { node }] of revisionSchema.definitions) {
      const invalid = minimallyInvalid(revisionSchema, name, 3);
      for (const { value } of invalid) expect(isValid(revisionSchema, node, value), name).toBe(false);
      if (minimalValid(revisionSchema, name) !== undefined) expect(invalid.length, name).toBeGreaterThan(0);
    }
  });
});

test("minimally invalid instances are the same at each call, and of different kinds first", () => {
  const first = minimallyInvalid(schema, "CallToolRequest", 4);
  expect(minimallyInvalid(schema, "CallToolRequest", 4)).toEqual(first);
  expect(new Set(first.map(({ kind }) => kind)).size).toBe(4);
});
