import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { documentsIn, readmes } from "./documents.js";

const folders = ["docs", "docs/guides", "docs/tasks", "examples/ci"];
const documents = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "skills/mcpgen/SKILL.md"],
  ...readmes,
  ...folders.flatMap(documentsIn),
];

/** The address of this repository, by which READMEs of packages link to documents. */
const repository = /^https:\/\/github\.com\/mcpgen\/mcpgen\/(?:blob|tree)\/main\//;

/** The id that GitHub gives a heading. */
function idOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return text.replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}

/** The ids of headings, and of anchors in tables. */
function idsIn(file: string): Set<string> {
  const text = readFileSync(file, "utf8").replace(/^```.*?^```/gms, "");
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => idOf(heading!));
  return new Set([...headings, ...[...text.matchAll(/<a id="?([^">]+)"?><\/a>/g)].map(([, id]) => id!)]);
}

describe.each(documents)("links in %s", (document) => {
  const text = readFileSync(document, "utf8").replace(/^```.*?^```/gms, "");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);

  test("lead to files and headings that exist", () => {
    for (const link of links.filter((target) => repository.test(target) || !/^[a-z]+:/.test(target))) {
      const [path, id] = link.replace(repository, "").split("#");
      const folder = repository.test(link) ? "." : dirname(document);
      const file = path === "" ? document : join(folder, path!);
      expect(existsSync(file), link).toBe(true);
      if (id !== undefined && statSync(file).isFile()) expect([...idsIn(file)], link).toContain(id);
    }
  });
});
