import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { readStoredExtension, storedExtensions } from "../../generator/extension/extension-store.js";
import { extensionOver } from "../../generator/extension/load-extension.js";
import { releasedModel } from "../support/models.js";
import { revisions } from "../support/revisions.js";

interface Vector {
  readonly validator: string;
  readonly method?: string;
  readonly valid: boolean;
  readonly message: JsonValue;
}

type Validators = Readonly<Record<string, (value: unknown) => boolean>>;
type Explanations = Readonly<Record<string, (value: unknown) => readonly unknown[]>>;

const cases: readonly [id: string, base: string][] = storedExtensions("schema").flatMap(({ id }) =>
  revisions.map((base): [string, string] => [id, base]),
);

describe.each(cases)("%s over %s", async (id, base) => {
  const source = await readStoredExtension(
    storedExtensions("schema").find((one) => one.id === id)!,
    revisions,
  );
  if (!source.about.bases.includes(base)) {
    test.skip("is not a base of it", () => {});
    return;
  }
  const folder = new URL(`../../generated/extensions/${id}/${base}/`, import.meta.url);

  test("the vectors are what they claim to be, by interpreter, validators and explanations", async () => {
    const { schema } = await extensionOver(source, await releasedModel(base));
    const text = readFileSync(new URL("vectors.json", folder), "utf8");
    const { vectors } = JSON.parse(text) as { vectors: readonly Vector[] };
    const validators = (await import(new URL("validators.ts", folder).href)) as Validators;
    const explanations = (await import(new URL("explain.ts", folder).href)) as Explanations;
    for (const { validator, valid, message } of vectors) {
      const { node } = schema.definitions.get(validator)!;
      const verdicts = [
        isValid(schema, node, message),
        validators[`is${validator}`]!(message),
        explanations[`explain${validator}`]!(message).length === 0,
        valid ? validators[`accepts${validator}`]!(message) : false,
      ];
      expect(verdicts, JSON.stringify({ validator, message })).toEqual(verdicts.map(() => valid));
    }
    expect(vectors.length).toBeGreaterThan(10);
  });
});
