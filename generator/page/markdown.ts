import Markdown, { type Token } from "markdown-it";
import { type Piece, Html, codeBlock, html, joined } from "./html.js";

/**
 * Reads the Markdown of strangers. Raw HTML and entities stay text. So do definitions of links (`[a]: …`), which other
 * readers hide: a server could keep instructions for a model in them that no person sees.
 */
const reader = new Markdown({ html: false, linkify: false }).disable(["reference", "entity"]);
// `addressOf` decides which targets become links.
reader.validateLink = () => true;
reader.normalizeLink = (target) => target;
reader.normalizeLinkText = (target) => target;

/** Maximum nesting of lists, quotations and emphasis; a text with more of it is shown as it is written. */
const deepest = 16;

/**
 * Renders Markdown of a server as markup without images, raw HTML and headings, so that it can neither load
 * anything nor pretend to be a part of the page. A link shows its target.
 *
 * @returns undefined if the markup would omit text of the source, or nests too deeply
 */
export function markdownHtml(text: string): Html | undefined {
  const tokens = reader.parse(text, {});
  const rendered = render(tokens);
  return rendered && lettersOf(rendered.text) === lettersOf(text) ? rendered.html : undefined;
}

/** Everything in a text that has no meaning in Markdown: a rendering must show it, in this order. */
function lettersOf(text: string): string {
  return text.replace(/[\s!-/:-@[-`{-~]/g, "");
}

/** Markup, and the text of the source that it shows. */
interface Rendered {
  readonly html: Html;
  readonly text: string;
}

/** The end of an element. */
interface End {
  readonly piece: Piece;
  readonly text: string;
}

function render(tokens: readonly Token[]): Rendered | undefined {
  const pieces: Piece[] = [];
  const ends: End[] = [];
  let text = "";
  for (const [index, token] of tokens.entries()) {
    if (token.level > deepest) return undefined;
    if (token.nesting < 0) {
      const end = ends.pop()!;
      pieces.push(end.piece);
      text += end.text;
    } else if (token.nesting > 0) {
      const element = elementOf(token, tokens[index + 1]);
      if (!element) return undefined;
      pieces.push(element.start);
      text += element.text;
      ends.push(element.end);
    } else {
      const leaf = leafOf(token);
      if (!leaf) return undefined;
      pieces.push(leaf.html);
      text += leaf.text;
    }
  }
  return { html: joined(pieces), text };
}

/** Elements whose tokens need nothing but their tag. */
const plain: Readonly<Record<string, string>> = {
  ...{ blockquote: "blockquote", bullet_list: "ul", ordered_list: "ol" },
  ...{ strong: "strong", em: "em", s: "s", thead: "thead", tbody: "tbody", tr: "tr", td: "td" },
};

/** What begins an element: markup, the text of the source in it, and the end. */
interface Start {
  readonly start: Piece;
  readonly text: string;
  readonly end: End;
}

function elementOf(token: Token, next: Token | undefined): Start | undefined {
  const name = token.type.replace(/_open$/, "");
  const element = (start: string, end: string, text = ""): Start => ({
    ...{ start: new Html(start), text },
    end: { piece: new Html(end), text: "" },
  });
  switch (name) {
    case "paragraph":
      return token.hidden ? element("", "") : element("<p>", "</p>");
    // A heading of a stranger is not one of the page.
    case "heading":
      return element('<p class="heading">', "</p>");
    // Ordered lists keep the numbers that the text gives.
    case "list_item":
      return /^\d+$/.test(token.info)
        ? element(`<li value="${token.info}">`, "</li>", token.info)
        : element("<li>", "</li>");
    case "table":
      return element('<div class="wide" tabindex="0"><table>', "</table></div>");
    case "th":
      return next?.content === "" ? element("<td>", "</td>") : element("<th>", "</th>");
    case "link":
      return linkOf(token);
    default: {
      const tag = plain[name];
      return tag === undefined ? undefined : element(`<${tag}>`, `</${tag}>`);
    }
  }
}

function leafOf(token: Token): Rendered | undefined {
  const { type, content, info, children } = token;
  switch (type) {
    case "inline":
      return render(children ?? []);
    case "text":
      return { html: html`${content}`, text: content };
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
      return { html: html`${label}${codeBlock(content.replace(/\n$/, ""))}`, text: info + content };
    }
    case "image":
      return imageOf(token);
    default:
      return undefined;
  }
}

/** A link to another site, which shows its target. One that the browser would read differently is text. */
function linkOf(token: Token): Start {
  const [target, title] = [String(token.attrGet("href")), token.attrGet("title")];
  const address = addressOf(target);
  const open = address !== undefined && html`<a href="${address}" rel="noopener noreferrer"></a>`;
  // An autolink is its target.
  const isTarget = token.markup === "autolink";
  const written = isTarget ? "" : [target, ...(title === null ? [] : [`"${title}"`])].join(" ");
  return {
    start: html`${open}<bdi></bdi>`,
    text: "",
    end: {
      piece: html`</bdi>${address !== undefined && new Html("</a>")}${!isTarget && targetText(written)}`,
      text: written,
    },
  };
}

/** An image is not loaded: its alternative text and its address are shown. */
function imageOf(token: Token): Rendered | undefined {
  const label = render(token.children ?? []);
  if (!label) return undefined;
  const [source, title] = [String(token.attrGet("src")), token.attrGet("title")];
  const written = [source, ...(title === null ? [] : [`"${title}"`])].join(" ");
  return {
    html: html`<span class="target">image:</span> <bdi>${label.html}</bdi>${targetText(written)}`,
    text: label.text + written,
  };
}

function targetText(written: string): Html {
  return html` <bdi class="target">(${written})</bdi>`;
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
