import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { build } from "esbuild";

/**
 * Bundles the programs of pages from source: each TypeScript file of a folder becomes one file, which a page contains.
 *
 * @param {string} folder
 * @param {string} outdir
 */
export async function buildPages(folder, outdir) {
  const sources = (await readdir(folder)).filter((name) => name.endsWith(".ts"));
  await build({
    outdir,
    bundle: true,
    minify: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    define: { "process.env.NODE_ENV": '"production"' },
    conditions: ["mcpgen-source"],
    // These aliases make the same choice as the package's entry for browsers.
    alias: {
      "@mcpgen/runtime/stdio": fileURLToPath(new URL("../runtime/core/no-stdio.ts", import.meta.url)),
    },
    logLevel: "warning",
    entryPoints: sources.map((name) => join(folder, name)),
  });
}
