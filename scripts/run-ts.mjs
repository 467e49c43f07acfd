// Runs a TypeScript script of this repository: node scripts/run-ts.mjs scripts/fingerprint.ts [arguments]
import { build } from "esbuild";
import { mkdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const script = process.argv[2];
if (script === undefined) {
  console.error("usage: node scripts/run-ts.mjs SCRIPT.ts [arguments]");
  process.exit(2);
}
const outfile = resolve("node_modules/.cache/mcpgen-scripts", `${basename(script, ".ts")}.mjs`);
mkdirSync(resolve(outfile, ".."), { recursive: true });
await build({
  entryPoints: [script],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  // Our packages are loaded from source, so that scripts run without a build.
  alias: {
    "@mcpgen/engine/explain": resolve("engine/explain.ts"),
    "@mcpgen/engine/interpreter": resolve("engine/interpreter.ts"),
    "@mcpgen/engine/uri-template": resolve("engine/uri-template.ts"),
    "@mcpgen/engine": resolve("engine/index.ts"),
  },
  logLevel: "error",
});
process.argv.splice(1, 2, script);
await import(pathToFileURL(outfile).href);
