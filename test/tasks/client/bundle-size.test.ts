import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";

test("a client with tasks loads at most 2,950 bytes for them at its start, and the rest with the first task", async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [resolve("runtime/tasks/client.ts")],
    ...{ bundle: true, minify: true, splitting: true, write: false, metafile: true },
    ...{ format: "esm", platform: "node", legalComments: "none", logLevel: "error" },
    outdir: resolve("node_modules/.cache/mcpgen-size"),
    external: ["@mcpgen/*"],
  });
  const bytes = new Map(outputFiles.map(({ path, text }) => [path, gzipSync(text).length]));
  const loaded = new Set<string>();
  const load = (output: string): void => {
    if (loaded.has(output)) return;
    loaded.add(output);
    for (const { path, kind, external } of metafile.outputs[output]!.imports)
      if (kind === "import-statement" && !external) load(path);
  };
  load(Object.keys(metafile.outputs).find((output) => output.endsWith("/client.js"))!);
  const sizes = [...loaded].map((output) => bytes.get(resolve(output))!);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(2950);
  expect(loaded.size).toBeLessThan(bytes.size);
});
