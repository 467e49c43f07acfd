import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { expect, test } from "vitest";
import {
  fencedBlock,
  markdownProse,
  markdownText,
  oneLineCode,
  tableCell,
} from "../../generator/print/markdown.js";
import { cases, seed } from "../support/cases.mjs";

const markdown = new MarkdownIt({ html: true, linkify: true });
/** The tags of what GitHub would show, without the comments that keep names from becoming links. */
const tagsOf = (text: string): string[] =>
  markdown
    .render(text)
    .replaceAll("<!-- -->", "")
    .match(/<\/?[a-z][^>]*>/gi) ?? [];

const unit = fc.constantFrom(
  ..."ab1 <>&\"'`*_{}[]()#+-=.!|~$\\/:@\n\t",
  ...[
    "<img src=x onerror=1>",
    "<!--",
    "-->",
    "](",
    "https://a.example/",
    "```",
    "| - |",
    "\n\n",
    "    ",
    "1. ",
    "&lt;",
  ],
);
const foreign = fc.array(unit, { maxLength: 20 }).map((parts) => parts.join(""));
const runs = { numRuns: cases(10_000), seed };

test("third-party text is never markup in a paragraph, a heading, a list or a table", () => {
  fc.assert(
    fc.property(foreign, (text) => {
      const shown = markdownText(text);
      expect(tagsOf(`x ${shown}`)).toEqual(["<p>", "</p>"]);
      expect(tagsOf(`# x ${shown}`)).toEqual(["<h1>", "</h1>"]);
      expect(tagsOf(`- x ${shown}`)).toEqual(["<ul>", "<li>", "</li>", "</ul>"]);
      expect(
        tagsOf(`| a |\n|---|\n| x ${tableCell(shown)} |`).filter((tag) => /td|p|img|a\b/.test(tag)),
      ).toEqual(["<td>", "</td>"]);
    }),
    runs,
  );
});

test("third-party prose only becomes text and code, and a block contains all of its text", () => {
  fc.assert(
    fc.property(foreign, (text) => {
      for (const tag of tagsOf(`x ${markdownProse(text)}`)) expect(tag).toMatch(/^<\/?(?:p|code)>$/);
      expect(tagsOf(`x ${oneLineCode(text)}`).filter((tag) => !/^<\/?(?:p|code)>$/.test(tag))).toEqual([]);
      const [block] = markdown.parse(fencedBlock("json", text), {});
      expect(block).toMatchObject({ type: "fence", info: "json" });
      expect(block!.content.replace(/\n$/, "")).toBe(text.replace(/\t/g, "\t"));
    }),
    runs,
  );
});

test("an empty code span does not open the code spans that follow it", () => {
  expect(tagsOf(`${oneLineCode("")} → ${oneLineCode("<img src=x>`")}`)).toEqual([
    "<p>",
    "<code>",
    "</code>",
    "<code>",
    "</code>",
    "</p>",
  ]);
  expect(tagsOf(`x ${markdownText("a\r- b\r# c")}`)).toEqual(["<p>", "</p>"]);
});
