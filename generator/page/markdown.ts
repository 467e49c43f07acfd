import Markdown, { type Token } from "markdown-it";
import { type Piece, Html, codeBlock, escapeHtml, html, joined } from "./html.js";

/**
 * Reads the Markdown of strangers. Raw HTML and entities stay text. So do definitions of links (`[a]: …`), which other
 * readers hide: a server could keep instructions for a model in them that people do not see.
 */
const reader = new Markdown({ html: false, linkify: false }).disable(["reference", "entity"]);
// `addressOf` decides which targets become links.
reader.validateLink = () => true;
reader.normalizeLink = reader.normalizeLinkText = (target) => target;

/** Maximum nesting of lists, quotations and emphasis; a text with more of it is shown as it is written. */
const deepest = 16;

/** Markup, and the text of the source that it shows. */
interface Shown {
  readonly html: Piece;
  readonly text: string;
}

/**
 * Renders Markdown of a server as markup without images, raw HTML and headings, so that it can neither load
 * anything nor pretend to be a part of the page. A link shows its target.
 *
 * @returns undefined if the markup would omit text of the source, or nests too deeply
 */
export function markdownHtml(text: string): Html | undefined {
  const shown = render(reader.parse(text, {}));
  return shown && lettersOf(shown.text) === lettersOf(text) ? joined([shown.html]) : undefined;
}

/** Everything in a text that has no meaning in Markdown: its markup must show it, in this order. */
function lettersOf(text: string): string {
  return text.replace(/[\s!-/:-@[-`{-~]/g, "");
}

/**
 * Returns a text if it is Markdown that can stand in another document: its paragraphs, lists, quotations, tables, emphasis
 * and code neither lead elsewhere nor reach beyond their end.
 */
export function safeMarkdown(text: string): string | undefined {
  if (/[<&[\]$@#]|^[^\p{L}\p{N}]*(?:`{3}|~{3})|https?:|ftp:|mailto:|www\./imu.test(text)) return undefined;
  const isSafe = ({ type, level }: Token): boolean => type !== "heading_open" && level <= deepest;
  return reader.parse(text, {}).every(isSafe) ? text : undefined;
}

function render(tokens: readonly Token[]): Shown | undefined {
  const shown: Shown[] = [];
  const ends: Shown[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.level > deepest) return undefined;
    if (token.nesting > 0) {
      const element = elementOf(token, tokens[index + 1]!);
      if (!element) return undefined;
      shown.push(element[0]);
      ends.push(element[1]);
    } else {
      const next = token.nesting < 0 ? ends.pop() : leafOf(token);
      if (!next) return undefined;
      shown.push(next);
    }
  }
  return { html: shown.map((each) => each.html), text: shown.map((each) => each.text).join("") };
}

/** Elements without attributes, by the type of their tokens. */
const tags: Readonly<Record<string, string>> = {
  ...{ paragraph_open: "p", blockquote_open: "blockquote", bullet_list_open: "ul", ordered_list_open: "ol" },
  ...{ strong_open: "strong", em_open: "em", s_open: "s", thead_open: "thead", tbody_open: "tbody" },
  ...{ tr_open: "tr", td_open: "td", list_item_open: "li", th_open: "th" },
};

/** The start and the end of an element. */
function elementOf(token: Token, next: Token): readonly [Shown, Shown] | undefined {
  const element = (start: string, end: string, text = ""): [Shown, Shown] => [
    { html: new Html(start), text },
    { html: new Html(end), text: "" },
  ];
  const { type, info, hidden } = token;
  if (hidden) return element("", "");
  if (type === "link_open") return linkOf(token);
  // A heading of a stranger is not one of the page.
  if (type === "heading_open") return element('<p class="heading">', "</p>");
  if (type === "table_open") return element('<div class="wide" tabindex="0"><table>', "</table></div>");
  // Ordered lists keep the numbers that the text gives.
  if (type === "list_item_open" && /^\d+$/.test(info)) return element(`<li value="${info}">`, "</li>", info);
  const tag = type === "th_open" && next.content === "" ? "td" : tags[type];
  return tag === undefined ? undefined : element(`<${tag}>`, `</${tag}>`);
}

function leafOf(token: Token): Shown | undefined {
  const { type, content, info, children } = token;
  switch (type) {
    case "inline":
      return render(children ?? []);
    case "text":
      return { html: content, text: content };
    // Many descriptions are written in lines.
    case "softbreak":
    case "hardbreak":
      return { html: new Html("<br>"), text: "" };
    case "hr":
      return { html: new Html("<hr>"), text: "" };
    case "code_inline":
      return { html: html`<code>${content}</code>`, text: content };
    case "code_block":
    case "fence": {
      const label = info.trim() !== "" && html`<p class="language">${info.trim()}</p>`;
      return { html: [label, codeBlock(content.replace(/\n$/, ""))], text: info + content };
    }
    case "image":
      return imageOf(token);
    default:
      return undefined;
  }
}

/** A link to another site, which shows its target. One that the browser would read differently is text. */
function linkOf(token: Token): readonly [Shown, Shown] {
  const target = String(token.attrGet("href"));
  const address = addressOf(target);
  // The text of an autolink is its target.
  const end = token.markup === "autolink" ? { html: "", text: "" } : targetOf(token, target);
  const open = address === undefined ? "" : `<a href="${escapeHtml(address)}" rel="noopener noreferrer">`;
  return [
    { html: new Html(`${open}<bdi>`), text: "" },
    { html: [new Html(open === "" ? "</bdi>" : "</bdi></a>"), end.html], text: end.text },
  ];
}

/** An image is not loaded: its alternative text and its address are shown. */
function imageOf(token: Token): Shown | undefined {
  const label = render(token.children ?? []);
  const target = targetOf(token, String(token.attrGet("src")));
  return (
    label && {
      html: html`<span class="target">image:</span> <bdi>${label.html}</bdi>${target.html}`,
      text: label.text + target.text,
    }
  );
}

/** The target of a link or an image, and its title. */
function targetOf(token: Token, target: string): Shown {
  const title = token.attrGet("title");
  const text = title === null ? target : `${target} "${title}"`;
  return { html: html` <bdi class="target">(${text})</bdi>`, text };
}

/**
 * The address of a link, if it is one of the web or of mail without a login, and written as browsers read it:
 * the text that is shown and the place that is opened are the same.
 */
function addressOf(target: string): string | undefined {
  if (!/^(?:https?|mailto):/.test(target) || !URL.canParse(target)) return undefined;
  const { href, username, password } = new URL(target);
  return username === "" && password === "" && [target, `${target}/`].includes(href) ? href : undefined;
}
