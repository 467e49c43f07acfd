import { describe, expect, test } from "vitest";
import { type Schema, type SchemaNode, readDocument } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type SuiteFile, suiteDocuments, suiteFiles } from "../json-schema-suite.js";

const files = [...suiteFiles("2020-12"), ...suiteFiles("draft-07")];

/** The tests of a file that the interpreter gets wrong, or whose schema it cannot read. */
function failures({ dialect, groups }: SuiteFile): string[] {
  return groups.flatMap(({ description, schema: document, tests }) => {
    let schema: Schema;
    try {
      schema = readDocument(document, { dialect, documents: suiteDocuments });
    } catch (error) {
      return tests.map((test) => `${description}: ${test.description}: ${(error as Error).message}`);
    }
    const root: SchemaNode = schema.root ?? { pointer: "" };
    return tests
      .filter(({ data, valid }) => isValid(schema, root, data) !== valid)
      .map((test) => `${description}: ${test.description}`);
  });
}

describe("required", () => {
  test.each(
    files.filter(({ optional }) => !optional).map((file) => [file.dialect, file.path, file] as const),
  )("%s %s", (_, __, file) => {
    expect(failures(file)).toEqual([]);
  });
});
