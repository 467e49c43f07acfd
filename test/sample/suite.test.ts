import { expect, test } from "vitest";
import { type Schema, type SchemaNode, readDocument } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { minimallyInvalid } from "../../generator/sample/invalid.js";
import { randomFrom } from "../../generator/sample/values.js";
import { sampleValid } from "../../generator/sample/sample.js";
import { suiteDocuments, suiteFiles } from "../support/json-schema-suite.js";

interface Subject {
  readonly schema: Schema;
  readonly root: SchemaNode;
  readonly verdicts: readonly boolean[];
}

function subjectOf(
  document: Parameters<typeof readDocument>[0],
  options: Parameters<typeof readDocument>[1],
) {
  const { definitions, root = { pointer: "" } } = readDocument(document, options);
  return { root, schema: { definitions: new Map([...definitions, ["Root", { name: "Root", node: root }]]) } };
}

/** Every schema of the official tests, all keywords and all kinds of references among them. */
const subjects = (["2020-12", "draft-07"] as const).flatMap((dialect) =>
  suiteFiles(dialect)
    .filter(({ optional }) => !optional)
    .flatMap(({ groups }) => groups)
    .map(({ schema, tests }): Subject => ({
      ...subjectOf(schema, { dialect, documents: suiteDocuments }),
      verdicts: tests.map(({ valid }) => valid),
    })),
);

// The interpreter confirms each sample, so that all found samples are right. This test checks for how many schemas
// there are samples.
test("valid instances are found for all schemas for which the tests have some, except two", () => {
  const wanted = subjects.filter(({ verdicts }) => verdicts.includes(true));
  const found = wanted.filter(({ schema, root }) => {
    const value = sampleValid(schema, "Root", randomFrom("suite"));
    expect(value === undefined || isValid(schema, root, value)).toBe(true);
    return value !== undefined;
  });
  expect(wanted).toHaveLength(602);
  expect(found.length).toBeGreaterThanOrEqual(600);
});

test("minimally invalid instances are found for most schemas, and other instances never pass as one", () => {
  const wanted = subjects.filter(({ verdicts }) => verdicts.includes(true) && verdicts.includes(false));
  const found = wanted.filter(({ schema, root }) => {
    const mutants = minimallyInvalid(schema, "Root", 2);
    for (const { value } of mutants) expect(isValid(schema, root, value)).toBe(false);
    return mutants.length > 0;
  });
  expect(wanted).toHaveLength(467);
  expect(found.length).toBeGreaterThanOrEqual(388);
});

test("patterns that are made to take long are handled quickly", () => {
  const { schema } = subjectOf({ type: "string", pattern: "^(x+x+)+y$" }, {});
  expect(sampleValid(schema, "Root", randomFrom("pattern"))).toBe("xxy");
});
