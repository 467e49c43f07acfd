import MiniSearch from "minisearch";

/**
 * An entry of the search index. The member names are short, because the search page contains hundreds of
 * entries.
 */
export interface Found {
  /** The name or heading of the entry. */
  readonly n: string;
  /** The name of its page, or the kind of entry. */
  readonly p: string;
  /** Its address from the root of the site. */
  readonly a: string;
  /** Its text. */
  readonly t: string;
  /** Other pages that contain the same entry at the same anchor, each with a label. */
  readonly more?: readonly (readonly [label: string, page: string])[];
}

/**
 * Returns a search function for a list of entries. An entry is found if every word of the query begins a word
 * of it, or a part of a name like `maxBodyBytes`. Matches in names rank above matches in pages, and these
 * above matches in texts. What is found in guides counts five times as much as in definitions of the protocol.
 */
export function searchIn(all: readonly Found[]): (query: string) => Found[] {
  const index = new MiniSearch({
    fields: ["n", "p", "t"],
    processTerm: (term) => [term, ...term.split(/(?=[A-Z])/).slice(1)].map((part) => part.toLowerCase()),
    searchOptions: {
      ...{ boost: { n: 6, p: 2 }, prefix: true, combineWith: "AND" },
      boostDocument: (id) => weightOf(all[id as number]!.a),
      processTerm: (term) => term.toLowerCase(),
    },
  });
  index.addAll(all.map((found, id) => ({ ...found, id })));
  return (query) => index.search(query).map(({ id }) => all[id as number]!);
}

function weightOf(address: string): number {
  return address.startsWith("docs/guides/") ? 5 : /^(?:docs|examples)\//.test(address) ? 1.5 : 1;
}
