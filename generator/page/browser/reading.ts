// The program of pages to read: search, filters, theme, copying. Without it, the page shows everything.
import { addCopying } from "./parts/copying.js";
import { addTheme } from "./parts/theme.js";

interface Entry {
  readonly element: HTMLElement;
  readonly section: HTMLElement | null;
  /** The item of the contents that leads to it. */
  readonly item: Element | undefined;
  /** What a search looks through, in lower case. */
  readonly text: string;
}

const search = document.querySelector<HTMLInputElement>("#search");
const status = document.querySelector<HTMLElement>("#status");
const filters = [...document.querySelectorAll<HTMLSelectElement | HTMLInputElement>("[data-filter]")];

let known: readonly Entry[] | undefined;

/** Every entry, read when it is first needed. */
function entries(): readonly Entry[] {
  if (known) return known;
  const items = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>(".contents a")].map((link) => [
      link.getAttribute("href")!.slice(1),
      link.parentElement!,
    ]),
  );
  known = [...document.querySelectorAll<HTMLElement>(".entry")].map((element) => ({
    element,
    section: element.closest<HTMLElement>("section"),
    item: items.get(element.id),
    text: [...element.querySelectorAll(".head, .lead, .name")]
      .map(({ textContent }) => textContent)
      .join(" ")
      .toLowerCase(),
  }));
  return known;
}

/** Shows the entries that have every word of the search and the values of the filters. */
function show(): void {
  const words = (search?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = filters.flatMap((filter): [string, string][] => {
    const value = filter instanceof HTMLInputElement && !filter.checked ? "" : filter.value;
    return value === "" ? [] : [[filter.dataset["filter"]!, value]];
  });
  const isFree = words.length === 0 && wanted.length === 0;
  // Before anything was asked for, there is nothing to bring back.
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
  for (const [section, count] of sections) section.hidden = count === 0;
  say(isFree ? "" : found === 0 ? "Nothing found" : `${found} found`);
}

function say(text: string): void {
  if (status) status.textContent = text;
}

/** Shows the element that the address names, and opens what is around it. */
function goToTarget(): void {
  const id = location.hash.slice(1);
  const target = id === "" ? null : (document.getElementById(id) ?? document.getElementById(decoded(id)));
  if (!target) return;
  if (target.closest("[hidden]")) {
    reset();
    show();
  }
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

function reset(): void {
  if (search) search.value = "";
  for (const filter of filters) {
    if (filter instanceof HTMLInputElement) filter.checked = false;
    else filter.value = "";
  }
}

function onKey(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const types = target instanceof HTMLElement && target.matches("input, select, textarea");
  if (key === "/" && !types && !ctrlKey && !metaKey && !altKey) {
    event.preventDefault();
    search?.focus();
    search?.select();
  } else if (target === search && key === "Escape") {
    reset();
    show();
  } else if (target === search && key === "Enter") {
    const first = entries().find(({ element }) => !element.hidden)?.element;
    if (!first) return;
    if (first instanceof HTMLDetailsElement) first.open = true;
    first.querySelector<HTMLElement>("a, summary")?.focus();
    first.scrollIntoView();
  }
}

for (const controls of document.querySelectorAll<HTMLElement>(".controls")) controls.hidden = false;
addCopying(say);
addTheme();
search?.addEventListener("input", show);
for (const filter of filters) filter.addEventListener("change", show);
addEventListener("keydown", onKey);
addEventListener("hashchange", goToTarget);
goToTarget();
