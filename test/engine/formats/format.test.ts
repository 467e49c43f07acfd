import { expect, test } from "vitest";
import { type JsonValue, formats, readDocument } from "@mcpgen/engine";
import { isValid, validatorOf } from "@mcpgen/engine/interpreter";

// What is and is not of a format, the official tests say (suite.test.ts); here is what they do not ask.

const schema = readDocument({ properties: { at: { format: "date-time" }, other: { format: "of-my-own" } } });

test("formats describe, unless they are to be asserted", () => {
  expect(validatorOf(schema)({ at: "today" })).toBe(true);
  expect(validatorOf(schema, { formats: "assertion" })({ at: "today" })).toBe(false);
  expect(validatorOf(schema, { formats: "assertion" })({ at: "2026-11-21T13:02:25Z" })).toBe(true);
  expect(isValid(schema, schema.root!, { at: "today" }, { formats: "assertion" })).toBe(false);
  expect(isValid(schema, schema.root!, { at: "today" })).toBe(true);
});

test("unknown formats, and formats of other types, only describe in every mode", () => {
  expect(validatorOf(schema, { formats: "assertion" })({ at: 5, other: "x" })).toBe(true);
});

test("a meta-schema that asks for formats to be asserted is heard, and can be overruled", () => {
  const documents = new Map<string, JsonValue>([
    [
      "https://example.com/strict",
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $vocabulary: {
          "https://json-schema.org/draft/2020-12/vocab/core": true,
          "https://json-schema.org/draft/2020-12/vocab/format-assertion": true,
        },
      },
    ],
  ]);
  const strict = readDocument({ $schema: "https://example.com/strict", format: "ipv4" }, { documents });
  expect(validatorOf(strict)("here")).toBe(false);
  expect(validatorOf(strict, { formats: "annotation" })("here")).toBe(true);
});

test("draft-07 ignores a format beside a reference", () => {
  const document = { properties: { a: { $ref: "#/definitions/b", format: "ipv4" } }, definitions: { b: {} } };
  const judged = (dialect: "draft-07" | "2020-12"): boolean =>
    validatorOf(readDocument(document, { dialect }), { formats: "assertion" })({ a: "here" });
  expect([judged("draft-07"), judged("2020-12")]).toEqual([true, false]);
});

test.each([
  ["ipv4", "01.2.3.4", false],
  ["hostname", `${"a".repeat(63)}.`.repeat(3) + "a".repeat(61), true],
  ["hostname", `${"a".repeat(63)}.`.repeat(3) + "a".repeat(62), false],
  ["email", `${"a".repeat(65)}@example.com`, false],
  ["email", '"a\\"b"@example.com', true],
  ["email", '"a"b"@example.com', false],
  ["idn-email", "δ".repeat(33) + "@example.com", false],
  ["uri", "https://[v1.x:y]:8080/?#", true],
  ["uri-reference", "?a[]", false],
  ["iri", "http://a/\ue000", false],
  ["iri", "http://a/?\ue000", true],
  ["iri", "http://a/\ud800", false],
  ["uuid", "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}", false],
  ["regex", "\\p{Letter}+", true],
  ["date-time", "2026-11-21T13:02:25+00:00\n", false],
])("%s: %s is %s", (name, text, verdict) => {
  expect(formats.get(name)!(text)).toBe(verdict);
});

// A loop of a pattern that could exhaust the matcher's stack, or time that grew faster than the text, shows here.
test.each([...formats])("%s takes texts of ten million characters", (_, isOfFormat) => {
  expect(typeof isOfFormat("a".repeat(10_000_000))).toBe("boolean");
  for (const character of ["0", ".", "-", ":", "%", "\\", "é", "a.", "{a}"]) {
    for (const before of ["", "http://", '"', "/", "P", "a@"]) {
      expect(typeof isOfFormat(before + character.repeat(50_000))).toBe("boolean");
    }
  }
});
