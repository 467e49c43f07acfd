import fc from "fast-check";
import type { JsonValue } from "@mcpgen/engine";
import { expect, test } from "vitest";
import { parseCommentedJson } from "../../generator/files/commented-json.js";
import { cases, seed } from "../support/cases.mjs";

test("JSON with comments and trailing commas has its usual meaning, whatever its keys", () => {
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 1.5, "${A}"),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc
        .array(fc.tuple(fc.constantFrom("__proto__", "constructor", "a", "b"), tie("tree")), { maxLength: 3 })
        .map((members) => Object.fromEntries(members) as JsonValue),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const text = JSON.stringify(value);
      const commented = `// c\n${text.replace(/(?<=[\]}"])([\]}])/g, ", /* c */ $1")}`;
      for (const each of [text, commented]) {
        const read = parseCommentedJson(each);
        expect("value" in read && JSON.stringify(read.value)).toBe(text);
      }
    }),
    { numRuns: cases(2_000), seed },
  );
});

test("a member called __proto__ gives an object no other members", () => {
  const read = parseCommentedJson('{"x": {"__proto__": {"url": "http://example.com/${A}"}}}');
  const value = "value" in read ? (read.value as { readonly x: { readonly url?: string } }) : undefined;
  expect(value?.x.url).toBeUndefined();
  expect(Object.keys(value!.x)).toEqual(["__proto__"]);
});

test.each([
  ["", 0],
  ["{", 1],
  ["[".repeat(100_000), 0],
])("a text that is not JSON has a fault", (text, offset) => {
  expect(parseCommentedJson(text)).toMatchObject({ fault: { offset } });
});
