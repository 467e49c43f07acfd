import { expect, test } from "vitest";
import { deadLinks } from "../../scripts/site/dead-links.js";
import { documentOf } from "../../scripts/site/documents.js";
import { siteMarkdown } from "../../scripts/site/markdown.js";
import type { ReadingPage, References } from "../../scripts/site/references.js";
import { type Places, resolverOf } from "../../scripts/site/resolver.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const entries = [{ id: "type-Tool", name: "Tool" }];
const page: ReadingPage = {
  ...{ page: "reference/1.html", label: "1" },
  reading: { title: "1", facts: [], sections: [{ id: "types", title: "Types", entries }] },
};
const references: References = {
  ...{ revisions: [{ ...page, revision: "1" }], extensions: [] },
  differences: [
    { ...page, page: "changes/1-to-2.html", report: { findings: [{ fingerprint: "abc" }] } as never },
  ],
};

/** The markup of docs/one.md beside docs/two.md, and its dead links. */
function built(text: string, more: Partial<Places> = {}) {
  const one = documentOf("docs/one.md", text);
  const two = documentOf("docs/two.md", "# Two\n\n## A `b` & c\n\n## A `b` & c\n");
  const markdown = siteMarkdown(
    resolverOf({
      ...{ root: temporaryFolder({ "examples/a.ts": "" }), repository: undefined, references },
      byFile: new Map([one, two].map((document) => [document.file, document])),
      copied: new Set(["docs/x.json"]),
      ...more,
    }),
  );
  const files = new Map([
    ...[one, two].map(
      ({ file, page: name, text: source }) => [name, markdown.render(source, { file })] as const,
    ),
    ...["docs/x.json", "changes/1-to-2.html", "reference/1.html"].map(
      (name) => [name, '<p id="finding-abc"></p><p id="type-Tool"></p>'] as const,
    ),
  ]);
  return { markup: files.get("docs/one.html")!, problems: deadLinks(files, [one, two]) };
}

test("links lead to pages, headings, files and references of the site", () => {
  const { markup, problems } = built(
    [
      "# One",
      "[two](two.md) [there](two.md#a-b--c) [again](two.md#a-b--c-1) [self](#one)",
      "[schema](x.json) [`Tool`](../generated/1/PROTOCOL.md#tool) [out](https://example.com/)",
      "[the program](../examples/a.ts) [a.ts](../examples/a.ts) `abc`",
      "## `abc` again",
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
    '<a href="https://example.com/">out</a>',
    "the program (<code>examples/a.ts</code>) a.ts",
    '<a href="../changes/1-to-2.html#finding-abc"><code>abc</code></a>',
  ])
    expect(markup).toContain(part);
});

test("a picture in both themes is shown, other HTML is text", () => {
  const picture = (attributes: string): string =>
    `# One\n\n<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="x.json">\n  <img ${attributes}>\n</picture>\n`;
  expect(built(picture('src="x.json" alt="A &quot;b&quot;" width="80"')).markup).toContain(
    '<picture><source media="(prefers-color-scheme: dark)" srcset="x.json"><img src="x.json" alt="A',
  );
  expect(built(picture('src="no.webp" alt="A" width="80"')).problems).toEqual([
    expect.stringContaining("the link to no.webp leads nowhere"),
  ]);
  expect(built(picture('src="x.json" alt="A" width="80" onerror="x"')).markup).not.toContain("<img");
});

test("with --repository, files of the repository are links", () => {
  const { markup } = built("# One\n\n[the program](../examples/a.ts)", {
    repository: "https://example.com/blob/main/",
  });
  expect(markup).toContain('<a href="https://example.com/blob/main/examples/a.ts">the program</a>');
});

test("a broken link is reported with file and line", () => {
  const text = [
    "# One",
    "",
    "Text",
    "[gone](three.md) and [lost](two.md#nowhere).",
    "",
    "| a |",
    "|---|",
    "| [cell](#nothing) |",
    "",
    "[`Nil`](../generated/1/PROTOCOL.md) [up](../../elsewhere.md)",
  ].join("\n");
  expect(built(text).problems).toEqual([
    "docs/one.md:4: the link to three.md leads nowhere",
    "docs/one.md:4: the link to two.html#nowhere leads nowhere",
    "docs/one.md:8: the link to #nothing leads nowhere",
    "docs/one.md: the link to ../reference/1.html#Nil leads nowhere",
    "docs/one.md:10: the link to ../../elsewhere.md leads nowhere",
  ]);
});

test("a heading leads to itself, unless its text has links", () => {
  const { markup } = built("# One\n\n## A b\n\n## [Two](two.md)\n");
  expect(markup).toContain('<h1 id="one">One</h1>');
  expect(markup).toContain('<h2 id="a-b"><a href="#a-b">A b</a></h2>');
  expect(markup).toContain('<h2 id="two"><a href="two.html">Two</a></h2>');
});

test("the alignment of a column is a class, because the policy does not allow styles", () => {
  const { markup } = built("# One\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n");
  expect(markup).toContain('<td>1</td>\n<td class="right">2</td>');
  expect(markup).not.toContain("style=");
});

test("a header without text is a plain cell", () => {
  expect(built("# One\n\n| a | |\n|---|---|\n| 1 | 2 |\n").markup).toContain("<th>a</th>\n<td></td>\n");
});

test("markup is text, and comments vanish", () => {
  const { markup } = built(
    "# One\n\n<!-- a -->\n\nof <id> <!-- b -->&lt;u&gt; `<i>`\n\n<script>\nx()\n</script>\n",
  );
  expect(markup).not.toMatch(/<!--|<id>|<u>|<i>|<script/);
  expect(markup).toContain("<p>of &lt;id&gt; &lt;u&gt; <code>&lt;i&gt;</code></p>");
  expect(markup).toContain("&lt;script&gt;\nx()\n&lt;/script&gt;");
});

test.each(["ts", "text", "nothing-known", ""])("code of the language %j stays text", (language) => {
  const { markup } = built(`# One\n\n\`\`\`${language}\nconst a = "<script>"; // <b>\n\`\`\`\n`);
  expect(markup).not.toMatch(/<script|<b>/);
  expect(markup).toContain('<pre tabindex="0"><code');
  expect(markup.includes('<span class="hljs-comment">// &lt;b&gt;</span>')).toBe(language === "ts");
});
