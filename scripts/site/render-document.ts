import MarkdownIt, { type RendererRule, type Token } from "markdown-it";
import { Html, escapeHtml, html } from "../../generator/page/html.js";
import { highlighted } from "./highlight.js";
import type { Document } from "./read-document.js";

/** Where a link leads: an address, or a file of the repository that the site does not hold. */
export type Target = { readonly href: string } | { readonly file: string };

export interface Rendering {
  readonly targets: ReadonlyMap<Token, Target>;
  /** The address of what a code span names, if the site knows it. */
  readonly addressOfCode: (code: string) => string | undefined;
}

const markdown = new MarkdownIt();

/** The content of a document as markup. */
export function renderDocument({ tokens }: Document, rendering: Rendering): Html {
  return new Html(markdown.renderer.render(tokens, markdown.options, { rendering }));
}

/** Code that scrolls is reachable by the keyboard. */
const codeBlock: RendererRule = (tokens, index) => {
  const { info, content } = tokens[index]!;
  const code = highlighted(content.replace(/\n$/, ""), info.trim());
  return `${
    html`<div class="example">
      <pre tabindex="0"><code>${code}</code></pre>
    </div>`.text
  }\n`;
};

/** A wide table scrolls within itself. */
const openTable: RendererRule = (tokens, index) => {
  const number = tokens.slice(0, index + 1).filter(({ type }) => type === "table_open").length;
  return `<div class="wide" role="region" aria-label="Table ${number}" tabindex="0"><table>\n`;
};

/** The policy of pages admits no attribute of style: the side of a column is a class. */
const openCell: RendererRule = (tokens, index) => {
  const tag = cellTag(tokens, index, index + 1);
  const side = /^text-align:\s*(right|center)/.exec(String(tokens[index]!.attrGet("style") ?? ""));
  return side ? `<${tag} class="${side[1]}">` : `<${tag}>`;
};

const closeCell: RendererRule = (tokens, index) => `</${cellTag(tokens, index, index - 1)}>\n`;

/** A header without text heads nothing: it is a plain cell. */
function cellTag(tokens: readonly Token[], cell: number, inline: number): string {
  return tokens[inline]!.content === "" ? "td" : tokens[cell]!.tag;
}

const openHeading: RendererRule = (tokens, index) => {
  const { tag } = tokens[index]!;
  const id = String(tokens[index]!.attrGet("id"));
  const self = leadsToItself(tokens[index + 1]!, tag) ? `<a href="#${escapeHtml(id)}">` : "";
  return `<${tag} id="${escapeHtml(id)}">${self}`;
};

const closeHeading: RendererRule = (tokens, index) => {
  const { tag } = tokens[index]!;
  return `${leadsToItself(tokens[index - 1]!, tag) ? "</a>" : ""}</${tag}>\n`;
};

/** The title does not, nor a heading with links of its text. */
function leadsToItself({ children }: Token, tag: string): boolean {
  return tag !== "h1" && !(children ?? []).some(({ type }) => type === "link_open");
}

const openLink: RendererRule = (tokens, index, _options, env) => {
  const target = renderingOf(env).targets.get(tokens[index]!)!;
  if ("file" in target) return "";
  const isElsewhere = /^https?:/.test(target.href);
  return `<a href="${escapeHtml(target.href)}"${isElsewhere ? ' rel="noreferrer"' : ""}>`;
};

/** A file that the site does not hold is named, where the text of the link does not name it. */
const closeLink: RendererRule = (tokens, index, _options, env) => {
  const open = tokens.findLastIndex(({ type }, at) => at < index && type === "link_open");
  const target = renderingOf(env).targets.get(tokens[open]!)!;
  if (!("file" in target)) return "</a>";
  const text = tokens.slice(open + 1, index).map(({ content }) => content);
  return target.file.endsWith(text.join("")) ? "" : html` (<code>${target.file}</code>)`.text;
};

const inlineCode: RendererRule = (tokens, index, _options, env) => {
  const { content } = tokens[index]!;
  const isLinked = tokens[index - 1]?.type === "link_open";
  const href = isLinked ? undefined : renderingOf(env).addressOfCode(content);
  const code = html`<code>${content}</code>`;
  return href === undefined ? code.text : html`<a href="${href}">${code}</a>`.text;
};

function renderingOf(env: object | undefined): Rendering {
  return (env as { readonly rendering: Rendering }).rendering;
}

// Documents have comments alone.
const noMarkup: RendererRule = () => "";

Object.assign(markdown.renderer.rules, {
  fence: codeBlock,
  code_block: codeBlock,
  html_block: noMarkup,
  html_inline: noMarkup,
  table_open: openTable,
  table_close: () => "</table></div>\n",
  th_open: openCell,
  td_open: openCell,
  th_close: closeCell,
  td_close: closeCell,
  heading_open: openHeading,
  heading_close: closeHeading,
  link_open: openLink,
  link_close: closeLink,
  code_inline: inlineCode,
});
