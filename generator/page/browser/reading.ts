// The script of reference pages: search, filters, position, theme, copying. Without it, the page shows
// everything.
import { addCopying, addTheme } from "./reading/controls.js";

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

/** Kinds of tokens as the style sheet names them; each is one group of the pattern. */
const kinds = ["key", "text", "number", "word"] as const;
const tokens =
  /("(?:[^"\\\n]|\\.)*"(?=\s*:))|("(?:[^"\\\n]|\\.)*")|((?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)|\b(true|false|null|const|await|import|from)\b/gi;

/** Maximum length of code that is coloured. */
const longest = 20_000;

/** Colours code when it comes into view. The text is not split: ranges over it are highlighted. */
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

// The reader's position: the entry that the URL names, and the entry at the top of the window.

/** Shows the element that the URL names, and opens the elements around it. */
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

/** Marks the entry at the top of the window in the table of contents, and keeps that item visible. */
function mark(): void {
  const main = document.querySelector("#content");
  if (!main || !contents || contents.clientHeight === 0) return;
  const { left, width } = main.getBoundingClientRect();
  // The last entries can never reach the top of the window.
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

/** The last visible entry, above the page's footer. */
function lastShown(): Element | undefined {
  return [...document.querySelectorAll("main .entry:not([hidden])")].at(-1);
}

/** Limits an action to once per frame. */
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

interface Entry {
  readonly element: HTMLElement;
  readonly section: HTMLElement | null;
  /** The item of the table of contents that leads to it. */
  readonly item: Element | undefined;
  /** In lower case, like all searched text. */
  readonly name: string;
  readonly text: string;
}

const search = document.querySelector<HTMLInputElement>("#search");
const none = document.querySelector<HTMLElement>("#none");
const filters = [...document.querySelectorAll<HTMLSelectElement | HTMLInputElement>("[data-filter]")];

let known: readonly Entry[] | undefined;

/** The items of the table of contents, by link target. */
let items: ReadonlyMap<string, Element> = new Map();

/** All entries; read on first use. */
function entries(): readonly Entry[] {
  if (known) return known;
  const links = document.querySelectorAll<HTMLAnchorElement>(".contents a");
  items = new Map([...links].map((link) => [link.getAttribute("href")!.slice(1), link.parentElement!]));
  known = [...document.querySelectorAll<HTMLElement>(".entry")].map((element) => ({
    element,
    section: element.closest<HTMLElement>("section"),
    item: items.get(element.id),
    name: (element.querySelector("h3")?.textContent ?? "").toLowerCase(),
    text: [...element.querySelectorAll(".head, .lead, .name")]
      .map(({ textContent }) => textContent)
      .join(" ")
      .toLowerCase(),
  }));
  return known;
}

function wantedWords(): string[] {
  return (search?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
}

/** Shows the entries that contain every search word and match the filters. */
function show(): void {
  const words = wantedWords();
  const wanted = filters.flatMap((filter): [string, string][] => {
    const value = filter instanceof HTMLInputElement && !filter.checked ? "" : filter.value;
    return value === "" ? [] : [[filter.dataset["filter"]!, value]];
  });
  const isFree = words.length === 0 && wanted.length === 0;
  // Without an earlier search or filter, nothing is hidden.
  if (isFree && !known) return;
  const sections = new Map<HTMLElement, number>();
  let found = 0;
  for (const { element, section, item, text } of entries()) {
    const fits =
      words.every((word) => text.includes(word)) &&
      wanted.every(([name, value]) => (element.dataset[name] ?? "").split(" ").includes(value));
    if (element.hidden === fits) {
      element.hidden = !fits;
      item?.toggleAttribute("hidden", !fits);
    }
    if (fits) found += 1;
    if (section) sections.set(section, (sections.get(section) ?? 0) + (fits ? 1 : 0));
  }
  for (const [section, count] of sections) {
    section.hidden = count === 0;
    items.get(section.querySelector("h2")?.id ?? "")?.toggleAttribute("hidden", count === 0);
  }
  none?.toggleAttribute("hidden", found > 0);
  say(isFree ? "" : found === 0 ? "Nothing found" : `${found.toLocaleString("en")} found`);
}

/** Shows everything again. */
function showAll(): void {
  if (search) search.value = "";
  for (const filter of filters) {
    if (filter instanceof HTMLInputElement) filter.checked = false;
    else filter.value = "";
  }
  show();
}

/** Goes to the entry whose name matches the search best. */
function goToFirst(): void {
  const shown = entries().filter(({ element }) => !element.hidden);
  const wanted = wantedWords().join(" ");
  const best =
    shown.find(({ name }) => name === wanted) ??
    shown.find(({ name }) => name.startsWith(wanted)) ??
    shown.find(({ name }) => name.includes(wanted)) ??
    shown[0];
  if (!best) return;
  const { element } = best;
  if (element instanceof HTMLDetailsElement) element.open = true;
  element.querySelector<HTMLElement>("a, summary")?.focus({ preventScroll: true });
  element.scrollIntoView();
}

function onKey(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const types = target instanceof HTMLElement && target.matches("input, select, textarea");
  if (key === "/" && !types && !ctrlKey && !metaKey && !altKey) {
    event.preventDefault();
    search?.focus();
    search?.select();
  } else if (target === search && key === "Escape") showAll();
  else if (target === search && key === "Enter") goToFirst();
}

function startSearch(): void {
  for (const controls of document.querySelectorAll<HTMLElement>(".controls")) controls.hidden = false;
  search?.addEventListener("input", show);
  for (const filter of filters) filter.addEventListener("change", show);
  document.querySelector("#reset")?.addEventListener("click", () => {
    showAll();
    search?.focus();
  });
  addEventListener("keydown", onKey);
}

const status = document.querySelector<HTMLElement>("#status");
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a text until the next one, or only for a while. Assistive technology reads it out. */
function say(text: string, isPassing = false): void {
  clearTimeout(timer);
  if (status) status.textContent = text;
  if (isPassing) timer = setTimeout(() => say(""), 2_000);
}

startSearch();
addTheme();
startExpanding();
addCopying((text) => say(text, true));
colourCode();
startPlace();
