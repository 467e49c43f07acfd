import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SchemaError, type JsonObject, type JsonValue, readDocument } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { randomFrom, shuffled } from "../../generator/sample/values.js";
import { sampleValid } from "../../generator/sample/sample.js";
import { pendingMutants } from "../../generator/sample/invalid.js";
import { cases, seed } from "../support/cases.mjs";
import { compilerErrors } from "../support/typescript-compiler.js";
import { judged } from "./described-value.js";
import { type SchemaRow, schemaRows } from "./schema-rows.js";
import { spellings, withNames } from "./spellings.js";
import { type TypedSchema, typedSchema, value } from "./typed-schema.js";

/** The literal is on one line, also for the compiler; `__proto__` is a member, not the prototype. */
const written = (given: JsonValue): string =>
  JSON.stringify(given)
    .replace(/[\u2028\u2029]/g, "?")
    .replaceAll('"__proto__":', '["__proto__"]:');

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
  // Types end after a number of references, and TypeScript's comparison after a number of levels.
  return drawn.filter((each) => hasPlainNames(each) && levelsOf(each) <= 6);
}

function levelsOf(given: JsonValue): number {
  if (typeof given !== "object" || given === null) return 0;
  return 1 + Math.max(0, ...Object.values(given).map((child) => levelsOf(child!)));
}

/** Whether all names are ones that the spellings can rename. */
function hasPlainNames(given: JsonValue): boolean {
  if (typeof given !== "object" || given === null) return true;
  return Object.entries(given).every(([key, child]) => /^([abc]|\d+)$/.test(key) && hasPlainNames(child));
}

/** Literals of a random schema, written in one of its spellings; `undefined` if it refers to itself in place. */
function literalsOf(drawn: TypedSchema, index: number): SchemaRow | undefined {
  const { name, write, rename } = spellings[index % spellings.length]!;
  const schema = write(drawn.schema) as JsonObject | undefined;
  if (!schema) return undefined;
  try {
    const read = [drawn.schema as JsonObject, schema].map((each) => readDocument(each));
    const values = new Map(valuesOf(drawn, index).map((each) => [JSON.stringify(each), each]));
    const rows = [...values.values()].map((each) => {
      const verdict = judged(drawn.schema, each);
      const isWrong = judged(drawn.typed, each) === "invalid";
      const renamed = withNames(each, rename);
      const verdicts = [isValid(read[0]!, read[0]!.root!, each), isValid(read[1]!, read[1]!.root!, renamed)];
      const isAccepted = verdict !== "invalid";
      expect([...verdicts, isWrong && isAccepted], JSON.stringify([schema, each])).toEqual([
        isAccepted,
        isAccepted,
        false,
      ]);
      return { verdict, isWrong, renamed };
    });
    const good = rows.filter(({ verdict }) => verdict === "described").map(({ renamed }) => renamed);
    const wrong = rows.filter(({ isWrong }) => isWrong).map(({ renamed }) => renamed);
    return {
      name: `${name}: ${JSON.stringify(schema)}`,
      schema,
      good: good.slice(0, perSchema),
      wrong: wrong.slice(0, perSchema),
    };
  } catch (error) {
    // References that lead back to themselves in place.
    if (error instanceof SchemaError && error.code === "circular-reference") return undefined;
    throw error;
  }
}

/** A way to make a type of each schema: declarations by file, and the type of a schema by its number. */
interface Owner {
  readonly imports: string;
  readonly files: (schemas: readonly JsonObject[]) => Promise<ReadonlyMap<string, string>>;
  readonly type: (schema: JsonObject, index: number) => string;
}

/** The types of a contract, and those that server.tool infers. */
const owners: { readonly [name: string]: Owner } = {
  contract: {
    imports: `import type * as types from "./types.js";`,
    files: async (schemas) => {
      const tools = schemas.map((inputSchema, index) => ({ name: `t${index}`, inputSchema }));
      const document = await readContract(JSON.stringify({ name: "n", version: "1", tools }), "c.json");
      const { files } = await generateContract({ document, role: "client", importExtension: "js" });
      return new Map([["types.ts", files.get("types.ts")!]]);
    },
    type: (_, index) => `types.T${index}.Arguments`,
  },
  "server.tool": {
    imports: `import type { FromJsonSchema } from "@mcpgen/engine/interpreter";`,
    files: () => Promise.resolve(new Map()),
    type: (schema) => `FromJsonSchema<${JSON.stringify(schema)}>`,
  },
};

/** The schemas for whose literals the compiler has another verdict, with its first words. */
async function misjudged({ imports, files, type }: Owner, rows: readonly SchemaRow[]): Promise<string[]> {
  const schemas = rows.map(({ schema }) => ({ type: "object", ...schema }));
  const lines: string[] = [imports];
  const names: string[] = ["the import"];
  const add = (name: string, ...more: readonly string[]): void => {
    lines.push(...more);
    names.push(...more.map(() => name));
  };
  for (const [index, { name, good, wrong }] of rows.entries()) {
    add(name, `export const t${index}: (${type(schemas[index]!, index)})[] = [`);
    add(name, ...good.map((each) => `${written(each)},`));
    add(name, ...wrong.flatMap((each) => ["// @ts-expect-error", `${written(each)},`]), "];");
  }
  const errors = await compilerErrors(
    new Map([...(await files(schemas)), ["literals.ts", lines.join("\n")]]),
  );
  return errors.map((error) => {
    const line = Number(/^literals\.ts\((\d+),/.exec(error)?.[1]);
    return line > 0 ? `${names[line - 1]}: ${lines.slice(line - 1, line + 1).join(" ")} ${error}` : error;
  });
}

test("the rows agree with the engine", () => {
  for (const { schema, good, wrong } of schemaRows) {
    const read = readDocument({ type: "object", ...schema });
    const verdicts = [...good, ...wrong].map((each) => isValid(read, read.root!, each));
    expect(verdicts).toEqual([...good.map(() => true), ...wrong.map(() => false)]);
  }
});

describe.each(Object.entries(owners))("by %s", (_, owner) => {
  test("literals compile in accordance with the schema", async () => {
    expect(await misjudged(owner, schemaRows)).toEqual([]);
  });

  test("valid literals of random schemas compile, and literals of a wrong type do not", async () => {
    const count = cases(500, 60);
    const rows = fc
      .sample(typedSchema, { numRuns: count * 2, seed })
      .map(literalsOf)
      .filter((row) => row !== undefined);
    expect(await misjudged(owner, rows.slice(0, count))).toEqual([]);
  });
});
