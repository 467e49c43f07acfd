import { describe, expect, test } from "vitest";
import { type Schema, readDocument } from "@mcpgen/engine";
import { validatorOf } from "@mcpgen/engine/interpreter";
import { type SuiteFile, suiteDocuments, suiteFiles } from "../support/json-schema-suite.js";

const files = [...suiteFiles("2020-12"), ...suiteFiles("draft-07")];
const required = files.filter(({ optional }) => !optional);
const optional = files.filter((file) => file.optional);

/** The tests of a file that the interpreter gets wrong, or whose schema it cannot read. */
function failures({ dialect, format, groups }: SuiteFile): string[] {
  return groups.flatMap(({ description, schema: document, tests }) => {
    let schema: Schema;
    try {
      schema = readDocument(document, { dialect, documents: suiteDocuments });
    } catch (error) {
      return tests.map((test) => `${description}: ${test.description}: ${(error as Error).message}`);
    }
    const isValid = validatorOf(schema, format ? { formats: "assertion" } : {});
    return tests
      .filter(({ data, valid }) => isValid(data) !== valid)
      .map((test) => `${description}: ${test.description}`);
  });
}

function count(some: readonly SuiteFile[]): number {
  return some.reduce(
    (sum, { groups }) => sum + groups.reduce((inner, { tests }) => inner + tests.length, 0),
    0,
  );
}

const named = (some: readonly SuiteFile[]) => some.map((file) => [file.dialect, file.path, file] as const);

describe("required", () => {
  test.each(named(required))("%s %s", (_, __, file) => {
    expect(failures(file)).toEqual([]);
  });

  test("there are as many tests as the suite has", () => {
    const of = (dialect: string) => count(required.filter((file) => file.dialect === dialect));
    expect({ "2020-12": of("2020-12"), "draft-07": of("draft-07") }).toEqual(requiredCounts);
  });
});

const requiredCounts = { "2020-12": 1299, "draft-07": 927 };

/** The number of optional tests of a file that fail, with the reason. All others pass. */
const known: { readonly [file: string]: number } = {
  // `dependencies` is no keyword of 2020-12.
  "2020-12 optional/dependencies-compatibility.json": 14,
  // Keywords about content are annotations: the content is not checked.
  "draft-07 optional/content.json": 4,
};

describe("optional", () => {
  test.each(named(optional))("%s %s", (dialect, path, file) => {
    const failed = failures(file);
    expect(failed, failed.join("\n")).toHaveLength(known[`${dialect} ${path}`] ?? 0);
  });

  test("there are as many tests as the suite has", () => {
    const failing = Object.values(known).reduce((a, b) => a + b, 0);
    expect({ passed: count(optional) - failing, failing }).toEqual({ passed: 1702, failing: 18 });
  });
});
