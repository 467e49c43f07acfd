import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";

/** A Markdown file of the repository that becomes a page. */
export interface Source {
  /** Its path in the repository. */
  readonly file: string;
  /** The path of its page in the site. */
  readonly page: string;
  readonly text: string;
}

/** Documents whose page has another name than the file. */
const renamed: Readonly<Record<string, string>> = {
  "README.md": "index.html",
  "CHANGELOG.md": "changelog.html",
  "CONTRIBUTING.md": "contributing.html",
};

/** Every document of the site: those of docs/, the texts at the root, and the READMEs of examples. */
export function documentsOf(root: string): Source[] {
  const examples = readdirSync(join(root, "examples"))
    .map((name) => `examples/${name}/README.md`)
    .filter((file) => existsSync(join(root, file)));
  const docs = ["docs", "docs/tasks", "docs/journeys"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  );
  return [...Object.keys(renamed), ...docs.sort(), ...examples.sort()].map((file) => ({
    file,
    page: renamed[file] ?? file.replace(/README\.md$/, "index.html").replace(/\.md$/, ".html"),
    text: readFileSync(join(root, file), "utf8").replace(/\r\n?/g, "\n"),
  }));
}

/** The address of one page on another. */
export function addressFrom(page: string, target: string): string {
  const path = posix.relative(posix.dirname(page), target);
  return path === "" ? posix.basename(target) : path;
}
