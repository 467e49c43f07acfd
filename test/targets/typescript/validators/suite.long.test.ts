import { describe, expect, test } from "vitest";
import { type Dialect, type JsonValue, type Schema, SchemaError, readDocument } from "@mcpgen/engine";
import { type SuiteFile, suiteDocuments, suiteFiles } from "../../../support/json-schema-suite.js";
import { compile } from "../../../support/compiled-schema.js";
import { combined, nameIn } from "../../../support/combined-schemas.js";
import { assertFormats } from "../../../../generator/targets/typescript/texts/modules.js";

interface Outcome {
  /** Tests that were run. */
  readonly run: number;
  /** Tests whose schema cannot be read. */
  readonly unread: number;
  readonly failures: readonly string[];
}

/** All tests of the files with emitted code: a single module for all their schemas. */
async function outcome(files: readonly SuiteFile[], formats?: "assertion"): Promise<Outcome> {
  const groups = files.flatMap(({ dialect, path, groups }) =>
    groups.map((group) => ({ dialect, path, ...group })),
  );
  const schemas = new Map<number, Schema>();
  for (const [index, { schema, dialect }] of groups.entries()) {
    const read = readable(schema, dialect);
    if (read) schemas.set(index, assertFormats(read, formats));
  }
  const functions = await compile(combined(schemas));
  let [run, unread] = [0, 0];
  const failures: string[] = [];
  for (const [index, { path, description, tests }] of groups.entries()) {
    const compiled = functions.get(nameIn(index, "#root"));
    if (!compiled) {
      unread += tests.length;
      continue;
    }
    for (const { description: about, data, valid } of tests) {
      run++;
      const issues = compiled.explain(data);
      // If the shape is empty, an issue only names the definition.
      const silent = issues.some(({ expected, got }) => got !== "nothing" && functions.has(expected));
      const verdicts = [compiled.is(data), compiled.accepts(data), issues.length === 0];
      if (silent || verdicts.some((verdict) => verdict !== valid))
        failures.push(`${path}: ${description}: ${about}: ${verdicts.join()}${silent ? ", silent" : ""}`);
    }
  }
  return { run, unread, failures };
}

function readable(document: JsonValue, dialect: Dialect): Schema | undefined {
  try {
    return readDocument(document, { dialect, documents: suiteDocuments });
  } catch (error) {
    if (error instanceof SchemaError) return undefined;
    throw error;
  }
}

describe("the official tests of JSON Schema, by emitted validators and checks", () => {
  test.each([
    ["2020-12", 1_299],
    ["draft-07", 927],
  ] as const)("%s: all that is required", async (dialect, run) => {
    const required = suiteFiles(dialect).filter(({ optional }) => !optional);
    expect(await outcome(required)).toEqual({ run, unread: 0, failures: [] });
  });

  test.each([
    // Not met: keywords of another draft (14).
    ["2020-12", 162, 0, 14],
    // Not met: the content of encoded texts (4).
    ["draft-07", 118, 0, 4],
  ] as const)("%s: what is optional, and not about formats", async (dialect, run, unread, failed) => {
    const optional = suiteFiles(dialect).filter(({ optional, format }) => optional && !format);
    const { failures, ...counts } = await outcome(optional);
    expect({ ...counts, failed: failures.length }, failures.join("\n")).toEqual({ run, unread, failed });
  });

  test.each([
    ["2020-12", 764, 0],
    ["draft-07", 676, 0],
  ] as const)("%s: formats, where they are asserted", async (dialect, run, failed) => {
    const files = suiteFiles(dialect).filter(({ format }) => format);
    const { failures, ...counts } = await outcome(files, "assertion");
    expect({ ...counts, failed: failures.length }, failures.join("\n")).toEqual({ run, unread: 0, failed });
  });
});
