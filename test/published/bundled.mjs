import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const cache = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));

/** Imports a module of this folder, with the compiler from source. */
export async function bundled(file) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    ...{ bundle: true, write: false, platform: "node", format: "esm", logLevel: "error" },
    external: ["ajv", "ajv/*", "esbuild"],
    conditions: ["mcpgen-source"],
  });
  // A file inside the repository, from which packages are found.
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "mcpgen-published-"));
  try {
    await writeFile(join(folder, "module.mjs"), outputFiles[0].contents);
    return await import(pathToFileURL(join(folder, "module.mjs")));
  } finally {
    await rm(folder, { recursive: true });
  }
}
