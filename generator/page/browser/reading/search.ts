import { say } from "./status.js";

interface Entry {
  readonly element: HTMLElement;
  readonly section: HTMLElement | null;
  /** The item of the contents that leads to it. */
  readonly item: Element | undefined;
  /** In lower case, as all that is searched. */
  readonly name: string;
  readonly text: string;
}

const search = document.querySelector<HTMLInputElement>("#search");
const none = document.querySelector<HTMLElement>("#none");
const filters = [...document.querySelectorAll<HTMLSelectElement | HTMLInputElement>("[data-filter]")];

let known: readonly Entry[] | undefined;

/** The items of the contents, by the address that they lead to. */
let items: ReadonlyMap<string, Element> = new Map();

/** Every entry, read when it is first needed. */
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

/** Shows the entries that have every word of the search and the values of the filters. */
function show(): void {
  const words = wantedWords();
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
  for (const [section, count] of sections) {
    section.hidden = count === 0;
    items.get(section.querySelector("h2")?.id ?? "")?.toggleAttribute("hidden", count === 0);
  }
  none?.toggleAttribute("hidden", found > 0);
  say(isFree ? "" : found === 0 ? "Nothing found" : `${found.toLocaleString("en")} found`);
}

/** Shows everything again. */
export function showAll(): void {
  if (search) search.value = "";
  for (const filter of filters) {
    if (filter instanceof HTMLInputElement) filter.checked = false;
    else filter.value = "";
  }
  show();
}

/** Goes to the entry whose name fits the search best. */
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

export function startSearch(): void {
  for (const controls of document.querySelectorAll<HTMLElement>(".controls")) controls.hidden = false;
  search?.addEventListener("input", show);
  for (const filter of filters) filter.addEventListener("change", show);
  document.querySelector("#reset")?.addEventListener("click", () => {
    showAll();
    search?.focus();
  });
  addEventListener("keydown", onKey);
}
