import { readFileSync } from "node:fs";
import { join } from "node:path";
import { diffLines } from "diff";
import { format } from "prettier";
import { describe, expect, test } from "vitest";
import { inLayoutOf } from "../../generator/files/in-layout-of.js";
import { prettierStyles } from "./prettier-styles.js";

const golden = "test/golden/contract/weather";
const files = [
  ...["client.ts", "server.ts", "types.ts"].map((path) => join(golden, path)),
  "generated/2024-11-05/PROTOCOL.md",
  "generated/package.json",
].map((path) => [path, readFileSync(path, "utf8")] as const);

/** The lines that a line difference removes and adds. */
function linesApart(text: string, other: string): string[] {
  return diffLines(text, other)
    .filter(({ added, removed }) => added || removed)
    .flatMap(({ value }) => value.trimEnd().split("\n"));
}

describe("in the layout of a formatted text", () => {
  test.each(prettierStyles)(
    "%j the same text is that text, and a changed word is one changed line",
    async (options) => {
      for (const [path, text] of files) {
        const formatted = await format(text, { ...options, filepath: path });
        const plain = formatted.replaceAll("\r\n", "\n");
        expect(inLayoutOf(path, formatted, text), path).toBe(plain);
        const word = text.match(/\w{6,}/g)!.at(-1)!;
        const changed = text.replace(new RegExp(`${word}(?![^]*${word})`), "renamed");
        const apart = linesApart(plain, inLayoutOf(path, formatted, changed));
        expect(apart, `${path}: ${word}`).toHaveLength(2);
        expect(apart[1], path).toContain("renamed");
      }
    },
  );
});

test.each([
  ["a new statement", "a = 1\nb = 2\n", "a = 1;\nc = 3;\nb = 2;\n", "a = 1\nc = 3;\nb = 2\n"],
  ["a new argument", "f(\n\tx,\n);\n", "f(x, y);\n", "f(\n\tx, y\n);\n"],
  ["parentheses of an arrow", "map(x => y)\n", "map((x) => z);\n", "map(x => z)\n"],
  ["another string", "f('it\\'s', 'a')\n", 'f("it\'s", "b");\n', "f('it\\'s', \"b\")\n"],
  ["a name without quotes", "{ 'a': 1, 'b-c': 2 }\n", '{ a: 1, "b-c": 3 }\n', "{ 'a': 1, 'b-c': 3 }\n"],
  ["an alternative", "type A = 'a' | 'b'\n", 'type A =\n  | "a"\n  | "c";\n', "type A = 'a' | \"c\";\n"],
])("%s stands in it", (_, present, planned, expected) => {
  expect(inLayoutOf("x.ts", present, planned)).toBe(expected);
});

test("of texts that differ widely the beginning is laid out; a text of another kind stays as it is", () => {
  const many = (word: string, end: string): string =>
    Array.from({ length: 4_000 }, (_, index) => `const ${word}${index} = [${index}, 1]${end}`).join("");
  const relaid = inLayoutOf("x.ts", `'a'\n${many("a", "\n")}`, `"a";\n${many("b", ";\n\n")}`);
  expect(relaid.split("\n").slice(0, 3)).toEqual(["'a'", "const b0 = [0, 1]", "const b1 = [1, 1]"]);
  expect(relaid).toContain("const b3999 = [3999, 1];");
  expect(inLayoutOf("x.txt", "a  b", "a b")).toBe("a b");
});
