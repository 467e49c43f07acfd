import type { Entry } from "../../generator/page/reading.js";
import type { Document } from "./documents.js";
import type { Found } from "./find.js";
import type { ReadingPage, References } from "./references.js";

/**
 * Returns the search entries: every passage of the documents, then every entry of the references and
 * differences, the newest revision first.
 */
export function searchIndex(documents: readonly Document[], references: References): Found[] {
  return [
    ...documents.flatMap(passages),
    ...entries(references.revisions.toReversed()),
    ...references.extensions.flatMap((each) => entries([each])),
    ...references.differences.toReversed().flatMap(differences),
  ];
}

function passages({ page, title, passages: all }: Document): Found[] {
  return all.map(({ level, title: name, id, texts }) => ({
    ...{ n: name, p: title, a: level === 1 ? page : `${page}#${id}` },
    t: texts.join(" ").replace(/\s+/g, " ").trim(),
  }));
}

/** Returns the entries of several references. An entry that several references have is returned once. */
function entries(pages: readonly ReadingPage[]): Found[] {
  const found = new Map<string, Found>();
  for (const { page, label, reading } of pages) {
    for (const [section, { id, name, lead, description: t = lead ?? "" }] of entriesOf(reading)) {
      const newest = found.get(id);
      if (newest) found.set(id, { ...newest, more: [...(newest.more ?? []), [label, page]] });
      else found.set(id, { n: name, p: `${section} of ${label}`, a: `${page}#${id}`, t });
    }
  }
  return [...found.values()];
}

function entriesOf({ sections }: ReadingPage["reading"]): (readonly [string, Entry])[] {
  return sections.flatMap(({ title, entries: all }) => all.map((entry) => [title, entry] as const));
}

/** Returns the differences of a report, without those that are safe. */
function differences({ page, label, reading }: ReadingPage): Found[] {
  return entriesOf(reading)
    .filter(([section]) => section !== "Safe")
    .map(([, { id, name, lead: t = "" }]) => ({ n: name, p: `Change ${label}`, a: `${page}#${id}`, t }));
}
