import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonValue, type Schema, SchemaError } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { cases } from "../../../support/cases.mjs";
import { compile } from "../../../support/compiled-schema.js";
import { definitions, value } from "../../../support/arbitrary-schema.js";
import { loadExplanations } from "../../../support/emitted-explanations.js";
import { schemaFrom } from "../../../support/revisions.js";

const runs = cases(500, 5);
const values = fc.array(value, { minLength: 20, maxLength: 40 });

/** The IR, unless the definitions refer to themselves without an end. */
function readable(document: object, open: readonly string[] = []): Schema | undefined {
  try {
    return schemaFrom(document, open);
  } catch (error) {
    if (error instanceof SchemaError && error.code === "circular-reference") return undefined;
    throw error;
  }
}

/** Places in a document where one union stands, or a set of constants alone. */
function* openable(schema: unknown, at: string): Generator<string> {
  if (typeof schema !== "object" || schema === null) return;
  const keys = Object.keys(schema);
  const union = keys.filter((key) => ["anyOf", "const", "enum", "oneOf"].includes(key)).join();
  if (union === "anyOf" || union === "oneOf" || keys.join() === "enum") yield at;
  for (const [key, child] of Object.entries(schema)) {
    if (key === "enum" || key === "const") continue;
    yield* openable(child, `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  }
}

describe("checks of random schemas", { timeout: 3_600_000 }, () => {
  test("find issues exactly for invalid values, even without validators", async () => {
    await fc.assert(
      fc.asyncProperty(definitions, values, async (document, instances) => {
        const schema = readable(document);
        fc.pre(schema !== undefined);
        const { search } = await loadExplanations(schema!);
        for (const [name, { node }] of schema!.definitions) {
          for (const instance of instances) {
            const context = `${name} of ${JSON.stringify(document)} on ${JSON.stringify(instance)}`;
            expect(search(name, instance).length === 0, context).toBe(isValid(schema!, node, instance));
          }
        }
      }),
      { numRuns: runs },
    );
  });

  test("in the open reading report the values that an open validator refuses", async () => {
    await fc.assert(
      fc.asyncProperty(definitions, values, async (document, instances) => {
        const schema = readable(document, [...openable(document, "/$defs")]);
        fc.pre(schema !== undefined);
        for (const [name, { accepts, explain }] of await compile(schema!)) {
          for (const instance of instances as JsonValue[]) {
            const issues = explain(instance, "open");
            const context = `${name} of ${JSON.stringify(document)} on ${JSON.stringify(instance)}: ${JSON.stringify(issues)}`;
            expect(issues.length === 0, context).toBe(accepts(instance));
            const present = issues.filter(({ got }) => got !== "nothing");
            for (const { expected } of present)
              expect(schema!.definitions.has(expected), context).toBe(false);
          }
        }
      }),
      { numRuns: runs },
    );
  });
});
