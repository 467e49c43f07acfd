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

/** Shows what is chosen. */
export interface Choices {
  /** Shows an entry that was not shown before. */
  show(chosen: Chosen, item: Item): void;
  /** Shows the present form of the entry that is shown. */
  update(chosen: Chosen, item: Item): void;
  /** Shows a form for any request. */
  showAny(): void;
}

/** Maximum length of a key in the address. */
const longestKey = 1_000;

/** Shows the lists that the server offers, with a search. The address names the entry that the user has chosen. */
export class OfferList {
  readonly #choices: Choices;
  readonly #search: HTMLInputElement;
  readonly #body = element("div");
  readonly #status = element("p", { class: "soft", role: "status" });
  readonly #fold = byId("offer-fold");
  #offer: Offer | undefined;
  #chosen: Chosen | "any" | undefined;
  readonly #shown = new Map<ListName, number>();

  constructor(choices: Choices) {
    this.#choices = choices;
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
    byId("offer-list").append(
      element("label", { class: "unseen", for: "search" }, "Search what the server offers"),
      this.#search,
      this.#status,
      this.#body,
      button("Any request…", () => this.#take("any")),
    );
    addEventListener("hashchange", () => {
      const named = this.#named();
      if (named) this.#take(named);
    });
  }

  /** Shows a later offer. The first with an entry is shown with the one that the address names, or its first. */
  update(offer: Offer): void {
    this.#offer = offer;
    const isNew = this.#chosen === undefined;
    this.#chosen ??= this.#named() ?? this.#first();
    this.#show();
    const item = this.#item(this.#chosen);
    if (item && isNew) this.#choices.show(...item);
    else if (item) this.#choices.update(...item);
  }

  /** Shows what the user has chosen. */
  #take(chosen: Chosen | "any"): void {
    this.#chosen = chosen;
    this.#fold.ariaExpanded = "false";
    const item = this.#item(chosen);
    if (item) this.#choices.show(...item);
    else this.#choices.showAny();
    const isNamed = chosen !== "any" && chosen.key.length <= longestKey;
    const name = isNamed ? `#${new URLSearchParams({ [chosen.list]: chosen.key }).toString()}` : "";
    history.replaceState(null, "", location.pathname + name);
    this.#show();
    byId("target-name").focus();
  }

  /** The entry that the address names. */
  #named(): Chosen | undefined {
    const address = new URLSearchParams(location.hash.slice(1));
    return lists
      .map(({ list }) => ({ list, key: address.get(list) ?? "" }))
      .find((each) => this.#item(each) !== undefined);
  }

  #first(): Chosen | undefined {
    const found = lists.find(({ list }) => this.#offer![list].length > 0);
    return found && { list: found.list, key: String(this.#offer![found.list][0]!.entry[found.key]) };
  }

  #item(chosen: Chosen | "any" | undefined): [Chosen, Item] | undefined {
    if (chosen === undefined || chosen === "any") return undefined;
    const { key: member } = lists.find(({ list }) => list === chosen.list)!;
    const item = this.#offer?.[chosen.list].find(({ entry }) => entry[member] === chosen.key);
    return item && [chosen, item];
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
    this.#fold.textContent =
      lists
        .filter(({ list }) => this.#offer![list].length > 0)
        .map(({ list, title }) => `${title} ${this.#offer![list].length.toLocaleString("en")}`)
        .join(", ") || "Requests";
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
    const row = button(nameText(label), () => this.#take(chosen));
    const current = this.#chosen;
    if (current !== "any" && current?.list === chosen.list && current.key === chosen.key)
      row.setAttribute("aria-current", "true");
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
