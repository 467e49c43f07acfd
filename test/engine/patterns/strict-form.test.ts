import fc from "fast-check";
import { expect, test } from "vitest";
import { type SchemaError, readDocument } from "@mcpgen/engine";
import { strictForm } from "../../../engine/patterns/strict-form.js";
import { cases } from "../../support/cases.mjs";

test.each([
  ["^[\\w-.]+$", "^[\\w\\-.]+$"],
  ["^[.-\\d]+$", "^[.\\-\\d]+$"],
  ["\\-\\_\\@", "-_@"],
  ["a{b}", "a\\{b\\}"],
  ["^{{.*}}$", "^\\{\\{.*\\}\\}$"],
  ["a]", "a\\]"],
  ["\\Z", undefined],
  ["(?i)a", undefined],
  ["^[a-z]{1,3}$", undefined],
])("%s is written %s with the flag u", (pattern, written) => {
  expect(strictForm(pattern)).toBe(written);
});

const piece = fc.constantFrom(
  "a",
  "\\w",
  "-",
  ".",
  "[",
  "]",
  "{",
  "}",
  "\\-",
  "\\.",
  "1",
  ",",
  "^",
  "$",
  "\\_",
  "+",
);

test("a rewritten pattern matches the same texts", () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 8 }),
      fc.string({ unit: fc.constantFrom("a", "-", ".", "{", "}", "_", "1", "]"), maxLength: 4 }),
      (pieces, text) => {
        const pattern = pieces.join("");
        const written = strictForm(pattern);
        if (written !== undefined)
          expect(new RegExp(written, "u").test(text)).toBe(new RegExp(pattern).test(text));
      },
    ),
    { numRuns: cases(5_000) },
  );
});

test("the error of a pattern gives the reason and the correction", () => {
  const messageOf = (pattern: string): string => {
    try {
      readDocument({ type: "string", pattern });
      return "none";
    } catch (error) {
      return (error as SchemaError).message;
    }
  };
  expect(messageOf("^[\\w-.]+$")).toBe(
    'expected a regular expression (ECMA-262 with the flag u), got "^[\\\\w-.]+$" (Invalid character class): write "^[\\\\w\\\\-.]+$"',
  );
  expect(messageOf("a(")).toBe(
    'expected a regular expression (ECMA-262 with the flag u), got "a(" (Unterminated group)',
  );
});
