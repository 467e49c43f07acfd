import { type JsonObject, type JsonValue, readSchema } from "@mcpgen/engine";
import { expect, test } from "vitest";
import { buildInstance, firstChoices, heightsOf } from "../../generator/sample/build.js";

function built(definition: JsonObject): JsonValue {
  const schema = readSchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: { A: definition },
  });
  const builder = { schema, choices: firstChoices(heightsOf(schema)) };
  return buildInstance(builder, [schema.definitions.get("A")!.node], 5, "example");
}

const list = (items: JsonObject): JsonObject => ({ type: "array", items, minItems: 100 });

test("nested arrays together have as few values as one array", () => {
  expect(built(list({ type: "null" }))).toHaveLength(100);
  const cube = built(list(list(list({ type: "null" })))) as JsonValue[][][];
  expect(cube.flat(3).length).toBeLessThan(20_000);
});

test("a sample of a definition that requires itself twice ends where it is too deep", () => {
  const ref = { $ref: "#/$defs/A" };
  const schema = readSchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: { A: { type: "object", properties: { a: ref, b: ref }, required: ["a", "b"] } },
  });
  const choices = firstChoices(heightsOf(schema));
  let objects = 0;
  const counting = {
    ...choices,
    type: (...given: Parameters<typeof choices.type>) => (objects++, choices.type(...given)),
  };
  buildInstance({ schema, choices: counting }, [schema.definitions.get("A")!.node], 5, "example");
  expect(objects).toBeLessThan(100);
});

test("a string has its minimum length, unless that is excessive", () => {
  expect(built({ type: "string", minLength: 5000 })).toHaveLength(5000);
  expect(built({ type: "string", minLength: 2 ** 40 })).toBe("example");
});

test.each([
  ["^sha256:[0-9a-f]{64}$", `sha256:${"a".repeat(64)}`],
  ["^(?:[^\\w]|\\d{4}-){2}(a|b)\\.x?$", "--a."],
  ["^\\p{Lu}[^a-zA-Z0-9]+Z$", "A-Z"],
  ["^x{100000}$", "example"],
])("a string with the pattern %s is %s", (pattern, text) => {
  expect(built({ type: "string", pattern })).toBe(text);
});
