import MarkdownIt, { type Token } from "markdown-it";
import type { Source } from "./documents.js";
import type { Problem } from "./problem.js";
import { Slugs } from "./slug.js";

/** A heading, and the text below it up to the next one. */
export interface Passage {
  readonly level: number;
  readonly title: string;
  readonly id: string;
  readonly texts: string[];
  /** The code in the first cells of tables: names that the rows explain. */
  readonly terms: string[];
}

/** A link of a document. */
export interface Link {
  readonly token: Token;
  readonly href: string;
  readonly line: number;
  /** Its text, if it is code alone. */
  readonly code?: string;
}

/** A document that is read; its links are not resolved. */
export interface Document extends Source {
  readonly title: string;
  readonly passages: readonly Passage[];
  readonly links: readonly Link[];
  readonly tokens: Token[];
  readonly problems: readonly Problem[];
}

const markdown = new MarkdownIt({ html: true });

/** Reads a document: its headings get addresses; what it may not have is a problem. */
export function readDocument(source: Source): Document {
  const tokens = markdown.parse(source.text, {});
  const passages = passagesOf(tokens);
  const titles = passages.filter(({ level }) => level === 1);
  const problems = tokens.flatMap((token) => markupProblems(token, source.file));
  if (titles.length !== 1)
    problems.push({
      ...{ code: "SITE4", file: source.file, line: 1 },
      what: `${titles.length} headings of the first level`,
    });
  return {
    ...source,
    ...{ title: titles[0]?.title ?? source.file, passages, tokens, problems },
    links: linksOf(tokens, source.text),
  };
}

/** Sets the address of each heading. */
function passagesOf(tokens: readonly Token[]): Passage[] {
  const slugs = new Slugs();
  const passages: Passage[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const title = plainText(tokens[index + 1]!);
      const id = slugs.of(title);
      token.attrSet("id", id);
      passages.push({ level: Number(token.tag.slice(1)), title, id, texts: [], terms: [] });
    } else if (token.type === "inline" && tokens[index - 1]?.type !== "heading_open") {
      passages.at(-1)?.texts.push(plainText(token));
      if (tokens[index - 1]?.type === "td_open" && tokens[index - 2]?.type === "tr_open")
        passages.at(-1)?.terms.push(...codeIn(token));
    } else if (token.type === "fence" || token.type === "code_block") {
      passages.at(-1)?.texts.push(token.content);
    }
  }
  return passages;
}

function codeIn({ children }: Token): string[] {
  return (children ?? []).filter(({ type }) => type === "code_inline").map(({ content }) => content);
}

/** HTML other than comments. */
function markupProblems(token: Token, file: string): Problem[] {
  const inner = token.type === "inline" ? (token.children ?? []) : [token];
  const markup = inner.filter(({ type }) => isMarkup(type)).map(({ content }) => content);
  return markup
    .filter((content) => content.replace(/<!--[^]*?-->/g, "").trim() !== "")
    .map((content) => ({
      ...{ code: "SITE3", file, what: `HTML: ${content.trim().slice(0, 60)}` },
      ...(token.map && { line: token.map[0] + 1 }),
    }));
}

function isMarkup(type: string): boolean {
  return type === "html_block" || type === "html_inline" || type === "image";
}

/** The text of an inline token, without its marks. */
function plainText({ children }: Token): string {
  return (children ?? [])
    .map(({ type, content }) => (type.endsWith("break") ? " " : isMarkup(type) ? "" : content))
    .join("");
}

function linksOf(tokens: readonly Token[], text: string): Link[] {
  const lines = text.split("\n");
  const links: Link[] = [];
  // Cells of tables have no line; their row has.
  let line = 0;
  for (const token of tokens) {
    if (token.map) line = token.map[0];
    const children = token.children ?? [];
    for (const [index, child] of children.entries()) {
      if (child.type !== "link_open") continue;
      const href = String(child.attrGet("href"));
      const after = lines.slice(line).findIndex((each) => each.includes(`](${href})`));
      const code = codeAlone(children, index);
      const place = line + Math.max(0, after) + 1;
      links.push({ token: child, href, line: place, ...(code !== undefined && { code }) });
    }
  }
  return links;
}

function codeAlone(children: readonly Token[], open: number): string | undefined {
  const [inner, close] = children.slice(open + 1);
  return inner?.type === "code_inline" && close?.type === "link_close" ? inner.content : undefined;
}
