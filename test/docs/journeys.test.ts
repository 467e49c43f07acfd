import { chmodSync, copyFileSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parseCommandLine } from "../../generator/command/parse.js";
import { builtCli } from "../support/built-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { Reader, type Step, expectedOutput, stepsOf } from "./walkthrough.js";

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
  const home = temporaryFolder({
    npx: `#!/bin/sh
case "$1" in
  mcpgen) shift; exec node "${cli}" "$@";;
  tsc) shift; exec node "${resolve("node_modules/typescript/bin/tsc")}" "$@";;
esac
echo "npx: not in this test: $*"; exit 127
`,
    npm: `#!/bin/sh
case "$*" in
  install*) [ -e node_modules ] || ln -s "${resolve("node_modules")}" node_modules;;
  *) exec "${join(process.execPath, "../npm")}" --silent "$@";;
esac
`,
  });
  for (const program of ["npx", "npm"]) chmodSync(join(home, program), 0o755);
  const { PATH } = process.env;
  return new Reader(folder, {
    PATH: `${home}:${join(process.execPath, "..")}:${PATH}`,
    HOME: home,
    CI: "",
    NO_COLOR: "1",
  });
}

/** A walk takes longer than `npm test` may. */
const walked = process.env["MCPGEN_LONG"] === "1" ? documents : [];

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

test.each(walked)(
  "docs/journeys/%s does what it says",
  async (document) => {
    const reader = await readerOf(document);
    for (const step of stepsOf(textOf(document))) await take(step, reader);
  },
  120_000,
);

function textOf(document: string): string {
  return readFileSync(join("docs/journeys", document), "utf8");
}

async function take(step: Step, reader: Reader): Promise<void> {
  if (step.kind === "write") return reader.write(step);
  if (step.kind === "edit") return reader.edit(step);
  const { exit, output } = await reader.run(step.script);
  if (process.env["MCPGEN_SHOW"]) console.log(`$ ${step.script}${output}`);
  expect(exit, `${step.script}${output}`).toBe(step.exit);
  if (step.output !== undefined) expect(output, step.script).toMatch(expectedOutput(step.output));
}
