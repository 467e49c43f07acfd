import fc from "fast-check";
import { expect, test } from "vitest";
import { SchemaError, type JsonObject, type JsonValue, readDocument } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { randomFrom, shuffled } from "../../generator/sample/random.js";
import { sampleValid } from "../../generator/sample/sample.js";
import { pendingMutants } from "../../generator/sample/mutants.js";
import { cases, seed } from "../support/cases.mjs";
import { compilerErrors } from "../support/typescript-compiler.js";
import { judged } from "./described-value.js";
import { type SchemaRow, schemaRows } from "./schema-rows.js";
import { type TypedSchema, typedSchema, value } from "./typed-schema.js";

/** On one line also to the compiler. */
const written = (given: JsonValue): string => JSON.stringify(given).replace(/[\u2028\u2029]/g, "?");

const perSchema = 6;

/** Values that a schema may accept or refuse. */
function valuesOf({ schema }: TypedSchema, index: number): JsonValue[] {
  const random = randomFrom(`${seed}: ${index}`);
  const { $defs, ...own } = schema;
  const read = readDocument({ $defs: { ...($defs as JsonObject), T: own } });
  const sampled = Array.from({ length: 4 }, () => sampleValid(read, "T", random)).filter(
    (each) => each !== undefined,
  );
  const mutants = sampled.flatMap((each) =>
    shuffled(pendingMutants(read, "T", each, random), random)
      .slice(0, 6)
      .map((mutant) => mutant.make().value),
  );
  const drawn = [...sampled, ...mutants, ...fc.sample(value, { numRuns: perSchema * 2, seed: seed + index })];
  return drawn.filter(hasPlainNames);
}

/** Members that every object inherits have types from elsewhere, and are left out. */
function hasPlainNames(given: JsonValue): boolean {
  if (typeof given !== "object" || given === null) return true;
  return Object.entries(given).every(([key, child]) => /^([abc]|\d+)$/.test(key) && hasPlainNames(child));
}

/** Literals of a random schema; nothing if it refers to itself in place. */
function literalsOf(drawn: TypedSchema, index: number): SchemaRow | undefined {
  let values: JsonValue[];
  try {
    const read = readDocument(drawn.schema as JsonObject);
    values = [...new Map(valuesOf(drawn, index).map((each) => [JSON.stringify(each), each])).values()];
    for (const each of values)
      expect(judged(drawn.schema, each) !== "invalid", JSON.stringify([drawn.schema, each])).toBe(
        isValid(read, read.root!, each),
      );
  } catch (error) {
    // References that lead back to themselves in place.
    if (error instanceof SchemaError && error.code === "circular-reference") return undefined;
    throw error;
  }
  const good = values.filter((each) => judged(drawn.schema, each) === "described").slice(0, perSchema);
  const wrong = values.filter((each) => judged(drawn.typed, each) === "invalid").slice(0, perSchema);
  return { name: JSON.stringify(drawn.schema), schema: drawn.schema as JsonObject, good, wrong };
}

/** The schemas whose literals the compiler judges otherwise, with its first words. */
async function misjudged(rows: readonly SchemaRow[]): Promise<string[]> {
  const tools = rows.map(({ schema }, index) => ({
    name: `t${index}`,
    inputSchema: { type: "object", ...schema },
  }));
  const document = await readContract(JSON.stringify({ name: "n", version: "1", tools }), "c.json");
  const { files } = await generateContract({ document, role: "client", importExtension: "js" });
  const lines: string[] = [`import type * as types from "./types.js";`];
  const owners: string[] = ["the import"];
  const add = (owner: string, ...more: readonly string[]): void => {
    lines.push(...more);
    owners.push(...more.map(() => owner));
  };
  for (const [index, { name, good, wrong }] of rows.entries()) {
    add(name, `export const t${index}: types.T${index}.Arguments[] = [`);
    add(name, ...good.map((each) => `${written(each)},`));
    add(name, ...wrong.flatMap((each) => ["// @ts-expect-error", `${written(each)},`]), "];");
  }
  const program = new Map([
    ["types.ts", files.get("types.ts")!],
    ["literals.ts", lines.join("\n")],
  ]);
  const errors = await compilerErrors(program);
  return errors.map((error) => {
    const line = Number(/^literals\.ts\((\d+),/.exec(error)?.[1]);
    return line > 0 ? `${owners[line - 1]}: ${lines.slice(line - 1, line + 1).join(" ")} ${error}` : error;
  });
}

test("literals compile as the schema says, wherever it says so", async () => {
  for (const { schema, good, wrong } of schemaRows) {
    const read = readDocument({ type: "object", ...schema });
    const verdicts = [...good, ...wrong].map((each) => isValid(read, read.root!, each));
    expect(verdicts).toEqual([...good.map(() => true), ...wrong.map(() => false)]);
  }
  expect(await misjudged(schemaRows)).toEqual([]);
});

test("types that server.tool infers say the same", async () => {
  const lines = [`import type { FromJsonSchema } from "@mcpgen/runtime";`];
  for (const [index, { schema, good, wrong }] of schemaRows.entries())
    lines.push(
      `export const t${index}: FromJsonSchema<${JSON.stringify({ type: "object", ...schema })}>[] = [`,
      ...good.map((each) => `${written(each)},`),
      ...wrong.flatMap((each) => ["// @ts-expect-error", `${written(each)},`]),
      "];",
    );
  expect(await compilerErrors(new Map([["inferred.ts", lines.join("\n")]]), ["node"])).toEqual([]);
});

test("valid literals of random schemas compile, and literals of a wrong type do not", async () => {
  const count = cases(500, 60);
  const rows = fc
    .sample(typedSchema, { numRuns: count * 2, seed })
    .map(literalsOf)
    .filter((row) => row !== undefined);
  expect(await misjudged(rows.slice(0, count))).toEqual([]);
});
