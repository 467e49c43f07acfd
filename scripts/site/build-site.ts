import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { html } from "../../generator/page/html.js";
import { loadTemplates } from "../../generator/print/templates.js";
import { deadLinks } from "./check-pages.js";
import { addressFrom, documentsOf } from "./documents.js";
import { type Site, readingPage, sitePage } from "./layout.js";
import { type Places, type StandIn, resolveLinks } from "./links.js";
import { navigationOf } from "./navigation.js";
import { changesPage, protocolPage, searchPage } from "./own-pages.js";
import { type Problem } from "./problem.js";
import { programsOf } from "./programs.js";
import { type Document, readDocument } from "./read-document.js";
import { type References, readReferences } from "./references.js";
import { renderDocument } from "./render-document.js";
import { searchIndex } from "./search-index.js";

/** Files by their path in the site, and what is wrong with them. */
export interface BuiltSite {
  readonly files: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/** The document that explains the changes of the newest revision. */
const story = "docs/what-changed-2026-07-28.md";

/**
 * The whole site, which depends on nothing but the repository.
 *
 * @param root the folder of the repository
 */
export async function buildSite(root: string, repository?: string): Promise<BuiltSite> {
  const documents = new Map(documentsOf(root).map((source) => [source.file, readDocument(source)]));
  const references = await readReferences(root);
  const copied = filesOf(root);
  const places: Places = {
    ...{ root, documents, repository },
    files: new Set(copied.keys()),
    standIns: standInsOf(references),
  };
  const site: Site = {
    groups: navigationOf(documents, references),
    render: loadTemplates(),
    style: readFileSync(join(root, "scripts/site/site.css"), "utf8"),
    programs: await programsOf(root),
    version: (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version,
  };
  const problems = [...documents.values()].flatMap((document) => document.problems);
  const pages = new Map<string, string>();
  for (const document of documents.values()) {
    const resolved = resolveLinks(document, places);
    problems.push(...resolved.problems);
    if (resolved.problems.length === 0)
      pages.set(document.page, documentPage(document, { targets: resolved.targets, references, site }));
  }
  for (const each of [...references.revisions, ...references.extensions, ...references.differences])
    pages.set(each.page, readingPage(each, site));
  const own = [
    searchPage(searchIndex(documents.values(), references), site.groups),
    protocolPage(references),
    changesPage(references, documents.get(story)!),
  ];
  for (const each of own) pages.set(each.page, sitePage(each, site));
  const files = new Map([...pages, ...copied]);
  // Pages that are missing because of a problem would look like dead links.
  return { files, problems: problems.length > 0 ? problems : deadLinks(files) };
}

interface DocumentContext {
  readonly targets: ReturnType<typeof resolveLinks>["targets"];
  readonly references: References;
  readonly site: Site;
}

function documentPage(document: Document, { targets, references, site }: DocumentContext): string {
  const { page, title, passages } = document;
  const findings = new Map(
    references.differences.flatMap(({ page: target, report }) =>
      report.findings.map(({ fingerprint }) => [fingerprint, `${target}#finding-${fingerprint}`] as const),
    ),
  );
  const addressOfCode = (code: string): string | undefined => {
    const target = findings.get(code);
    return target === undefined ? undefined : addressFrom(page, target);
  };
  const main = html`${renderDocument(document, { targets, addressOfCode })}`;
  const contents = passages.filter(({ level }) => level === 2);
  return sitePage({ page, title, main, contents }, site);
}

/** The reference of a revision stands for its report of the protocol. */
function standInsOf({ revisions }: References): Map<string, StandIn> {
  return new Map(
    revisions.map(({ page, revision, reading }) => {
      const ids = new Map(
        reading.sections.flatMap(({ entries }) => entries.map(({ name, id }) => [name, id] as const)),
      );
      return [`generated/${revision}/PROTOCOL.md`, { page, addressOf: (name) => ids.get(name) }];
    }),
  );
}

/** The files of docs/ that documents link to and that are no documents. */
function filesOf(root: string): Map<string, string> {
  const names = readdirSync(join(root, "docs")).filter((name) => /\.(?:json|svg)$/.test(name));
  return new Map(
    names.sort().map((name) => [`docs/${name}`, readFileSync(join(root, "docs", name), "utf8")]),
  );
}
