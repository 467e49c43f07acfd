import fc from "fast-check";
import { expect, test } from "vitest";
import { type Schema, SchemaError, canonicalise, readSchema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { format } from "../../generator/print/format.js";
import { definitions, value } from "../support/arbitrary-schema.js";
import { emittedFiles, loadExplanations } from "../support/emitted-explanations.js";
import { cases } from "../support/cases.mjs";

const runs = cases(1000, 40);

/** The IR, unless the definitions refer to themselves without an end. */
function readable(document: object): Schema | undefined {
  try {
    return readSchema(canonicalise({ $defs: document as { [name: string]: never } }));
  } catch (error) {
    if (error instanceof SchemaError && error.code === "circular-reference") return undefined;
    throw error;
  }
}

test(
  "checks of random schemas find and describe issues exactly if a value is invalid",
  { timeout: 3_600_000 },
  async () => {
    const values = fc.array(value, { minLength: 20, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(definitions, values, async (document, instances) => {
        const schema = readable(document);
        fc.pre(schema !== undefined);
        const { explain } = await loadExplanations(schema);
        for (const [name, { node }] of schema.definitions) {
          for (const instance of instances) {
            const issues = explain(name, instance);
            const context = `${name} of ${JSON.stringify(document)} on ${JSON.stringify(instance)}: ${JSON.stringify(issues)}`;
            expect(issues.length === 0, context).toBe(isValid(schema, node, instance));
            // For a missing member, an error may contain only the name of its definition.
            const present = issues.filter(({ got }) => got !== "nothing");
            for (const { expected } of present) expect(schema.definitions.has(expected), context).toBe(false);
          }
        }
      }),
      { numRuns: runs },
    );
  },
);

test("checks of random schemas have prettier's layout", { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(definitions, async (document) => {
      const schema = readable(document);
      fc.pre(schema !== undefined);
      const { content, formatted } = emittedFiles(schema).get("revision/explain.ts")!;
      if (formatted) expect(await format("explain.ts", content)).toBe(content);
    }),
    { numRuns: runs },
  );
});
