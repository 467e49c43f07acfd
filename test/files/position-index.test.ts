import fc from "fast-check";
import { type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import { expect, test } from "vitest";
import { positionOf, positionsIn } from "../../generator/files/json-file.js";
import { cases } from "../support/cases.mjs";

/** Pointers to every value, and to some that are not there. */
function pointersIn(value: JsonValue, at = ""): string[] {
  const inner = Array.isArray(value)
    ? value.flatMap((each, index) => pointersIn(each, pointer(at, index)))
    : isJsonObject(value)
      ? Object.entries(value).flatMap(([key, each]) => pointersIn(each, pointer(at, key)))
      : [];
  return [at, pointer(at, "gone"), pointer(at, "gone", 0), ...inner];
}

test("the index finds the same positions as a search of the text, however often it is used", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const position = positionsIn(text);
      for (let asked = 0; asked < 17; asked++) position("");
      for (const each of pointersIn(JSON.parse(text) as JsonValue)) {
        expect(position(each), each).toEqual(positionOf(text, each));
      }
    }),
    { numRuns: cases(2000) },
  );
});

test("a value 200 levels deep has a position", () => {
  const depth = 200;
  const text = `${'{"a":\n'.repeat(depth)}1${"}".repeat(depth)}`;
  const position = positionsIn(text);
  for (let asked = 0; asked < 30; asked++)
    expect(position("/a".repeat(depth))).toEqual({ line: depth + 1, column: 1 });
});
