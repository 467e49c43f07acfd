import fc from "fast-check";
import { type Schema, SchemaError } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { definitions, value } from "../../../support/arbitrary-schema.js";
import { emittedFrom, load, validatorsOf } from "./emitted.js";
import { ajvFor, interpreterFor, isReadByAjv } from "../../../support/ajv-verdicts.js";
import { format } from "../../../../generator/print/format.js";
import { cases } from "../../../support/cases.mjs";
import { schemaFrom } from "../../../support/revisions.js";

/** The IR, unless the definitions refer to themselves without an end. */
function readable(document: object): Schema | undefined {
  try {
    return schemaFrom(document);
  } catch (error) {
    if (error instanceof SchemaError && error.code === "circular-reference") return undefined;
    throw error;
  }
}

/** Random schemas; each is tried on some thirty values for each of its definitions. */
const runs = cases(2000);

describe("emitted validators of random schemas", () => {
  it("give the verdicts of ajv and of the interpreter", { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        definitions,
        fc.array(value, { minLength: 20, maxLength: 40 }),
        async (document, values) => {
          const schema = readable(document);
          fc.pre(schema !== undefined);
          const validators = await load(validatorsOf(schema!));
          const byAjv = isReadByAjv(document) ? ajvFor(document) : undefined;
          const byInterpreter = interpreterFor(schema!);
          for (const [name, fn] of [
            ["A", "isA"],
            ["B", "isB"],
            ["Error", "isError"],
            ["tree", "isTree"],
          ] as const) {
            for (const instance of values) {
              const verdict = validators[fn]!(instance);
              const context = `${name} of ${JSON.stringify(document)} on ${JSON.stringify(instance)}`;
              expect(verdict, `interpreter: ${context}`).toBe(byInterpreter(name, instance));
              if (byAjv) expect(verdict, `ajv: ${context}`).toBe(byAjv(name, instance));
            }
          }
        },
      ),
      { numRuns: runs },
    );
  });

  it("have prettier's layout", { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(definitions, async (document) => {
        const schema = readable(document);
        fc.pre(schema !== undefined);
        const { content, formatted } = emittedFrom(schema!);
        if (formatted) expect(content).toBe(await format("validators.ts", content));
        expect(content).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u);
      }),
      { numRuns: runs },
    );
  });
});
