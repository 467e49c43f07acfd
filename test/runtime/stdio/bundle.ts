import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { afterAll } from "vitest";

// Registered while the tests are collected: inside a hook it would never be called.
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A program of programs/ as one file that Node can run, for the tests of one file. */
export async function bundle(program: string): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcpgen-program-")));
  folders.push(folder);
  const outfile = join(folder, `${basename(program, ".ts")}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, "programs", program)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    conditions: ["mcpgen-source"],
    logLevel: "error",
  });
  return outfile;
}
