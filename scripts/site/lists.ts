import { type Document, documentOf } from "./documents.js";
import type { ReadingPage, References } from "./references.js";

/** Returns the pages that list the references and differences. */
export function listsOf({ revisions, extensions, differences }: References): Document[] {
  const protocol = `# The protocol, revision by revision

Every method, error, header and type of each released revision, with examples and the code that calls it. The pages are those of
\`mcpgen docs REVISION\`.

## Revisions

${entriesTable(revisions.toReversed())}

## Extensions

${entriesTable(extensions)}`;
  const changes = `# Changes between revisions

What breaks clients and servers of the old revision when the other side moves to the new one, and a message that proves it. The
pages are those of \`mcpgen diff OLD NEW --format html\`. [What changed in 2026-07-28, for whom](../docs/what-changed-2026-07-28.md)
explains the newest changes.

| from → to | breaking | dangerous | safe |
|---|--:|--:|--:|
${differences
  .toReversed()
  .map(({ page, label, report: { summary } }) =>
    row(page, label, summary.breaking, summary.dangerous, summary.safe),
  )
  .join("\n")}`;
  return [documentOf("reference/README.md", protocol), documentOf("changes/README.md", changes)];
}

/** Returns a table of the references, with the number of entries in each section. */
function entriesTable(references: readonly ReadingPage[]): string {
  const rows = references.map(({ page, label, reading }) => {
    const counts = reading.sections.map(({ title, entries }) => `${entries.length} ${title.toLowerCase()}`);
    return row(page, label, counts.join(", "));
  });
  return ["| reference | entries |", "|---|---|", ...rows].join("\n");
}

function row(page: string, label: string, ...cells: readonly (string | number)[]): string {
  return `| [${label}](../${page}) | ${cells.join(" | ")} |`;
}
