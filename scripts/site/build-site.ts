import { readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { Eleventy, type UserConfig } from "@11ty/eleventy";
import { pageDocument } from "../../generator/page/document.js";
import { Html } from "../../generator/page/html.js";
import { readingHtml } from "../../generator/page/reading-html.js";
import { loadTemplates } from "../../generator/print/templates.js";
import { buildPages } from "../pages.mjs";
import { storedPictures } from "../pictures/pictures.js";
import { agentTexts } from "./agent-texts.js";
import { deadLinks } from "./dead-links.js";
import { type Document, type Group, addressFrom, documentOf, documentsOf, groupsOf } from "./documents.js";
import { listsOf } from "./lists.js";
import { type Resolver, siteMarkdown } from "./markdown.js";
import { type References, readReferences } from "./references.js";
import { resolverOf } from "./resolver.js";
import { searchIndex } from "./search-index.js";

/** The texts of the site by path, and a line for each dead link. */
export interface BuiltSite {
  readonly files: ReadonlyMap<string, string>;
  /** The pictures of the site by path. */
  readonly pictures: ReadonlyMap<string, Buffer>;
  readonly problems: readonly string[];
}

const [input, programs, output] = ["scripts/site", "node_modules/.cache/mcpgen-site", "dist/site"] as const;

/** The pages that the head of every page links to. */
const places = [
  { page: "index.html", label: "mcpgen" },
  { page: "docs/index.html", label: "Docs" },
  { page: "reference/index.html", label: "Protocol" },
  { page: "changes/index.html", label: "Changes" },
  { page: "search.html", label: "Search" },
];

/**
 * Builds the whole site from the repository alone.
 *
 * @param root the folder of the repository
 * @param repository the address of its files, e.g. `https://example.com/blob/main/`; without it, pages show
 * the paths of files and do not link to them
 */
export async function buildSite(root: string, repository?: string): Promise<BuiltSite> {
  const references = await readReferences(root);
  const documents = documentsOf(root);
  const pages = [...documents, ...listsOf(references), documentOf("search.md", "# Search the site")];
  const [copied, pictures] = [filesOf(root), storedPictures(root)];
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const data = searchIndex(documents, references);
  const groups = groupsOf(new Map(documents.map((each) => [each.file, each])));
  const content = {
    ...{ pages, references, index: JSON.stringify(data).replaceAll("<", String.raw`\u003c`) },
    groups: [...groups, ...referenceGroups(references)],
    resolver: resolverOf({
      ...{ root, repository, byFile, references },
      copied: new Set([...copied.keys(), ...pictures.keys()]),
    }),
  };
  await buildPages("scripts/site/browser", programs);
  const eleventy = new Eleventy(input, output, {
    quietMode: true,
    config: (config) => configure(config, content),
  });
  const built = (await eleventy.toJSON()).map(
    ({ outputPath, content: text }) => [posix.relative(output, outputPath), text] as const,
  );
  const texts = agentTexts(documents, groups);
  const files = new Map([...built.sort(([one], [other]) => (one < other ? -1 : 1)), ...copied, ...texts]);
  const targets = new Map([...files, ...[...pictures.keys()].map((file) => [file, ""] as const)]);
  return { files, pictures, problems: deadLinks(targets, pages) };
}

interface Content {
  readonly pages: readonly Document[];
  readonly references: References;
  readonly index: string;
  readonly groups: readonly Group[];
  readonly resolver: Resolver;
}

/** Configures Eleventy: every page is a text that it gets from this program, with a layout. */
function configure(config: UserConfig, { pages, references, index, groups, resolver }: Content): object {
  const readings = [...references.revisions, ...references.extensions, ...references.differences];
  const byPage = new Map(readings.map((each) => [each.page, each.reading]));
  const render = loadTemplates();
  const style = readFileSync("scripts/site/site.css", "utf8");
  // Eleventy's timings of filters are not shown.
  config.benchmarks.config.setIsVerbose(false);
  config.setUseGitIgnore(false);
  config.setTemplateFormats("md");
  config.setLayoutsDirectory("layout");
  config.setIncludesDirectory("layout");
  config.setLibrary("md", siteMarkdown(resolver));
  config.addGlobalData("places", places);
  config.addGlobalData("groups", groups);
  config.addGlobalData("mark", render("mark", {}).trim());
  config.addFilter("from", (page: string, here: string) => addressFrom(here, page));
  config.addFilter("reading", (page: string, links: string, end: string) =>
    readingHtml(byPage.get(page)!, render, {
      ...{ links: new Html(links), end: new Html(end) },
      added: { style, programs: [] },
    }),
  );
  config.addPairedShortcode("page", (body: string, title: string, here: string) => {
    const program = readFileSync(
      join(programs, here === "search.html" ? "search.js" : "document.js"),
      "utf8",
    );
    return pageDocument(
      {
        ...{ title: title === "mcpgen" ? title : `${title} · mcpgen`, body: new Html(body) },
        ...{
          added: { style, programs: [program.trim()] },
          policy: { "form-action": "'self'", "img-src": "'self'" },
        },
      },
      render,
    );
  });
  for (const { file, page, text, title, passages } of pages)
    config.addTemplate(file, text, {
      ...{ layout: "document.njk", permalink: page, here: page, file, title },
      contents: passages.filter(({ level }) => level === 2),
      ...(page === "search.html" && { index }),
    });
  for (const page of byPage.keys())
    config.addTemplate(`${page}.md`, "", { layout: "reading.njk", permalink: page, here: page });
  // Documents are plain Markdown: braces in them are text, not templates.
  return { markdownTemplateEngine: false };
}

function referenceGroups({ revisions, extensions, differences }: References): Group[] {
  return [
    { title: "Protocol", pages: revisions.toReversed() },
    { title: "Extensions", pages: [...extensions] },
    { title: "Changes", pages: differences.toReversed() },
  ].map(({ title, pages }) => ({ title, pages: pages.map(({ page, label }) => ({ page, label })) }));
}

/** Returns the files of docs/ that documents link to and that are not documents themselves. */
function filesOf(root: string): Map<string, string> {
  const names = readdirSync(join(root, "docs")).filter((name) => /\.(?:json|svg)$/.test(name));
  return new Map(
    names.sort().map((name) => [`docs/${name}`, readFileSync(join(root, "docs", name), "utf8")]),
  );
}
