// The program of the search page. Without it, the page lists all pages.
import { type Found, searchIn } from "../find.js";
import { addControls } from "./parts/controls.js";

/** The highest number of results that are shown. */
const most = 60;

/** The number of characters of a text that are shown around the first word. */
const around = 110;

const input = document.querySelector<HTMLInputElement>("#search")!;
const results = document.querySelector("#results")!;
const status = document.querySelector("#status")!;
const find = searchIn(JSON.parse(document.querySelector("#index")!.textContent!) as Found[]);

function show(): void {
  const words = input.value.split(/[\p{Z}\p{P}]+/u).filter(Boolean);
  const found = find(input.value);
  results.replaceChildren(...found.slice(0, most).map((each) => resultOf(each, words)));
  const count =
    found.length > most ? `${found.length} found, the first ${most} are shown` : `${found.length} found`;
  status.textContent = words.length === 0 ? "" : count;
}

function resultOf(found: Found, words: readonly string[]): Element {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = found.a;
  link.append(...marked(found.n, words));
  const where = document.createElement("span");
  where.className = "soft";
  where.append(` ${found.p}`);
  for (const [label, page] of found.more ?? []) {
    const other = document.createElement("a");
    other.href = page + link.hash;
    other.textContent = label;
    where.append(" · ", other);
  }
  const text = document.createElement("p");
  text.append(...marked(excerptOf(found.t, words), words));
  item.append(link, where, text);
  return item;
}

/**
 * Returns the part of a text around the first word that it contains; its beginning if it contains none of the
 * words.
 */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  const start = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - around);
  const end = start + 2 * around;
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

/** Returns a text in which the words are highlighted. */
function marked(text: string, words: readonly string[]): Node[] {
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  if (escaped.length === 0) return [document.createTextNode(text)];
  return text.split(new RegExp(`(${escaped.join("|")})`, "gi")).map((part, index) => {
    if (index % 2 === 0) return document.createTextNode(part);
    const mark = document.createElement("mark");
    mark.textContent = part;
    return mark;
  });
}

/**
 * Keeps the words in the address, so that a search can be linked to. A browser may refuse this for local
 * files.
 */
function keep(): void {
  const { value } = input;
  try {
    history.replaceState(null, "", value === "" ? location.pathname : `?q=${encodeURIComponent(value)}`);
  } catch {
    // The search works without the address.
  }
}

input.value = new URLSearchParams(location.search).get("q") ?? "";
input.addEventListener("input", () => {
  show();
  keep();
});
input.form!.addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.focus();
});
addControls();
show();
input.focus();
