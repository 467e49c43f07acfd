import { expect, test } from "vitest";
import { type JsonValue, formats, readDocument } from "@mcpgen/engine";
import { isValid, validatorOf } from "@mcpgen/engine/interpreter";

// The official tests (suite.test.ts) define the texts of each format. This file tests what they do not cover.

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

test("a meta-schema can demand that formats are asserted, and an option can overrule it", () => {
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

// Fails if a pattern exhausts the matcher's stack, or if the time grows faster than the text.
test.each([...formats])("%s can check texts of ten million characters", (_, isOfFormat) => {
  expect(typeof isOfFormat("a".repeat(10_000_000))).toBe("boolean");
  for (const character of ["0", ".", "-", ":", "%", "\\", "é", "a.", "{a}"]) {
    for (const before of ["", "http://", '"', "/", "P", "a@"]) {
      expect(typeof isOfFormat(before + character.repeat(50_000))).toBe("boolean");
    }
  }
});
