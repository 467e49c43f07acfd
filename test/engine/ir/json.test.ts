import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type JsonValue,
  atPointer,
  canonicalText,
  escapeToken,
  isJsonObject,
  jsonEqual,
  jsonObject,
  naturalCompare,
  pointer,
  pointerTokens,
} from "@mcpgen/engine";
import { randomFrom } from "../../../generator/sample/values.js";
import { shuffledSchema } from "../../support/shuffled-schema.js";
import { cases } from "../../support/cases.mjs";

const drawn = { numRuns: cases(3000) };
const json = fc.jsonValue({ noUnicodeString: false } as object) as fc.Arbitrary<JsonValue>;
/** With short texts of few letters and digits, all interesting pairs occur. */
const numbered = fc.string({ unit: fc.constantFrom("0", "1", "9", "a", "B", "_", "é"), maxLength: 6 });

describe("natural order", () => {
  test("is a total order: antisymmetric, transitive, zero only for equal strings", () => {
    fc.assert(
      fc.property(numbered, numbered, numbered, (a, b, c) => {
        expect(Math.sign(naturalCompare(a, b))).toBe(-Math.sign(naturalCompare(b, a)) || 0);
        expect(naturalCompare(a, b) === 0).toBe(a === b);
        if (naturalCompare(a, b) <= 0 && naturalCompare(b, c) <= 0) {
          expect(naturalCompare(a, c)).toBeLessThanOrEqual(0);
        }
      }),
      drawn,
    );
  });

  test("reads digits as numbers, of any length, and does not depend on the locale", () => {
    const sorted = ["B", "a", "a1", "a01", "a2", "a10", `a${"9".repeat(400)}`, `a1${"0".repeat(400)}`, "é"];
    sorted.splice(2, 2, "a01", "a1");
    expect([...sorted].reverse().sort(naturalCompare)).toEqual(sorted);
  });
});

describe("JSON Pointer", () => {
  test("tokens are escaped and unescaped, whatever they contain", () => {
    const tokens = fc.array(fc.string({ unit: fc.constantFrom("~", "/", "0", "1", "a", "", "é") }));
    fc.assert(
      fc.property(tokens, (list) => {
        expect(pointerTokens(pointer("", ...list))).toEqual(list);
      }),
      drawn,
    );
  });

  test("every member of every value is found at its pointer", () => {
    fc.assert(
      fc.property(json, (root) => {
        const visit = (value: JsonValue, at: string): void => {
          expect(atPointer(root, at)).toBe(value);
          if (Array.isArray(value)) value.forEach((item, index) => visit(item, pointer(at, index)));
          else if (isJsonObject(value)) for (const key in value) visit(value[key]!, pointer(at, key));
        };
        visit(root, "");
      }),
      drawn,
    );
  });

  test.each(["/a/length", "/a/-", "/a/00", "/a/1", "/toString", "/__proto__", "/b/0"])(
    "%s leads to no value",
    (at) => {
      expect(atPointer({ a: [1], b: "text" }, at)).toBeUndefined();
    },
  );

  test("an own __proto__ is a member like any other", () => {
    expect(atPointer(JSON.parse('{"__proto__":{"a":1}}') as JsonValue, "/__proto__/a")).toBe(1);
    const built = jsonObject([["__proto__", 1]]);
    expect(Object.keys(built)).toEqual(["__proto__"]);
    expect(escapeToken("__proto__")).toBe("__proto__");
  });
});

describe("equality", () => {
  test("canonical text is the same exactly for equal values", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(canonicalText(a) === canonicalText(b)).toBe(jsonEqual(a, b));
      }),
      drawn,
    );
  });

  test("the order of keys does not matter, and canonical text is JSON for the value", () => {
    fc.assert(
      fc.property(json, fc.string(), (value, seed) => {
        const other = shuffledSchema({ default: value }, randomFrom(seed))["default"]!;
        expect(jsonEqual(value, other)).toBe(true);
        expect(canonicalText(other)).toBe(canonicalText(value));
        expect(jsonEqual(JSON.parse(canonicalText(value)) as JsonValue, value)).toBe(true);
      }),
      drawn,
    );
  });

  test("an inherited member does not count as present", () => {
    expect(jsonEqual({ toString: 1 }, { a: 1 })).toBe(false);
    expect(jsonEqual(JSON.parse('{"__proto__":{}}') as JsonValue, { a: {} })).toBe(false);
    expect(jsonEqual([], {})).toBe(false);
    expect(jsonEqual([1, 2], [2, 1])).toBe(false);
    expect(jsonEqual(0, -0)).toBe(true);
  });
});
