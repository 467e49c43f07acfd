import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { width } from "../../generator/print/layout.js";
import { commentText, docComment, propertyKey, stringLiteral } from "../../generator/print/text.js";
import { format } from "../../generator/print/format.js";
import { cases } from "../support/cases.mjs";

/** Pieces that texts break on, in all mixtures. */
const piece = fc.constantFrom(
  ..."ab \"'`\\/*${}@#<>!-\n\r\t\0\u2028\u2029\u0085\u200b\u202e\u2066\ufeff\u{e0041}\ud800\udc00😀é".match(
    /[\s\S]/g,
  )!,
  "*/",
  "/*",
  "${a}",
  "</script>",
  "\\u0022",
  "\u{e0041}",
  "👩‍👩‍👧",
);
const hostile = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary" }),
);
const drawn = { numRuns: cases(1500) };

/** Characters that are invisible, or change how others look. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** The value of a literal: JSON for most, and JSON in other quotes. */
function evaluate(literal: string): string {
  const body = literal.slice(1, -1);
  if (literal.startsWith('"')) return JSON.parse(literal) as string;
  // A lone quote of the other kind ends the literal, so there must be none.
  expect(body).not.toMatch(/(?<!\\)(?:\\\\)*'/);
  return JSON.parse(`"${body.replaceAll("\\'", "'").replaceAll('"', '\\"')}"`) as string;
}

describe("a string literal", () => {
  test("evaluates to its text, for every text, on one line of visible characters", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const literal = stringLiteral(text);
        expect(evaluate(literal)).toBe(text);
        expect(literal).not.toMatch(unseen);
      }),
      drawn,
    );
  });

  test("equals the output of prettier", async () => {
    const texts = fc.sample(hostile, cases(200));
    const code = texts.map((text, index) => `const x${index} = ${stringLiteral(text)};\n`);
    expect(await format("a.ts", code.join("").replaceAll(" = ", " =\n "))).toSatisfy((formatted: string) =>
      texts.every((text) => formatted.includes(stringLiteral(text))),
    );
  });

  test.each([
    ["a", '"a"'],
    ['say "a"', `'say "a"'`],
    [`it's`, `"it's"`],
    [`'"`, `"'\\""`],
    ["\ud800", '"\\ud800"'],
    ["\u{e0041}", '"\\udb40\\udc41"'],
  ])("of %j is %s", (text, literal) => {
    expect(stringLiteral(text)).toBe(literal);
  });
});

describe("a property key", () => {
  test("is unquoted only if it is an identifier, and evaluates to the name", () => {
    fc.assert(
      fc.property(
        fc.oneof(hostile, fc.string({ unit: fc.constantFrom("a", "$", "_", "1", "-") })),
        (name) => {
          const key = propertyKey(name);
          if (/^["']/.test(key)) expect(evaluate(key)).toBe(name);
          else expect(key).toBe(name);
          if (key === name) expect(name).toMatch(/^[A-Za-z_$][\w$]*$/);
        },
      ),
      drawn,
    );
  });
});

describe("a comment", () => {
  test("cannot be ended by any text, and has no invisible characters", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const comment = commentText(text);
        expect(comment).not.toContain("*/");
        expect(comment).not.toContain("/*");
        expect(comment.replaceAll("\n", "").replaceAll("\t", "")).not.toMatch(unseen);
        expect(Buffer.from(comment).toString()).toBe(comment);
      }),
      drawn,
    );
  });

  test("of documentation stays one comment, indented, with lines that fit where spaces allow", () => {
    const words = fc.array(fc.oneof(hostile, fc.constantFrom("word", "@see x", "@deprecated y", "")), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        fc.array(
          words.map((list) => list.join(" ")),
          { maxLength: 3 },
        ),
        fc.constantFrom("", "  "),
        (paragraphs, indent) => {
          const comment = docComment(paragraphs, indent);
          if (comment === "") {
            expect(paragraphs.map(commentText).join("").trim()).toBe("");
            return;
          }
          expect(comment.startsWith(`${indent}/**`)).toBe(true);
          expect(comment.endsWith(" */\n")).toBe(true);
          expect(comment.match(/\*\//g)).toHaveLength(1);
          const lines = comment.slice(0, -1).split("\n");
          for (const line of lines) {
            expect(line.startsWith(indent)).toBe(true);
            expect(line).toBe(line.trimEnd());
            if (line.length > width) expect(line.replace(/^[\s*]+/, "")).toMatch(/^@see |^\S+$/);
          }
          if (lines.length > 1) {
            expect(lines.slice(1, -1).every((line) => line.startsWith(`${indent} *`))).toBe(true);
          }
        },
      ),
      drawn,
    );
  });

  test("is not changed by prettier", async () => {
    const paragraphs = [
      "One line that is long enough to be broken in two because it does not fit at all.",
      "@see https://example.com",
    ];
    const code = `${docComment(paragraphs)}type A = 1;\n\n${docComment(["Short."])}type B = 2;\n`;
    expect(await format("a.ts", code)).toBe(code);
  });

  test("separates the description from the tags", () => {
    expect(docComment(["Text.", "@deprecated Since r.", "@see page"])).toBe(
      "/**\n * Text.\n *\n * @deprecated Since r.\n * @see page\n */\n",
    );
  });

  test.each([[[]], [[undefined]], [["", " \n"]], [["\u200b\u202e"]], [["\0"]]])(
    "is omitted without text: %j",
    (paragraphs) => {
      expect(docComment(paragraphs)).toBe("");
    },
  );
});
