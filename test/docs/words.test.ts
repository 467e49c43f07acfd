import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { documentsIn } from "./documents.js";

/** Words that hide the subject of a sentence, or the term of the field. */
const avoided =
  /\b(?:told|tells|nobody|somebody|whoever|of (?:its|their) own|anew|any more|patience|as asked|spoken)\b/i;

/** Lines that may contain such a word. */
const exceptions: readonly { readonly line: RegExp; readonly reason: string }[] = [
  { line: /told.{0,9}\|/, reason: "the list above" },
  { line: /\bas Asked\b/, reason: "a type assertion" },
];

const advice = "a word of `avoided` (test/docs/words.test.ts), marked with » «: say who does what instead";

function marked(line: string): string {
  return line.trim().replace(avoided, "»$&«");
}

/** Pages that scripts write from texts of the generator. */
const written = new Set(["docs/errors.md", "docs/lint.md", "docs/rules.md"]);

const folders = ["docs", "docs/guides", "docs/tasks", "examples/ci"];
const documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...folders.flatMap(documentsIn)];

test.each(documents.filter((document) => !written.has(document)))("%s uses plain words", (document) => {
  const lines = readFileSync(document, "utf8").split("\n");
  expect(lines.filter((line) => avoided.test(line)).map(marked), advice).toEqual([]);
});

/** Files that others wrote, and output. */
const foreign = /(?:^|\/)(?:node_modules|dist|fixtures|golden|generated)\//;

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
    .filter((file) => /\.(?:[cm]?[jt]s|hbs)$/.test(file) && !foreign.test(file));
}

test.each(["engine", "generator", "runtime", "templates", "scripts", "bench", "examples", "test"])(
  "comments, texts and test titles in %s use plain words",
  (folder) => {
    const found = sourcesIn(folder).flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .map((line, index) => ({ place: `${file}:${index + 1}`, line }))
        .filter(
          ({ line }) => avoided.test(line) && !exceptions.some((exception) => exception.line.test(line)),
        )
        .map(({ place, line }) => `${place}: ${marked(line)}`),
    );
    expect(found, advice).toEqual([]);
  },
);
