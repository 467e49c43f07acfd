import type { Document } from "./read-document.js";
import type { References } from "./references.js";

/** A group of pages in the list that every page has. */
export interface Group {
  readonly title: string;
  readonly pages: readonly { readonly page: string; readonly label: string }[];
}

/** The document that lists the others. */
export const index = "docs/README.md";

/** All pages in their order: the documents as docs/README.md lists them, then what is made of the schemas. */
export function navigationOf(documents: ReadonlyMap<string, Document>, references: References): Group[] {
  const groups = documentGroups(documents.get(index)!, documents);
  const listed = new Set(groups.flatMap(({ pages }) => pages.map(({ page }) => page)));
  const rest = [...documents.values()].filter(({ page, file }) => !listed.has(page) && file !== index);
  const examples = rest.filter(({ file }) => file.startsWith("examples/"));
  return [
    ...groups,
    { title: "Examples", pages: examples.map(entryOf) },
    {
      title: "Protocol",
      pages: [...references.revisions].reverse().map(({ page, label }) => ({ page, label })),
    },
    { title: "Extensions", pages: references.extensions.map(({ page, label }) => ({ page, label })) },
    {
      title: "Changes",
      pages: [...references.differences].reverse().map(({ page, label }) => ({ page, label })),
    },
  ].filter(({ pages }) => pages.length > 0);
}

function entryOf({ page, title }: Document): Group["pages"][number] {
  return { page, label: title };
}

/** The second-level headings of the list with the documents that each links to; a document stands where it comes first. */
function documentGroups(list: Document, documents: ReadonlyMap<string, Document>): Group[] {
  const seen = new Set<string>();
  const starts = list.passages
    .filter(({ level }) => level === 2)
    .map(({ title, id }) => ({ title, line: lineOf(list, id) }));
  return starts.map(({ title, line }, at) => {
    const end = starts[at + 1]?.line ?? Infinity;
    const linked = list.links
      .filter((link) => link.line > line && link.line < end)
      .map(({ href }) => documents.get(new URL(href, `file:///${list.file}`).pathname.slice(1)));
    const pages = linked.filter((document) => document !== undefined && !seen.has(document.page));
    for (const document of pages) seen.add(document!.page);
    return { title, pages: pages.map((document) => entryOf(document!)) };
  });
}

function lineOf({ tokens }: Document, id: string): number {
  return tokens.find((token) => token.type === "heading_open" && token.attrGet("id") === id)!.map![0] + 1;
}
