import type { Document, Group } from "./documents.js";

/**
 * The site as texts for agents (https://llmstxt.org): `llms.txt` lists the documents with what each says first, and
 * `llms-full.txt` has all of their Markdown.
 *
 * @param documents the documents of the repository, whose first one is its README
 * @param groups the documents in the order of docs/README.md
 */
export function agentTexts(documents: readonly Document[], groups: readonly Group[]): [string, string][] {
  const byPage = new Map(documents.map((document) => [document.page, document]));
  const [start] = documents;
  const sections = groups.map(({ title, pages }) => ({
    title,
    documents: pages.flatMap(({ page }) => byPage.get(page) ?? []),
  }));
  const listed = sections
    .filter((section) => section.documents.length > 0)
    .map(({ title, documents: own }) => `## ${title}\n\n${own.map(entryOf).join("\n")}`);
  const all = [start!, ...sections.flatMap((section) => section.documents)];
  return [
    ["llms.txt", `# ${start!.title}\n\n> ${firstSentenceOf(start!)}\n\n${listed.join("\n\n")}\n`],
    ["llms-full.txt", all.map(({ file, text }) => `<!-- ${file} -->\n\n${text.trim()}\n`).join("\n")],
  ];
}

function entryOf(document: Document): string {
  const first = firstSentenceOf(document);
  return `- [${document.title}](${document.page})${first === "" ? "" : `: ${first}`}`;
}

/** The first sentence of the first paragraph, without markup. */
function firstSentenceOf({ passages }: Document): string {
  const paragraph = passages[0]?.texts.find((text) => text !== "") ?? "";
  return /^.*?[.:](?= |$)/.exec(paragraph)?.[0].replace(/:$/, ".") ?? paragraph;
}
