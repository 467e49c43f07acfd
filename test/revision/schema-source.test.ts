import { describe, expect, test } from "vitest";
import { type SchemaErrorCode, SchemaError } from "@mcpgen/engine";
import { CodedError } from "../../generator/diagnostics/coded-error.js";
import { catalogue } from "../../generator/diagnostics/catalogue.js";
import {
  undocumented,
  annotateSchema,
  canonicalDocument,
  withPlaces,
} from "../../generator/revision/schema-source.js";
import { parseJson } from "../../generator/files/json-file.js";

/** The error for a schema file that cannot be read. */
async function refusal(text: string): Promise<CodedError> {
  const file = await parseJson(text, "schema.json");
  try {
    const document = await canonicalDocument(file);
    await annotateSchema(file, document, [], { docs: undocumented, revision: "r" });
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

describe("an error of the engine becomes a coded one", () => {
  test.each<[SchemaErrorCode, string, string, string]>([
    ["not-a-schema", '{\n"$defs": {\n"A": 5}}', "MG1101", "/$defs/A"],
    ["malformed-keyword", '{\n"$defs": {\n"A": {"required": 5}}}', "MG1102", "/$defs/A/required"],
    ["unsupported-keyword", '{\n"$defs": {\n"A": {"propertis": {}}}}', "MG1103", "/$defs/A/propertis"],
    [
      "unsupported-dialect",
      '{\n\n"$schema": "http://json-schema.org/draft-03/schema#"}',
      "MG1104",
      "/$schema",
    ],
    [
      "unresolved-reference",
      '{\n"$defs": {"Any": true,\n"A": {"$ref": "#/$defs/Amy"}}}',
      "MG1105",
      "/$defs/A/$ref",
    ],
    ["remote-reference", '{\n"$defs": {\n"A": {"$ref": "a.json"}}}', "MG1106", "/$defs/A/$ref"],
    ["circular-reference", '{\n"$defs": {\n"A": {"$ref": "#/$defs/A"}}}', "MG1107", "/$defs/A"],
    [
      "too-deep",
      `{\n"$defs": {\n"A": ${'{"items":'.repeat(600)}{}${"}".repeat(600)}}}`,
      "MG1108",
      "/$defs/A/items",
    ],
    ["unsafe-pattern", '{\n"$defs": {\n"A": {"pattern": "^(?:(a+)+\\\\1)$"}}}', "MG1110", "/$defs/A/pattern"],
  ])("%s, with the line", async (_, text, code, pointer) => {
    const error = await refusal(text);
    expect(error.code).toBe(code);
    expect(error.exitCode).toBe(3);
    expect(error.place).toMatchObject({ file: "schema.json", line: 3 });
    expect(error.place!.pointer!.startsWith(pointer)).toBe(true);
    expect(error.next).toMatch(/^[A-Z].*[.?]$/);
    expect(error.cause).toBeInstanceOf(SchemaError);
  });

  test("with the probably intended name", async () => {
    const misnamed = '{"$defs": {"Any": true, "A": {"$ref": "#/$defs/Amy"}}}';
    expect((await refusal(misnamed)).next).toBe("Did you mean Any?");
    expect((await refusal('{"$defs": {"A": {"propertis": {}}}}')).next).toBe("Did you mean properties?");
    expect((await refusal('{"$defs": {"A": {"type": "strin"}}}')).next).toBe("Did you mean string?");
  });

  test("and other errors do not change", async () => {
    const work = (): never => {
      throw new TypeError("ours");
    };
    await expect(withPlaces({ file: "f" }, work)).rejects.toBeInstanceOf(TypeError);
  });
});

describe("the place refers to the file, not to the canonical form", () => {
  test("in draft-07, where definitions have another key", async () => {
    const text =
      '{"definitions": {\n "B": {"type": "string"},\n "A": {"items": [true,\n {"type": "strin"}]}}}';
    expect((await refusal(text)).place).toEqual({
      file: "schema.json",
      pointer: "/definitions/A/items/1/type",
      line: 4,
      column: 11,
    });
  });

  test("in a union, whose arms are put in another order", async () => {
    const text = `{"$defs": {"A": {"anyOf": [
      {"type": "string"},
      {"type": "boolean", "propertis": {}},
      {"type": "array"}]}}}`;
    expect((await refusal(text)).place).toMatchObject({ pointer: "/$defs/A/anyOf/1/propertis", line: 3 });
  });

  test("in a set of names, by the line of the set", async () => {
    const text = '{"$defs": {\n"A": {\n"required": ["b", 1, "a"]}}}';
    expect((await refusal(text)).place).toMatchObject({ line: 3 });
  });
});

describe("a document without definitions is refused", () => {
  test.each(["{}", '{"$defs": {}}', '{"type": "object"}', '{"definitions": {}}'])("%s", async (text) => {
    expect(await refusal(text)).toMatchObject({ code: "MG1109" });
  });
});

test.each(["null", "[]", "1", '"text"', "true"])("%s is refused as a schema", async (text) => {
  expect(await refusal(text)).toMatchObject({ code: "MG1101", place: { line: 1, column: 1 } });
});

test("every code has a long form", () => {
  for (const code of [
    "MG1101",
    "MG1102",
    "MG1103",
    "MG1104",
    "MG1105",
    "MG1106",
    "MG1107",
    "MG1108",
    "MG1109",
    "MG1110",
  ]) {
    expect(catalogue[code as keyof typeof catalogue].explanation.length).toBeGreaterThan(80);
  }
});
