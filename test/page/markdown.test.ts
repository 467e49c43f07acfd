import { fail } from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { html } from "../../generator/page/html.js";
import { markdownHtml, safeMarkdown } from "../../generator/page/markdown.js";
import { cases, seed } from "../support/cases.mjs";
import { markdownAttacks } from "../support/hostile-contract.js";
import { policyFaults } from "./page-faults.js";

/** The text that a reader sees. */
function seen(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:#(\d+)|(\w+));/g, (_, code, name) =>
      code ? String.fromCodePoint(Number(code)) : { amp: "&", lt: "<", gt: ">", quot: '"' }[name as "amp"]!,
    );
}

const page = (markup: string): string =>
  `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">${markup}`;

describe("Markdown of a server", () => {
  test.each([
    ["**a** _b_ ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>"],
    ["one\ntwo", "<p>one<br>two</p>"],
    ["# Title", '<p class="heading">Title</p>'],
    ["- a\n- b", "<ul><li>a</li><li>b</li></ul>"],
    ["3. a\n7. b", '<ol><li value="3">a</li><li value="7">b</li></ol>'],
    ["```ts\na\n```", '<p class="language">ts</p><pre><code>a</code></pre>'],
    [
      "|a||\n|-|-|\n|b|c|",
      '<div class="wide" tabindex="0"><table><thead><tr><th>a</th><td></td></tr></thead><tbody><tr><td>b</td><td>c</td></tr></tbody></table></div>',
    ],
    [
      "[a](https://b.example/c)",
      '<p><a href="https://b.example/c" rel="noopener noreferrer"><bdi>a</bdi></a> <bdi class="target">(https://b.example/c)</bdi></p>',
    ],
    [
      "<mailto:a@b.example>",
      '<p><a href="mailto:a@b.example" rel="noopener noreferrer"><bdi>mailto:a@b.example</bdi></a></p>',
    ],
    [
      "![a](https://b.example/c.png)",
      '<p><span class="target">image:</span> <bdi>a</bdi> <bdi class="target">(https://b.example/c.png)</bdi></p>',
    ],
    ["<b>a</b> &lt;", "<p>&lt;b&gt;a&lt;/b&gt; &amp;lt;</p>"],
  ])("%j", (text, markup) => expect(markdownHtml(text)?.text.replaceAll("\n", "")).toBe(markup));

  test.each([
    ["javascript:alert(1)"],
    ["JavaScript:alert(1)"],
    ["data:text/html,x"],
    ["file:///etc/passwd"],
    ["//evil.example"],
    ["relative"],
    ["#tools"],
    ["https://bank.example@evil.example/"],
    ["https:evil.example"],
    ["https://EVIL.example/"],
    ["https://bücher.example/"],
    ["https://evil.example\\@bank.example/"],
  ])("a link to %s is text that shows it", (target) => {
    const { text } = markdownHtml(`[a](${target})`) ?? html`<p>${target}</p>`;
    expect(text).not.toContain("<a");
    expect(seen(text)).toContain(target.replaceAll("\\", ""));
  });

  test.each([
    ["a definition of a link", "[//]: # (hidden)\n\ntext", /hidden/],
    ["the title of a link", '[a](https://b.example/ "hidden")', /hidden/],
    ["the language of a code block", "```hidden words\na\n```", /hidden words/],
    ["a comment", "<!-- hidden -->", /hidden/],
    ["a cell too many", "|a|\n|-|\n|b|hidden|", undefined],
    ["nesting", `${">".repeat(200)} hidden`, undefined],
    ["emphasis in emphasis", `${"*a _b ".repeat(20)}hidden${" c_ d*".repeat(20)}`, undefined],
  ])("%s hides no text", (_, text, shown) => {
    const markup = markdownHtml(text);
    if (shown) expect(seen(markup!.text)).toMatch(shown);
    else expect(markup).toBeUndefined();
  });

  test.each([
    ["- **a**\n- `b`\n\n> c\n\n|a|\n|-|\n|b|", true],
    ["[a](https://b.example/)", false],
    ["![a](b.png)", false],
    ["<b>", false],
    ["&lt;", false],
    ["# a", false],
    ["a\n---", false],
    ["- ```\n  a", false],
    ["www.a.example", false],
    ["a@b.example", false],
    ["$a$", false],
    ["> ".repeat(20) + "a", false],
  ])("in other documents, %j is Markdown: %j", (text, isSafe) =>
    expect(safeMarkdown(text)).toBe(isSafe ? text : undefined),
  );

  test("no text runs, loads, links elsewhere or vanishes", () => {
    const pieces = fc.constantFrom(
      ...markdownAttacks,
      ...[
        "a",
        "\u05d0",
        "`",
        "```",
        "*",
        "**",
        "_",
        "~~",
        "[",
        "](",
        ")",
        "![",
        "<",
        ">",
        "|",
        "-",
        "1. ",
        "\n",
        "\n\n",
      ],
      ...["    ", "\t", "\\", "&amp;", "https://a.example/", '"', "'", "# ", "---", "\0", "\u202e"],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        const markup = markdownHtml(text)?.text ?? "";
        if (markup === "") return;
        const faults = policyFaults(page(markup));
        if (faults.length > 0) fail(`${text}: ${faults.join(", ")}`);
        expect(markup).not.toMatch(
          /<(?!\/?(?:p|ul|ol|li|blockquote|strong|em|s|code|pre|br|hr|a|bdi|span|div|table|thead|tbody|tr|th|td)\b)/,
        );
        // Each letter of the source is seen, in its order.
        let at = 0;
        const shown =
          seen(markup) + [...markup.matchAll(/ value="(\d+)"/g)].map(([, number]) => number).join("");
        for (const letter of text.replace(/[^\p{L}]/gu, "")) {
          at = shown.indexOf(letter, at) + 1;
          if (at === 0) fail(`${JSON.stringify(text)}: ${letter} is not in ${shown}`);
        }
      }),
      { numRuns: cases(2_000), seed },
    );
  });
});
