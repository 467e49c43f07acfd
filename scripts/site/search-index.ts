import type { Entry, Reading } from "../../generator/page/reading.js";
import type { Found } from "./found.js";
import type { Document } from "./read-document.js";
import type { ReadingPage, References } from "./references.js";

/** Every passage of the documents, and every entry of the references and differences. */
export function searchIndex(documents: Iterable<Document>, references: References): Found[] {
  const newestFirst = [...references.revisions].reverse();
  return [
    ...[...documents].flatMap(passages),
    ...entries(newestFirst),
    ...references.extensions.flatMap((each) => entries([each])),
    ...[...references.differences].reverse().flatMap(differences),
  ];
}

function passages({ page, title, passages: all }: Document): Found[] {
  return all.map(({ level, title: name, id, texts, terms }) => ({
    n: name,
    p: title,
    a: level === 1 ? page : `${page}#${id}`,
    t: texts.join(" ").replace(/\s+/g, " ").trim(),
    ...(terms.length > 0 && { k: terms.join(" ") }),
  }));
}

/** The entries of several references: one that more of them have is found once. */
function entries(pages: readonly ReadingPage[]): Found[] {
  const found = new Map<string, Found & { readonly more: (readonly [string, string])[] }>();
  for (const { page, label, reading } of pages) {
    for (const [section, entry] of entriesOf(reading)) {
      const before = found.get(entry.id);
      if (before) before.more.push([label, page]);
      else
        found.set(entry.id, {
          ...{ n: entry.name, p: `${section} of ${label}`, a: `${page}#${entry.id}` },
          ...{ t: entry.lead ?? "", more: [] },
        });
    }
  }
  return [...found.values()].map(({ more, ...rest }) => (more.length > 0 ? { ...rest, more } : rest));
}

function entriesOf({ sections }: Reading): (readonly [string, Entry])[] {
  return sections.flatMap(({ title, entries }) => entries.map((entry) => [title, entry] as const));
}

/** What is safe is not looked for. */
function differences({ page, label, reading }: ReadingPage): Found[] {
  return entriesOf(reading)
    .filter(([section]) => section !== "Safe")
    .map(([, { id, name, lead = "" }]) => ({ n: name, p: `Change ${label}`, a: `${page}#${id}`, t: lead }));
}
