import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPages } from "../pages.mjs";
import type { Site } from "./layout.js";

/** The programs of the site's own pages, from source. */
export async function programsOf(root: string): Promise<Site["programs"]> {
  const outdir = mkdtempSync(join(tmpdir(), "mcpgen-site-"));
  try {
    await buildPages(join(root, "scripts/site/browser"), outdir);
    const program = (name: string): string => readFileSync(join(outdir, `${name}.js`), "utf8").trim();
    return { document: program("document"), search: program("search") };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
