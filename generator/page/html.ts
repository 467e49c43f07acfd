import { escapeUnprintable } from "../print/text.js";
import { sha256 } from "../files/regular-file.js";

/** Markup that is safe to stand in a page as it is. Templates of pages insert it unescaped, and escape every string. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Handlebars calls it in place of escaping. */
  toHTML(): string {
    return this.text;
  }
}

/** What a place of `html` takes: strings are escaped; `undefined` and `false` leave the place empty. */
export type Piece = Html | string | number | undefined | false | readonly Piece[];

/** Markup with values in it. The literal text is markup; strings among the values are text. */
export function html(literals: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = literals[0]!;
  for (const [index, piece] of pieces.entries()) text += markupOf(piece) + literals[index + 1]!;
  return new Html(text);
}

/** Pieces one after another. */
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

/** Text as markup, for content and for quoted values of attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => entities[character]!);
}

/** A name that may break after its separators and before its capitals, and nowhere else while a line has room. */
export function breakable(name: string): Html {
  const parts = name.split(/(?<=[/._-])(?=\w)|(?<=[a-z\d])(?=[A-Z])/);
  return joined(parts, "<wbr>");
}

/**
 * A page without characters that hide or reorder text: they become `\uXXXX`. Markup and style have none of them; JSON in
 * a page keeps its meaning.
 */
export function visible(page: string): string {
  return page
    .replace(/\r\n?/g, "\n")
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : escapeUnprintable(part)))
    .join("");
}

/** Longer names are cut, and made unique by a hash. */
const longest = 100;

/**
 * The `id` of the element about `name`, the same in every page that has it: `#` and this is its address. Other
 * characters than those of fragments (RFC 3986, section 3.5) are percent-encoded.
 */
export function anchor(kind: string, name: string): string {
  const encoded = encodeURIComponent(name.replace(/\p{Surrogate}/gu, "\ufffd"))
    .replaceAll("%2F", "/")
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const short =
    encoded.length > longest ? `${encoded.slice(0, longest)}-${sha256(name).slice(0, 12)}` : encoded;
  return `${kind}-${short}`;
}

/** Characters of one text in a page: nothing limits names and prose of servers. */
const most = 6_000;

/** The beginning of a long text, and how much of it is left out. */
export function cut(text: string, longest = most): { readonly text: string; readonly left: number } {
  return text.length <= longest
    ? { text, left: 0 }
    : { text: text.slice(0, longest), left: text.length - longest };
}

/** The same as one text. */
export function shortened(text: string, longest = most): string {
  const { text: beginning, left } = cut(text, longest);
  return left === 0 ? beginning : `${beginning}… (${left.toLocaleString("en")} more characters)`;
}

/** Characters of a name. */
export const longestName = 300;
