import { createRequire } from "node:module";
import { posix } from "node:path";
import GithubSlugger from "github-slugger";
import Markdown, { type MarkdownIt, type RendererRule, type StateCore, type Token } from "markdown-it";
import { escapeHtml } from "../../generator/page/html.js";

/** An `import` would add the types of browsers to every program that is type-checked with this one. */
const highlighter = createRequire(import.meta.url)("highlight.js/lib/common") as {
  getLanguage(name: string): object | undefined;
  highlight(code: string, options: { readonly language: string }): { readonly value: string };
};

/** A heading, and the text from it to the next one. */
export interface Passage {
  readonly level: number;
  readonly title: string;
  readonly id: string;
  readonly texts: string[];
  /** The targets of its links, as the document writes them. */
  readonly links: string[];
}

/** Finds the addresses of links and names in documents. */
export interface Resolver {
  /**
   * Returns the address that a link of a document leads to; undefined for a file of the repository that is
   * not in the site.
   *
   * @param code the text of the link, if it is only a code span
   */
  readonly link: (href: string, from: string, code?: string) => string | undefined;
  /** Returns the address of the thing that a code span names; undefined if the site does not know it. */
  readonly code: (code: string, from: string) => string | undefined;
}

/** Splits a document into passages. */
export function passagesOf(text: string): Passage[] {
  const tokens = addressed(new Markdown({ html: true }).parse(text, {}));
  const passages: Passage[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const [level, id] = [Number(token.tag.slice(1)), String(token.attrGet("id"))];
      passages.push({ level, title: plainText(tokens[index + 1]!), id, texts: [], links: [] });
    } else if (tokens[index - 1]?.type !== "heading_open") {
      const isText = token.type === "inline";
      passages.at(-1)?.texts.push(isText ? plainText(token) : isCodeBlock(token) ? token.content : "");
      passages.at(-1)?.links.push(...(token.children ?? []).filter(isLink).map(hrefOf));
    }
  }
  return passages;
}

/** Gives headings the same anchors as GitHub does. */
function addressed(tokens: Token[]): Token[] {
  const slugs = new GithubSlugger();
  for (const [index, token] of tokens.entries())
    if (token.type === "heading_open") token.attrSet("id", slugs.slug(plainText(tokens[index + 1]!)));
  return tokens;
}

/** The text of an inline token, without markup. */
function plainText({ children }: Token): string {
  return (children ?? [])
    .map(({ type, content }) => (type.endsWith("break") ? " " : type === "html_inline" ? "" : content))
    .join("");
}

function isCodeBlock({ type }: Token): boolean {
  return type === "fence" || type === "code_block";
}

function isCode(token: Token | undefined): boolean {
  return token?.type === "code_inline";
}

function isLink({ type }: Token): boolean {
  return type === "link_open";
}

function hrefOf(link: Token): string {
  return String(link.attrGet("href"));
}

/**
 * Returns a Markdown reader for pages whose content security policy admits no style attributes. Pages pass
 * their document as `file` of the data.
 */
export function siteMarkdown(resolver: Resolver): MarkdownIt {
  const markdown = new Markdown({ html: true, highlight: highlighted });
  markdown.core.ruler.push("site", (state) => {
    const { tokens, env } = state;
    const from = String((env as { readonly file: string }).file);
    for (const [index, token] of addressed(tokens).entries()) {
      const before = tokens[index - 1];
      if (token.type === "inline") token.children = resolved(token.children ?? [], { from, state, resolver });
      if (before?.type === "heading_open" && before.tag !== "h1" && !token.children!.some(isLink))
        token.children = linkAround(token.children!, `#${String(before.attrGet("id"))}`, state);
      if (before && /^t[hd]_open$/.test(before.type)) prepareCell(before, token, tokens[index + 1]!);
    }
  });
  const { rules } = markdown.renderer;
  const plainFence = rules["fence"]!;
  // A code block that scrolls can be reached by the keyboard.
  rules["fence"] = (...context) =>
    `<div class="example">${plainFence(...context).replace("<pre", '<pre tabindex="0"')}</div>\n`;
  rules["html_inline"] = plainMarkup;
  rules["html_block"] = (tokens, index, options, env, renderer) =>
    pictureIn(tokens[index]!.content, (env as { readonly file: string }).file, resolver) ??
    plainMarkup(tokens, index, options, env, renderer);
  rules["table_open"] = openTable;
  rules["table_close"] = () => "</table></div>\n";
  return markdown;
}

/** An empty result leaves the code without highlighting. */
function highlighted(code: string, language: string): string {
  return highlighter.getLanguage(language) ? highlighter.highlight(code, { language }).value : "";
}

/** HTML in documents is shown as text, so that `<name>` can be read. HTML comments are dropped. */
const plainMarkup: RendererRule = (tokens, index) =>
  escapeHtml(tokens[index]!.content.replace(/<!--[^]*?-->/g, ""));

/** A picture in both themes, as GitHub shows it: the only HTML of documents that becomes markup. */
function pictureIn(markup: string, from: string, resolver: Resolver): string | undefined {
  const [, dark, light, alternative, width] =
    /^<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img src="([^"]+)" alt="([^"]+)" width="(\d+)">\s*<\/picture>\s*$/.exec(
      markup,
    ) ?? [];
  if (width === undefined) return undefined;
  const address = (file: string): string => escapeHtml(resolver.link(file, from) ?? file);
  return `<picture><source media="(prefers-color-scheme: dark)" srcset="${address(dark!)}"><img src="${address(light!)}" alt="${escapeHtml(alternative!)}" width="${width}"></picture>\n`;
}

/** A wide table scrolls inside its box. */
const openTable: RendererRule = (tokens, index) => {
  const number = tokens.slice(0, index + 1).filter(({ type }) => type === "table_open").length;
  return `<div class="wide" role="region" aria-label="Table ${number}" tabindex="0"><table>\n`;
};

/** Turns the alignment of a column into a class. A header cell without text becomes a plain cell. */
function prepareCell(open: Token, { content }: Token, close: Token): void {
  const side = /^text-align:(\w+)/.exec(String(open.attrGet("style") ?? ""));
  open.attrs = side ? [["class", side[1]!]] : null;
  if (content === "") open.tag = close.tag = "td";
}

interface Resolving {
  readonly from: string;
  readonly state: StateCore;
  readonly resolver: Resolver;
}

/**
 * Returns the tokens of a text in which links, and code spans that name something, have addresses of the
 * site.
 */
function resolved(children: readonly Token[], { from, state, resolver }: Resolving): Token[] {
  const result: Token[] = [];
  for (let index = 0; index < children.length; index++) {
    const child = children[index]!;
    if (isLink(child)) {
      const end = children.findIndex(({ type }, at) => at > index && type === "link_close");
      const inner = children.slice(index + 1, end);
      const code = inner.length === 1 && isCode(inner[0]) ? inner[0]!.content : undefined;
      const href = resolver.link(hrefOf(child), from, code);
      const file = posix.join(posix.dirname(from), hrefOf(child));
      result.push(...(href === undefined ? named(inner, file, state) : linkAround(inner, href, state)));
      index = end;
    } else {
      const href = isCode(child) ? resolver.code(child.content, from) : undefined;
      result.push(...(href === undefined ? [child] : linkAround([child], href, state)));
    }
  }
  return result;
}

function linkAround(inner: readonly Token[], href: string, { Token: Made }: StateCore): Token[] {
  const open = new Made("link_open", "a", 1);
  open.attrSet("href", href);
  return [open, ...inner, new Made("link_close", "a", -1)];
}

/** Adds the path of a file that is not in the site, unless the text of the link contains it. */
function named(inner: readonly Token[], file: string, { Token: Made }: StateCore): Token[] {
  if (file.endsWith(inner.map(({ content }) => content).join(""))) return [...inner];
  const [before, name, after] = [
    new Made("text", "", 0),
    new Made("code_inline", "code", 0),
    new Made("text", "", 0),
  ];
  before.content = " (";
  name.content = file;
  after.content = ")";
  return [...inner, before, name, after];
}
