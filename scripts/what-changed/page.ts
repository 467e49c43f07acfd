import { readFileSync } from "node:fs";
import { join } from "node:path";
import GithubSlugger from "github-slugger";
import { undocumented } from "../../generator/revision/schema-source.js";
import { readLock } from "../../generator/revision/lock.js";
import { loadRevision, storedRevision } from "../../generator/revision/revision-source.js";
import type { HeaderRule } from "../../generator/model/model.js";
import { reportBetween } from "../site/references.js";
import { type Sources, factsOf } from "./facts.js";

/** The page. Its text is written by hand; the blocks between its marks are generated from the comparison. */
export const pageFile = "docs/what-changed-2026-07-28.md";
const [from, to] = ["2025-11-25", "2026-07-28"];

/** Returns the page with its blocks generated from the present schemas. */
export async function writtenPage(root: string): Promise<string> {
  const text = readFileSync(join(root, pageFile), "utf8");
  return withFacts(text, factsOf(await sourcesOf(root, text)));
}

/**
 * Replaces each block between `<!-- facts: NAME -->` and `<!-- /facts -->`.
 *
 * @throws {Error} a block has no facts, or facts have no block
 */
export function withFacts(text: string, facts: ReadonlyMap<string, string>): string {
  const left = new Set(facts.keys());
  const written = text.replace(/<!-- facts: ([\w-]+) -->\n[^]*?<!-- \/facts -->/g, (_, name: string) => {
    const block = facts.get(name);
    if (block === undefined) throw new Error(`${pageFile}: there are no facts ${JSON.stringify(name)}`);
    left.delete(name);
    return `<!-- facts: ${name} -->\n\n${block}\n\n<!-- /facts -->`;
  });
  if (left.size > 0) throw new Error(`${pageFile}: there is no block for the facts ${[...left].join(", ")}`);
  return written;
}

/** Reads the data from which the blocks are generated. */
export async function sourcesOf(root: string, text: string): Promise<Sources> {
  const slugs = new GithubSlugger();
  return {
    report: await reportBetween(root, from!, to!),
    headers: { old: await headersOf(root, from!), new: await headersOf(root, to!) },
    titles: new Map([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) => [slugs.slug(title!), title!])),
  };
}

async function headersOf(root: string, revision: string): Promise<readonly HeaderRule[]> {
  const schemaDir = join(root, "schema");
  const { status } = readLock(schemaDir).get(revision)!;
  return (await loadRevision(storedRevision(schemaDir, revision, status, true), undocumented)).model.headers;
}
