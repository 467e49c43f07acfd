import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { documentsIn } from "./documents.js";

const documents = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "engine/README.md", "runtime/core/README.md"],
  ...["docs", "docs/tasks", "examples/ci", "test/fixtures/json-schema-test-suite"].flatMap(documentsIn),
];

const top =
  /^(?:\.ci|bench|docs|engine|examples|generated|generator|runtime|schema|scripts|templates|test)\//;
const source = /^[\w.-]+(?:\/[\w.-]+)+\.(?:[cm]?[jt]s|hbs)$/;

/** Documents that name files below the folder of the emitters by their end. */
const named: ReadonlySet<string> = new Set(["docs/architecture.md", "docs/decisions.md"]);

/** The paths of the project in the code spans of a document. */
function pathsIn(document: string): string[] {
  const text = readFileSync(document, "utf8").replace(/^```.*?^```/gms, "");
  const words = [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code!.split(/\s+/));
  return words.filter((word) => top.test(word) || (named.has(document) && source.test(word)));
}

/** Whether a file exists at the path, with `<revision>` replaced, or at the path below the folder of the emitters. */
function isThere(path: string): boolean {
  const found = path.replace("<revision>", "2026-07-28");
  return existsSync(found) || existsSync(`generator/targets/typescript/${found}`);
}

test("the documents name files of the project", () => {
  expect(documents.flatMap(pathsIn).length).toBeGreaterThan(150);
});

test.each(documents)("every path of the project that %s names exists", (document) => {
  expect(pathsIn(document).filter((path) => !isThere(path))).toEqual([]);
});
