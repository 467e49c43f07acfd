import { button, byId, element } from "./dom.js";
import type { Badge, Item, Offer } from "./messages.js";
import { nameText, visible } from "./text.js";

/** Lists on the page, with the member that names an entry. */
export const lists = [
  { list: "tools", title: "Tools", key: "name" },
  { list: "resources", title: "Resources", key: "uri" },
  { list: "resourceTemplates", title: "Templates", key: "uriTemplate" },
  { list: "prompts", title: "Prompts", key: "name" },
] as const;

export type ListName = (typeof lists)[number]["list"];

/** An entry selected by the user. */
export interface Chosen {
  readonly list: ListName;
  readonly key: string;
}

/** Number of entries shown at first, and with each further step. */
const step = 100;

/** Shows the lists that the server offers, with a search. */
export class OfferList {
  readonly #choose: (chosen: Chosen, item: Item) => void;
  readonly #search: HTMLInputElement;
  readonly #body = element("div");
  readonly #status = element("p", { class: "soft", role: "status" });
  #offer: Offer | undefined;
  #chosen: Chosen | undefined;
  readonly #shown = new Map<ListName, number>();

  constructor(choose: (chosen: Chosen, item: Item) => void) {
    this.#choose = choose;
    this.#search = element("input", {
      type: "search",
      id: "search",
      placeholder: "Search",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.#search.addEventListener("input", () => {
      this.#shown.clear();
      this.#show();
    });
    byId("offer").append(
      element("label", { class: "unseen", for: "search" }, "Search what the server offers"),
      this.#search,
      this.#status,
      this.#body,
    );
  }

  /** @returns the selected entry in its present form; undefined if it no longer exists */
  update(offer: Offer): Item | undefined {
    this.#offer = offer;
    this.#show();
    return this.#chosen && this.#find(this.#chosen);
  }

  #find({ list, key }: Chosen): Item | undefined {
    const { key: member } = lists.find((each) => each.list === list)!;
    return this.#offer?.[list].find(({ entry }) => entry[member] === key);
  }

  #show(): void {
    if (!this.#offer) return;
    const words = this.#search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    const sections = lists.flatMap(({ list, title, key }) => {
      const all = this.#offer![list];
      const fitting = words.length === 0 ? all : all.filter(({ entry }) => fits(entry, words));
      found += fitting.length;
      return fitting.length === 0 ? [] : [this.#section(list, title, key, fitting)];
    });
    this.#body.replaceChildren(...sections);
    this.#status.textContent =
      words.length > 0 ? `${found} found` : found === 0 ? "The server offers nothing." : "";
  }

  #section(list: ListName, title: string, key: string, items: readonly Item[]): HTMLElement {
    const count = this.#shown.get(list) ?? step;
    const shown = items.slice(0, count);
    const rows = shown.map((item) =>
      element("li", {}, this.#row({ list, key: String(item.entry[key]) }, item)),
    );
    const left = items.length - shown.length;
    const more = button(`Show more (${left.toLocaleString("en")} left)`, () => {
      this.#shown.set(list, count + step);
      this.#show();
      this.#body.querySelectorAll<HTMLElement>(`[data-list="${list}"] li button`)[count]?.focus();
    });
    return element(
      "section",
      { "data-list": list },
      element("h2", {}, title, element("span", { class: "soft" }, ` ${items.length.toLocaleString("en")}`)),
      element("ul", {}, ...rows),
      left > 0 && more,
    );
  }

  #row(chosen: Chosen, item: Item): HTMLElement {
    const { entry, badges } = item;
    const label = typeof entry["name"] === "string" ? entry["name"] : chosen.key;
    const isChosen = this.#chosen?.list === chosen.list && this.#chosen.key === chosen.key;
    const row = button(nameText(label), () => {
      this.#chosen = chosen;
      for (const other of this.#body.querySelectorAll("[aria-current]"))
        other.removeAttribute("aria-current");
      row.setAttribute("aria-current", "true");
      this.#choose(chosen, item);
    });
    if (isChosen) row.setAttribute("aria-current", "true");
    row.append(...badges.filter(({ kind }) => kind !== "plain").map(badge));
    return row;
  }
}

/** A badge with a short word. */
export function badge({ kind, text }: Badge): HTMLElement {
  return element("span", { class: `badge ${kind}` }, visible(text));
}

function fits(entry: Item["entry"], words: readonly string[]): boolean {
  const text = ["name", "title", "uri", "uriTemplate", "description"]
    .map((member) => entry[member])
    .map((value) => (typeof value === "string" ? value.slice(0, 2_000).toLowerCase() : ""))
    .join(" ");
  return words.every((word) => text.includes(word));
}
