import { describe, expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import { readStoredExtension } from "../../generator/extension/extension-source.js";
import { storedExtensions } from "../../generator/extension/extension-store.js";
import { extensionOver } from "../../generator/extension/load-extension.js";
import { ajvFor } from "../support/ajv-verdicts.js";
import { compile } from "../support/compiled-schema.js";
import { instanceCount, instancesOf } from "../support/instances.js";
import { publishedModel } from "../support/models.js";
import { documentOf, revisions } from "../support/revisions.js";

const cases: readonly [id: string, base: string][] = storedExtensions("schema").flatMap(({ id }) =>
  revisions.map((base): [string, string] => [id, base]),
);

describe.each(cases)("%s over %s", async (id, base) => {
  const source = await readStoredExtension(
    storedExtensions("schema").find((one) => one.id === id)!,
    revisions,
  );
  if (!source.about.bases.includes(base)) {
    test.skip("is no base of it", () => {});
    return;
  }
  test("all judges agree with ajv on the schema as it is written", { timeout: 600_000 }, async () => {
    const { schema, imported } = await extensionOver({ ...source, notes: [] }, await publishedModel(base));
    const ownDefinitions = source.document["$defs"] as JsonObject;
    const text = JSON.stringify(ownDefinitions).replaceAll('"base#/$defs/', '"#/$defs/');
    const isValidByAjv = ajvFor({
      ...(documentOf(base)["$defs"] as JsonObject),
      ...(JSON.parse(text) as JsonObject),
    });
    const compiled = await compile(schema);
    const names = [...schema.definitions.keys()].filter((name) => !imported.has(name));
    const disagreements: string[] = [];
    for (const name of names) {
      const { is, check } = compiled.get(name)!;
      for (const value of instancesOf(schema, name, Math.ceil(instanceCount / names.length))) {
        const expected = isValidByAjv(name, value);
        if (is(value) !== expected || (check(value).length === 0) !== expected)
          disagreements.push(`${name}: ajv ${expected} on ${JSON.stringify(value)}`);
      }
    }
    expect(disagreements.slice(0, 5)).toEqual([]);
  });
});
