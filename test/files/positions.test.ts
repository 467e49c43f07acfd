import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonValue, atPointer, isJsonObject, pointer } from "@mcpgen/engine";
import { lineAndColumn, positionOf } from "../../generator/files/json-file.js";
import { documentOf } from "../support/revisions.js";
import { cases } from "../support/cases.mjs";

function offsetOf(text: string, { line, column }: { line: number; column: number }): number {
  const lines = text.split("\n");
  return lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0) + column - 1;
}

/** Every pointer of a value, parents first. */
function pointersOf(value: JsonValue, at = ""): string[] {
  const members = Array.isArray(value) ? value.entries() : isJsonObject(value) ? Object.entries(value) : [];
  return [at, ...[...members].flatMap(([key, member]) => pointersOf(member as JsonValue, pointer(at, key)))];
}

describe("the position of a place", () => {
  test("is where its value starts, for every place of every value", () => {
    const key = fc.oneof(
      fc.string(),
      fc.constantFrom("a", '"', "\\", "a:b", "{", "0", "~/", "__proto__", "\n"),
    );
    const values = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<JsonValue[]>(null, true, -1.5e30, "a, b: {c", '\\"', "", "é😀"),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(key, tie("value"), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(values, fc.constantFrom(0, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        for (const at of pointersOf(JSON.parse(text) as JsonValue)) {
          const start = text.slice(offsetOf(text, positionOf(text, at)));
          const expected = JSON.stringify(atPointer(value, at), null, indent);
          const [first] = expected.split("\n");
          expect(start.startsWith(first!), `${at} in ${text}`).toBe(true);
        }
      }),
      { numRuns: cases(1000) },
    );
  });

  test("is exact in a real schema", () => {
    const document = documentOf("2025-03-26");
    const text = JSON.stringify(document, null, 2);
    for (const at of pointersOf(document).filter((_, index) => index % 40 === 0)) {
      // The expected position: a mark replaces the value, and is searched in the text.
      const marked = JSON.stringify(document, (_, value: unknown) => value, 2);
      const { line, column } = positionOf(marked, at);
      const rest = marked
        .split("\n")
        .slice(line - 1)
        .join("\n")
        .slice(column - 1);
      const expected = JSON.stringify(atPointer(document, at), null, 2).split("\n")[0]!;
      expect(rest.startsWith(expected), at).toBe(true);
    }
    expect(positionOf(text, "/$defs/CallToolResult/properties/content")).toEqual(
      lineAndColumn(text, text.indexOf("{", text.indexOf('"content"', text.indexOf('"CallToolResult"')))),
    );
  });

  test("is the position of the nearest surrounding value if the place does not exist", () => {
    const text = '{\n  "a": [1,\n    { "b": 2 }]\n}';
    expect(positionOf(text, "/a/1/c")).toEqual({ line: 3, column: 5 });
    expect(positionOf(text, "/a/7")).toEqual({ line: 2, column: 8 });
    expect(positionOf(text, "/a/1/b/c/d")).toEqual({ line: 3, column: 12 });
    expect(positionOf(text, "/none")).toEqual({ line: 1, column: 1 });
    expect(positionOf(text, "")).toEqual({ line: 1, column: 1 });
  });

  test("is found at any depth", () => {
    const depth = 100_000;
    const text = '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
    expect(positionOf(text, "/a".repeat(depth))).toEqual({ line: 1, column: depth * 5 + 1 });
  });

  test("counts lines from 1 and columns after the break, whichever it is", () => {
    expect(lineAndColumn("a\r\nbc\n\nd", 8)).toEqual({ line: 4, column: 2 });
    expect(lineAndColumn("a\r\nbc", 4)).toEqual({ line: 2, column: 2 });
  });
});
