import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { documentsIn } from "./documents.js";

/** Words that hide the subject or the field's term: `told` for reported, `anew` for again. */
const avoided = /\b(?:told|tells|nobody|whoever|of (?:its|their) own|anew|patience|as asked|spoken)\b/i;

/** Pages that scripts write from texts of the generator. */
const written = new Set(["docs/errors.md", "docs/lint.md", "docs/rules.md"]);

const folders = ["docs", "docs/journeys", "docs/tasks", "examples/ci"];
const documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...folders.flatMap(documentsIn)];

test.each(documents.filter((document) => !written.has(document)))("%s uses plain words", (document) => {
  const lines = readFileSync(document, "utf8").split("\n");
  expect(lines.filter((line) => avoided.test(line))).toEqual([]);
});
