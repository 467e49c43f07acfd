import { expect, test } from "vitest";
import { deadLinks } from "../../scripts/site/check-pages.js";
import { highlighted } from "../../scripts/site/highlight.js";
import { type Places, resolveLinks } from "../../scripts/site/links.js";
import { problemText } from "../../scripts/site/problem.js";
import { readDocument } from "../../scripts/site/read-document.js";
import { renderDocument } from "../../scripts/site/render-document.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** The document docs/one.md beside docs/two.md, with its problems and its markup. */
function built(text: string, more: Partial<Places> = {}) {
  const root = temporaryFolder({ "examples/a.ts": "" });
  const page = (name: string) => ({ file: `docs/${name}.md`, page: `docs/${name}.html` });
  const one = readDocument({ ...page("one"), text });
  const two = readDocument({ ...page("two"), text: "# Two\n\n## A `b` & c\n\n## A `b` & c\n" });
  const { targets, problems } = resolveLinks(one, {
    root,
    documents: new Map([one, two].map((document) => [document.file, document])),
    files: new Set(["docs/x.json"]),
    standIns: new Map([
      [
        "generated/1/PROTOCOL.md",
        { page: "reference/1.html", addressOf: (name) => (name === "Tool" ? "type-Tool" : undefined) },
      ],
    ]),
    repository: undefined,
    ...more,
  });
  const all = [...one.problems, ...problems];
  return {
    problems: all.map(problemText),
    markup:
      all.length > 0
        ? ""
        : renderDocument(one, {
            targets,
            addressOfCode: (code) => (code === "abc" ? "x.html#abc" : undefined),
          }).text,
  };
}

test("links lead to pages, headings, files and references of the site", () => {
  const { markup, problems } = built(
    [
      "# One",
      "[two](two.md) [there](two.md#a-b--c) [again](two.md#a-b--c-1) [self](#one)",
      "[schema](x.json) [`Tool`](../generated/1/PROTOCOL.md#tool) [out](https://example.com/)",
      "[the program](../examples/a.ts) [a.ts](../examples/a.ts) `abc`",
    ].join("\n\n"),
  );
  expect(problems).toEqual([]);
  for (const part of [
    '<a href="two.html">two</a>',
    '<a href="two.html#a-b--c">there</a>',
    '<a href="two.html#a-b--c-1">again</a>',
    '<a href="#one">self</a>',
    '<a href="x.json">schema</a>',
    '<a href="../reference/1.html#type-Tool"><code>Tool</code></a>',
    '<a href="https://example.com/" rel="noreferrer">out</a>',
    "the program (<code>examples/a.ts</code>)",
    '<a href="x.html#abc"><code>abc</code></a>',
  ])
    expect(markup).toContain(part);
});

test("with --repository, files of the repository are links", () => {
  const { markup } = built("# One\n\n[the program](../examples/a.ts)", {
    repository: "https://example.com/blob/main/",
  });
  expect(markup).toContain(
    '<a href="https://example.com/blob/main/examples/a.ts" rel="noreferrer">the program</a>',
  );
});

test("a link that leads nowhere, HTML and a second title are problems, with file and line", () => {
  const text = [
    "# One",
    "",
    "Text",
    "[gone](three.md) and [lost](two.md#nowhere).",
    "",
    "| a |",
    "|---|",
    "| b |",
    "| [cell](#nothing) |",
    "",
    "[`Nil`](../generated/1/PROTOCOL.md) [up](../../elsewhere.md)",
    "",
    "<b>bold</b>",
    "",
    "# Second",
  ].join("\n");
  expect(built(text).problems).toEqual([
    expect.stringMatching(/^docs\/one\.md:13: error SITE3: HTML: <b>/),
    expect.stringMatching(/^docs\/one\.md:13: error SITE3: HTML: <\/b>/),
    expect.stringMatching(/^docs\/one\.md:1: error SITE4: 2 headings/),
    expect.stringMatching(/^docs\/one\.md:4: error SITE1: the link to three\.md leads to no file\. Correct/),
    expect.stringMatching(
      /^docs\/one\.md:4: error SITE2: docs\/two\.md has no heading with the address #nowhere/,
    ),
    expect.stringMatching(/^docs\/one\.md:9: error SITE2: docs\/one\.md has no heading/),
    expect.stringMatching(/^docs\/one\.md:11: error SITE2: the reference has no entry Nil/),
    expect.stringMatching(/^docs\/one\.md:11: error SITE1: the link to \.\.\/\.\.\/elsewhere\.md/),
  ]);
});

test("the side of a column is a class: the policy admits no style", () => {
  const { markup } = built("# One\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n");
  expect(markup).toContain('<td>1</td>\n<td class="right">2</td>');
  expect(markup).not.toContain("style=");
});

test("a header without text is a plain cell", () => {
  const { markup } = built("# One\n\n| a | |\n|---|---|\n| 1 | 2 |\n");
  expect(markup).toContain("<th>a</th>\n<td></td>\n");
});

test("text and code become no markup; comments vanish", () => {
  const { markup } = built(
    '# One\n\n<!-- a -->\n\n`<i>` &lt;u&gt;\n\n```ts\nconst a = "<script>"; // <b>\n```\n',
  );
  expect(markup).not.toMatch(/<!--|<i>|<u>|<script|<b>/);
  expect(markup).toContain('<span class="code-string">&quot;&lt;script&gt;&quot;</span>');
  expect(markup).toContain('<span class="code-comment">// &lt;b&gt;</span>');
});

test.each([
  ["ts", "return 1_000;", ["word:return", "number:1_000"]],
  ["ts", "`a ${b}` 'c'", ["string:`a ${b}`", "string:'c'"]],
  ["json", '{ "a": "b", "c": true }', ['word:"a"', 'string:"b"', 'word:"c"', "word:true"]],
  ["yaml", "a: 'b' # c", ["word:a", "string:'b'", "comment:# c"]],
  ["sh", "run --flag # why", ["word:--flag", "comment:# why"]],
  ["diff", "+a\n-b\n c", ["added:+a", "removed:-b"]],
  ["text", "const a", []],
])("code of %s: %s", (language, code, marks) => {
  const { text } = highlighted(code, language);
  const plain = (part: string): string =>
    part.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&#96;", "`").replaceAll("&gt;", ">");
  const found = [...text.matchAll(/<span class="code-(\w+)">([^<]*)<\/span>/g)];
  expect(found.map(([, kind, part]) => `${kind}:${plain(part!)}`)).toEqual(marks);
  expect(plain(text.replace(/<[^>]*>/g, ""))).toBe(code);
});

test("an address on a page that leads nowhere is a problem", () => {
  const pages = new Map([
    ["a/b.html", '<p id="x"><a href="../c.html">1</a><a href="../c.html#y">2</a><a href="#x">3</a></p>'],
    ["c.html", '<a href="a/d.html">4</a><a href="a/b.html#x">5</a><script>" href="no"</script>'],
  ]);
  expect(deadLinks(pages).map(problemText)).toEqual([
    expect.stringMatching(/^a\/b\.html: error SITE5: c\.html has no element #y/),
    expect.stringMatching(/^c\.html: error SITE5: the address a\/d\.html leads to no page/),
  ]);
});
