import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { errorManual } from "../error-manual.js";
import { type Passage, passagesOf } from "./markdown.js";

/** A Markdown document that becomes a page. */
export interface Document {
  /** The path of the document in the repository. */
  readonly file: string;
  /** The path of the page in the site. */
  readonly page: string;
  readonly text: string;
  readonly title: string;
  readonly passages: readonly Passage[];
}

/** A group in the list of pages that every page shows. */
export interface Group {
  readonly title: string;
  readonly pages: { readonly page: string; readonly label: string }[];
}

/** The pages of documents whose page is named differently from the file. */
const renamed: Readonly<Record<string, string>> = {
  "README.md": "index.html",
  "CHANGELOG.md": "changelog.html",
  "CONTRIBUTING.md": "contributing.html",
};

/** The documents that the site shows in full, although the repository has a short form of them. */
const inFull: Readonly<Record<string, () => string>> = { "docs/errors.md": errorManual };

/** The document that lists the others. */
const list = "docs/README.md";

/** Reads every document of the site: docs/, the Markdown files at the root, and the READMEs of examples. */
export function documentsOf(root: string): Document[] {
  const examples = readdirSync(join(root, "examples"))
    .map((name) => `examples/${name}/README.md`)
    .filter((file) => existsSync(join(root, file)));
  const docs = ["docs", "docs/tasks", "docs/guides"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  );
  return [...Object.keys(renamed), ...docs.sort(), ...examples.sort()].map((file) =>
    documentOf(file, inFull[file]?.() ?? readFileSync(join(root, file), "utf8").replace(/\r\n?/g, "\n")),
  );
}

/** Makes a document of a Markdown text. */
export function documentOf(file: string, text: string): Document {
  const passages = passagesOf(text);
  return {
    ...{ file, text, passages, title: passages[0]?.title ?? file },
    page: renamed[file] ?? file.replace(/README\.md$/, "index.html").replace(/\.md$/, ".html"),
  };
}

/** Groups the documents as docs/README.md lists them, each at its first mention; the examples follow. */
export function groupsOf(documents: ReadonlyMap<string, Document>): Group[] {
  const left = new Map([...documents].filter(([file]) => file !== list));
  const take = (file: string): Group["pages"] => {
    const document = left.get(file);
    left.delete(file);
    return document ? [{ page: document.page, label: document.title }] : [];
  };
  const sections = documents.get(list)!.passages.filter(({ level }) => level === 2);
  const listed = sections.map(({ title, links }) => ({
    title,
    pages: links.flatMap((href) => take(posix.join(posix.dirname(list), href.split("#")[0]!))),
  }));
  const examples = [...left.keys()].filter((file) => file.startsWith("examples/"));
  return [...listed, { title: "Examples", pages: examples.flatMap(take) }];
}

/** Returns the address of `target`, relative to `page`. */
export function addressFrom(page: string, target: string): string {
  const path = posix.relative(posix.dirname(page), target);
  return path === "" ? posix.basename(target) : path;
}
