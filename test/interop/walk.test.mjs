// docs/journeys/migration.md does what it says: a server of SDK 1 becomes a server of mcpgen that answers alike.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

process.chdir(fileURLToPath(new URL("../../", import.meta.url)));

test("docs/journeys/migration.md does what it says", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-walk-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const [work, home] = ["work", "home"].map((name) => join(folder, name));
  for (const path of [work, home]) mkdirSync(path);
  const outfile = join(folder, "walkthrough.mjs");
  await build({ entryPoints: ["test/docs/walkthrough.ts"], outfile, format: "esm" });
  const { Reader, readerEnvironment, stepsOf } = await import(pathToFileURL(outfile).href);

  const env = readerEnvironment(home, {
    cli: join(process.cwd(), "dist/generator/cli.js"),
    packages: "test/interop/node_modules",
  });
  const reader = new Reader(work, env, (end) => context.after(end));
  for (const step of stepsOf(readFileSync("docs/journeys/migration.md", "utf8"))) await reader.take(step);
});
