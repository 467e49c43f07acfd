import { markup } from "./connection.js";
import { button, element } from "./dom.js";

/**
 * Control characters, and characters that hide or reorder text; without those that join letters and emoji.
 */
const unprintable =
  /[\p{Cc}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** Text with every hidden character made visible. */
export function visible(text: string): string {
  return text.replace(unprintable, (character) =>
    character === "\n" || character === "\t"
      ? character
      : `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`,
  );
}

/** Maximum length of a name. */
const longestName = 200;

/** A name from the server in one short line with separate text direction; lines break only between words. */
export function nameText(name: string): HTMLElement {
  const words = shortText(name).split(/(?<=[_./:-])(?=[^_./:-])/);
  return element(
    "bdi",
    {},
    ...words.flatMap((word, index) => (index === 0 ? [word] : [element("wbr"), word])),
  );
}

/** The same as plain text, for labels and options. */
export function shortText(name: string, longest = longestName): string {
  const line = visible(name.slice(0, longest + 1)).replace(/\s+/g, " ");
  return name.length > longest ? `${line.slice(0, longest)}…` : line;
}

/** Number of characters shown at first, and with each further step. */
const [first, step] = [3_000, 100_000];

/** A text of any length: its beginning, and a button for more. Each paragraph has its text direction. */
export function longText(text: string, name: "pre" | "div" = "div"): HTMLElement {
  const body = element(name, { class: "text", ...(name === "pre" && { tabindex: 0 }) });
  let shown = 0;
  const more = button("", () => grow(step), { class: "more" });
  const grow = (characters: number): void => {
    const end = shown + characters;
    body.append(visible(text.slice(shown, end)));
    shown = Math.min(end, text.length);
    const left = text.length - shown;
    more.textContent = `Show more (${left.toLocaleString("en")} characters left)`;
    more.hidden = left === 0;
  };
  grow(first);
  return element("div", { class: "long" }, body, more);
}

/** Elements of texts that were shown before: shown again, they do not change before the eyes of the user. */
const rendered = new Map<string, Promise<readonly Node[]>>();

/** A description: its Markdown as elements, or its text if it is long or if elements would omit any of it. */
export function prose(text: string): HTMLElement {
  const shown = longText(text);
  if (text.length > first || !/[`*_#|[~<>]|^\s*[-+\d]/m.test(text)) return shown;
  const found = rendered.get(text) ?? markup(text);
  rendered.set(text, found);
  void found.then((nodes) => {
    if (nodes.length === 0) return;
    shown.className = "prose";
    shown.replaceChildren(...nodes.map((node) => node.cloneNode(true)));
    for (const link of shown.querySelectorAll("a")) link.target = "_blank";
  });
  return shown;
}
