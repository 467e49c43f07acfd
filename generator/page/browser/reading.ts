// The program of pages to read: search, filters, place, theme, copying. Without it, the page shows everything.
import { addCopying } from "./parts/copying.js";
import { addTheme } from "./parts/theme.js";
import { startSearch, showAll } from "./reading/search.js";
import { say } from "./reading/status.js";

function startExpanding(): void {
  const button = document.querySelector<HTMLButtonElement>("#expand");
  button?.addEventListener("click", () => {
    const opens = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(opens));
    for (const details of document.querySelectorAll<HTMLDetailsElement>(
      "main .entry:not([hidden]), main .entry:not([hidden]) details",
    ))
      if (details instanceof HTMLDetailsElement) details.open = opens;
  });
}

/** Kinds of tokens, as the style names them; each group of the pattern is one. */
const kinds = ["key", "text", "number", "word"] as const;
const tokens =
  /("(?:[^"\\\n]|\\.)*"(?=\s*:))|("(?:[^"\\\n]|\\.)*")|((?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)|\b(true|false|null|const|await|import|from)\b/gi;

/** Longer texts are read elsewhere. */
const longest = 20_000;

/** Colours code as it comes into view. It stays one text: ranges over it are coloured. */
function colourCode(): void {
  if (!("highlights" in CSS) || typeof IntersectionObserver !== "function") return;
  const highlights = kinds.map((kind) => {
    const highlight = new Highlight();
    CSS.highlights.set(kind, highlight);
    return highlight;
  });
  const observer = new IntersectionObserver((changes) => {
    for (const { isIntersecting, target } of changes) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      colour(target.firstChild?.firstChild, highlights);
    }
  });
  for (const block of document.querySelectorAll(".example > pre")) observer.observe(block);
}

function colour(node: Node | null | undefined, highlights: readonly Highlight[]): void {
  if (!(node instanceof Text) || node.length > longest) return;
  for (const match of node.data.matchAll(tokens)) {
    const index = match.slice(1).findIndex((group) => group !== undefined);
    const range = new StaticRange({
      startContainer: node,
      startOffset: match.index,
      endContainer: node,
      endOffset: match.index + match[0].length,
    });
    highlights[index]?.add(range);
  }
}

// Where the reader is: the entry that the address names, and the one at the top of the window.

/** Shows the element that the address names, and opens what is around it. */
function goToTarget(): void {
  const id = location.hash.slice(1);
  const target = id === "" ? null : (document.getElementById(id) ?? document.getElementById(decoded(id)));
  if (!target) return;
  if (target.closest("[hidden]")) showAll();
  for (let around: Element | null = target; around; around = around.parentElement)
    if (around instanceof HTMLDetailsElement) around.open = true;
  target.scrollIntoView();
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

const contents = document.querySelector(".contents");
const links = new Map(
  [...(contents?.querySelectorAll<HTMLAnchorElement>("ul ul a") ?? [])].map((link) => [
    link.getAttribute("href")!.slice(1),
    link,
  ]),
);
let current: HTMLAnchorElement | undefined;

/** Marks the entry at the top of the window in the contents, and keeps its item in view. */
function mark(): void {
  const main = document.querySelector("#content");
  if (!main || !contents || contents.clientHeight === 0) return;
  const { left, width } = main.getBoundingClientRect();
  // The last entries never reach the top.
  const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  const height = isAtEnd ? innerHeight - 120 : 120;
  const found = document.elementFromPoint(left + width / 4, height)?.closest(".entry");
  const entry = found ?? (isAtEnd ? lastShown() : undefined);
  const link = entry ? links.get(entry.id) : undefined;
  if (link === current) return;
  current?.removeAttribute("aria-current");
  current = link;
  link?.setAttribute("aria-current", "true");
  const side = contents.closest(".side");
  if (!link || !side || side.scrollHeight <= side.clientHeight) return;
  const [item, frame] = [link.getBoundingClientRect(), side.getBoundingClientRect()];
  if (item.top < frame.top || item.bottom > frame.bottom)
    side.scrollTop += item.top - frame.top - side.clientHeight / 3;
}

/** The last entry, above the foot of the page. */
function lastShown(): Element | undefined {
  return [...document.querySelectorAll("main .entry:not([hidden])")].at(-1);
}

/** At most once a frame. */
function oncePerFrame(action: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      action();
    });
  };
}

function startPlace(): void {
  addEventListener("hashchange", goToTarget);
  addEventListener("scroll", oncePerFrame(mark), { passive: true });
  goToTarget();
}

startSearch();
addTheme();
startExpanding();
addCopying((text) => say(text, true));
colourCode();
startPlace();
