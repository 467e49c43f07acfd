import { copyFileSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseCommandLine } from "../../generator/command/parse.js";
import { builtCli } from "../support/built-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { Reader, readerEnvironment, stepsOf } from "../support/walkthrough.js";

const cli = builtCli();
const documents = readdirSync("docs/journeys").filter((file) => file !== "README.md");

/** What a reader has before the first step: schemas and a server, and packages once they are installed. */
async function readerOf(document: string): Promise<Reader> {
  const folder = temporaryFolder();
  if (document === "revision.md")
    for (const revision of ["2025-11-25", "2026-07-28"]) {
      mkdirSync(join(folder, "downloads", revision), { recursive: true });
      copyFileSync(`schema/${revision}/schema.json`, join(folder, "downloads", revision, "schema.json"));
    }
  const env = readerEnvironment(temporaryFolder(), { cli });
  return new Reader(folder, env, onTestFinished);
}

/**
 * test/interop walks migration.md, which needs the official SDK; test/engines walks
 * report.md, which needs a Node.js with SQLite; test/dev/page walks develop.md, which needs Chromium.
 */
const walked = documents.filter(
  (document) => !["develop.md", "migration.md", "report.md"].includes(document),
);

/** The commands of mcpgen in a document, as words. */
function commandsIn(document: string): string[][] {
  const scripts = stepsOf(document).flatMap((step) => (step.kind === "run" ? [step.script] : []));
  return [...scripts.join("").matchAll(/^npx mcpgen (.+?)(?: # .*)?$/gm)].map(([, line]) =>
    [...line!.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
      ([, double, single, bare]) => double ?? single ?? bare!,
    ),
  );
}

test.each(documents)("docs/journeys/%s shows commands that there are", async (document) => {
  const commands = commandsIn(textOf(document));
  expect(commands.length).toBeGreaterThan(3);
  for (const words of commands)
    expect(await parseCommandLine(words, "1.0.0", () => {}), words.join(" ")).toBeDefined();
});

test.each(walked)("docs/journeys/%s does what it says", async (document) => {
  const reader = await readerOf(document);
  for (const step of stepsOf(textOf(document))) await reader.take(step);
});

function textOf(document: string): string {
  return readFileSync(join("docs/journeys", document), "utf8");
}
