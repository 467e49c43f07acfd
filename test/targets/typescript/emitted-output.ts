import { dirname, join } from "node:path";
import { type Plugin, build } from "esbuild";
import type { Surroundings } from "../../../generator/targets/typescript/emitter.js";
import * as registry from "../../../generator/pipeline/generate.js";
import { loadEmitters } from "../../support/emitters.js";
import { loadTemplates } from "../../../generator/print/templates.js";
import type { ProtocolModel } from "../../../generator/model/model.js";

const render = loadTemplates();

export const schemaEmitters = await loadEmitters(registry.schemaEmitters);
export const modelEmitters = await loadEmitters(registry.modelEmitters);
export const workspaceEmitters = await loadEmitters(registry.workspaceEmitters);

/** All output for some models, by path, as the emitters print it. */
export function emitted(models: readonly ProtocolModel[], packageName?: string): Map<string, string> {
  const files = new Map<string, string>();
  const add = (output: ReadonlyMap<string, { readonly content: string }>): void => {
    for (const [path, { content }] of output) files.set(path, content);
  };
  for (const [index, model] of models.entries()) {
    const [previous, next] = [models[index - 1], models[index + 1]];
    const surroundings: Surroundings = {
      folder: model.revision,
      origin: `schema/${model.revision}`,
      importExtension: "js",
      render,
    };
    for (const emit of Object.values(schemaEmitters)) add(emit({ ...surroundings, schema: model.schema }));
    for (const emit of Object.values(modelEmitters))
      add(emit({ ...surroundings, model, ...(previous && { previous }), ...(next && { next }) }));
  }
  const workspace = { folder: "", origin: "schema", importExtension: "js" as const, render, models };
  for (const emit of Object.values(workspaceEmitters)) {
    add(emit({ ...workspace, ...(packageName !== undefined && { packageManifest: { name: packageName } }) }));
  }
  return files;
}

/** The code that is left of `files` when `entry` is bundled from them. */
export async function bundled(files: ReadonlyMap<string, string>, entry: string): Promise<string> {
  const inMemory: Plugin = {
    name: "in-memory",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path, importer, kind }) => {
        if (kind === "dynamic-import") return { path, external: true };
        const target = kind === "entry-point" ? path : join(dirname(importer), path).replace(/\.js$/, ".ts");
        // As the emitted package.json says.
        return { path: target, namespace: "emitted", sideEffects: kind === "entry-point" };
      });
      onLoad({ filter: /./, namespace: "emitted" }, ({ path }) => ({
        contents: path === "entry.ts" ? entry : files.get(path)!,
        loader: "ts",
      }));
    },
  };
  const result = await build({
    entryPoints: ["entry.ts"],
    bundle: true,
    format: "esm",
    write: false,
    plugins: [inMemory],
    // As a bundle for production is made.
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return result.outputFiles[0]!.text;
}

/** The exports of `entry` when it runs with `files`. */
export async function loaded<Exports>(files: ReadonlyMap<string, string>, entry: string): Promise<Exports> {
  const code = Buffer.from(await bundled(files, entry)).toString("base64");
  return (await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)) as Exports;
}
