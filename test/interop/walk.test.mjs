// docs/journeys/migration.md does what it says: a server of the SDK becomes a server of mcpgen that answers alike.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

process.chdir(fileURLToPath(new URL("../../", import.meta.url)));

/** The steps of the page, and a reader who takes them in an empty folder. */
async function walk(context) {
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-walk-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const [work, home] = ["work", "home"].map((name) => join(folder, name));
  for (const path of [work, home]) mkdirSync(path);
  const outfile = join(folder, "walkthrough.mjs");
  await build({ entryPoints: ["test/support/walkthrough.ts"], outfile, format: "esm" });
  const { Reader, readerEnvironment, stepsOf } = await import(pathToFileURL(outfile).href);
  const env = readerEnvironment(home, {
    cli: join(process.cwd(), "dist/generator/cli.js"),
    packages: "test/interop/node_modules",
  });
  const steps = stepsOf(readFileSync("docs/journeys/migration.md", "utf8"));
  return { steps, reader: new Reader(work, env, (end) => context.after(end)) };
}

test("docs/journeys/migration.md does what it says", async (context) => {
  const { steps, reader } = await walk(context);
  for (const step of steps) await reader.take(step);
});

test("its steps are the same for a server of SDK 2", async (context) => {
  const { steps, reader } = await walk(context);
  const [old, ...rest] = steps;
  // The last step shows a revision that SDK 1 does not have.
  const text = readFileSync("test/interop/servers/shop-v2.mjs", "utf8");
  for (const step of [{ ...old, text }, ...rest.slice(0, -1)]) await reader.take(step);
});
