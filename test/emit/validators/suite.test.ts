import { describe, expect, test } from "vitest";
import { type Schema, readDocument } from "@mcpgen/engine";
import { type SuiteFile, suiteDocuments, suiteFiles } from "../../json-schema-suite.js";
import { compile } from "../../properties/compiled.js";
import { combined, nameIn } from "./combined.js";

/** A test of the suite that the emitted functions fail. */
interface Failure {
  readonly path: string;
  readonly told: string;
}

interface Outcome {
  readonly run: number;
  readonly failures: readonly Failure[];
}

/** All tests of the files, by what is emitted: a single module for all their schemas. */
async function outcome(files: readonly SuiteFile[]): Promise<Outcome> {
  const groups = files.flatMap(({ dialect, path, groups }) =>
    groups.map((group) => ({ dialect, path, ...group })),
  );
  const schemas = new Map<number, Schema>();
  for (const [index, { schema, dialect }] of groups.entries()) {
    schemas.set(index, readDocument(schema, { dialect, documents: suiteDocuments }));
  }
  const functions = await compile(combined(schemas));
  let run = 0;
  const failures: Failure[] = [];
  for (const [index, { path, description, tests }] of groups.entries()) {
    const { is, accepts, check } = functions.get(nameIn(index, "#root"))!;
    for (const { description: about, data, valid } of tests) {
      run++;
      const issues = check(data);
      // Where the shape tells nothing, an issue only names the definition.
      const silent = issues.some(({ expected, got }) => got !== "nothing" && functions.has(expected));
      const verdicts = { is: is(data), accepts: accepts(data), check: issues.length === 0 };
      if (!silent && Object.values(verdicts).every((verdict) => verdict === valid)) continue;
      failures.push({ path, told: `${description}: ${about}: ${JSON.stringify(verdicts)}` });
    }
  }
  return { run, failures };
}

describe("the official tests of JSON Schema, by emitted validators and checks", () => {
  test.each([
    ["2020-12", 1_299],
    ["draft-07", 927],
  ] as const)("%s: all that is required", async (dialect, count) => {
    const required = suiteFiles(dialect).filter(({ optional }) => !optional);
    expect(await outcome(required)).toEqual({ run: count, failures: [] });
  });
});
