import { escapeUnprintable } from "../print/text.js";
import { sha256 } from "../files/regular-file.js";

/**
 * Markup that can be inserted into a page unescaped. Page templates escape every string and insert only this
 * without escaping.
 */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Handlebars calls this instead of escaping. */
  toHTML(): string {
    return this.text;
  }
}

/** A value in `html`: strings are escaped; `undefined` and `false` insert nothing. */
export type Piece = Html | string | number | undefined | false | readonly Piece[];

/** A template literal tag: the literal text is markup, and strings among the values are escaped. */
export function html(literals: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = literals[0]!;
  for (const [index, piece] of pieces.entries()) text += markupOf(piece) + literals[index + 1]!;
  return new Html(text);
}

/** Joins pieces of markup. */
export function joined(pieces: readonly Piece[], separator = ""): Html {
  return new Html(pieces.map(markupOf).join(separator));
}

function markupOf(piece: Piece): string {
  if (piece === undefined || piece === false) return "";
  if (piece instanceof Html) return piece.text;
  if (typeof piece === "object") return piece.map(markupOf).join("");
  return escapeHtml(String(piece));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** Escapes text for content and quoted attribute values. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => entities[character]!);
}

/** A name with line-break opportunities only after separators and before capitals. */
export function breakable(name: string): Html {
  const parts = name.split(/(?<=[/._-])(?=\w)|(?<=[a-z\d])(?=[A-Z])/);
  return joined(parts, "<wbr>");
}

/**
 * Replaces characters that hide or reorder text by `\uXXXX`. Markup and style contain none, and JSON in the
 * page keeps its meaning.
 */
export function visible(page: string): string {
  return page
    .replace(/\r\n?/g, "\n")
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : escapeUnprintable(part)))
    .join("");
}

/** Maximum length of an id; longer ones are truncated and made unique by a hash. */
const longest = 100;

/**
 * The `id` of the element about `name`, which is the same in every page; a link to the element is `#` and the
 * id. Characters not allowed in fragments (RFC 3986, section 3.5) are percent-encoded.
 */
export function anchor(kind: string, name: string): string {
  const encoded = encodeURIComponent(name.replace(/\p{Surrogate}/gu, "\ufffd"))
    .replaceAll("%2F", "/")
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const short =
    encoded.length > longest ? `${encoded.slice(0, longest)}-${sha256(name).slice(0, 12)}` : encoded;
  return `${kind}-${short}`;
}

/** Maximum length of one text in a page, because names and prose of servers have no limit. */
const most = 6_000;

/** Truncates a long text; returns the beginning and the number of omitted characters. */
export function cut(text: string, longest = most): { readonly text: string; readonly left: number } {
  return text.length <= longest
    ? { text, left: 0 }
    : { text: text.slice(0, longest), left: text.length - longest };
}

/** Truncates a long text; returns one text. */
export function shortened(text: string, longest = most): string {
  const { text: beginning, left } = cut(text, longest);
  return left === 0 ? beginning : `${beginning}… (${left.toLocaleString("en")} more characters)`;
}

/** Maximum length of a block of code. */
const longestCode = 20_000;

/** Maximum number of lines of a block without scrolling, and the line length on the smallest screen. */
const [mostLines, shortestLine] = [20, 20];

/** Renders a block of code. One that scrolls can be focused with the keyboard. */
export function codeBlock(text: string): Html {
  const lines = text.split("\n").map(({ length }) => Math.ceil(length / shortestLine) || 1);
  const scrolls = lines.reduce((sum, each) => sum + each, 0) > mostLines;
  return html`<pre${scrolls && new Html(' tabindex="0"')}><code>${shortened(text, longestCode)}</code></pre>`;
}

/** Maximum length of a name. */
export const longestName = 300;
