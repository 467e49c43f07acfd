import MiniSearch from "minisearch";

/** Something that a search finds. The names are short: the search page holds hundreds of them. */
export interface Found {
  /** Its name or heading. */
  readonly n: string;
  /** The page, or the kind of entry. */
  readonly p: string;
  /** Its address from the root of the site. */
  readonly a: string;
  /** Its text. */
  readonly t: string;
  /** Other pages that have the same entry, at the same anchor, by a label. */
  readonly more?: readonly (readonly [label: string, page: string])[];
}

/**
 * A search in a list: every word of a query begins a word of what is found, or a part of a name like `maxBodyBytes`. Names count
 * more than pages, and these more than texts.
 */
export function searchIn(all: readonly Found[]): (query: string) => Found[] {
  const index = new MiniSearch({
    fields: ["n", "p", "t"],
    processTerm: (term) => [term, ...term.split(/(?=[A-Z])/).slice(1)].map((part) => part.toLowerCase()),
    searchOptions: {
      ...{ boost: { n: 6, p: 2 }, prefix: true, combineWith: "AND" },
      processTerm: (term) => term.toLowerCase(),
    },
  });
  index.addAll(all.map((found, id) => ({ ...found, id })));
  return (query) => index.search(query).map(({ id }) => all[id as number]!);
}
