// docs/journeys/report.md does what it says, on a Node.js that has SQLite inside.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { engines } from "./engines.mjs";

process.chdir(fileURLToPath(new URL("../../", import.meta.url)));

/** A port that was free a moment ago. The page needs one that stays the same for two processes. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const { missing, node } = engines.sqlite;

test("docs/journeys/report.md does what it says", { skip: missing }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-report-"));
  const [work, home] = ["work", "home"].map((name) => join(folder, name));
  for (const path of [work, home]) mkdirSync(path);
  const outfile = join(folder, "walkthrough.mjs");
  await build({ entryPoints: ["test/support/walkthrough.ts"], outfile, format: "esm" });
  const { Reader, readerEnvironment, stepsOf } = await import(pathToFileURL(outfile).href);
  const env = readerEnvironment(home, { cli: join(process.cwd(), "dist/generator/cli.js") });
  writeFileSync(join(home, "node"), `#!/bin/sh\nexec "${node}" "$@"\n`);
  chmodSync(join(home, "node"), 0o755);
  const ends = [];
  context.after(() => {
    for (const end of ends) end();
    rmSync(folder, { recursive: true, force: true });
  });
  const text = readFileSync("docs/journeys/report.md", "utf8").replaceAll("8401", String(await freePort()));
  const reader = new Reader(work, env, (end) => ends.push(end));
  for (const step of stepsOf(text)) await reader.take(step);
});
