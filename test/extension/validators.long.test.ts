import { describe, expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import {
  type StoredExtension,
  readStoredExtension,
  storedExtensions,
} from "../../generator/extension/extension-store.js";
import { extensionOver } from "../../generator/extension/load-extension.js";
import type { ProtocolModel } from "../../generator/model/model.js";
import { ajvFor } from "../support/ajv-verdicts.js";
import { isThorough } from "../support/cases.mjs";
import { compile } from "../support/compiled-schema.js";
import { instanceCount, instancesOf } from "../support/instances.js";
import { publishedModel } from "../support/models.js";
import { documentOf, revisions } from "../support/revisions.js";

/** The interpreter judges each so-many-th instance: it is the slowest of the judges. */
const interpreted = 5;

/** Compiling takes most of the time: `npm test` has time for one base. */

interface Comparison {
  readonly count: number;
  readonly invalid: number;
  /** The first few. */
  readonly disagreements: readonly string[];
}

/** All judges on instances of an extension's own definitions over a base, as they are written, without notes. */
async function compare(stored: StoredExtension, base: ProtocolModel, count: number): Promise<Comparison> {
  const source = await readStoredExtension(stored, revisions);
  // A channel is made of notes.
  const { channel: _, ...about } = source.about;
  const { schema, imported } = await extensionOver({ ...source, about, notes: [] }, base);
  const own = JSON.stringify(source.document["$defs"]).replaceAll('"base#/$defs/', '"#/$defs/');
  const isValidByAjv = ajvFor({
    ...(documentOf(base.revision)["$defs"] as JsonObject),
    ...(JSON.parse(own) as JsonObject),
  });
  const compiled = await compile(schema);
  const definitions = [...schema.definitions.values()].filter(({ name }) => !imported.has(name));
  const result = { count: 0, invalid: 0, disagreements: [] as string[] };
  for (const { name, node } of definitions) {
    const { is, accepts, explain } = compiled.get(name)!;
    for (const value of instancesOf(schema, name, Math.ceil(count / definitions.length))) {
      const expected = isValidByAjv(name, value);
      if (!expected) result.invalid++;
      const verdicts = {
        is: is(value),
        explain: explain(value).length === 0,
        accepts: expected ? accepts(value) : false,
        interpreter: result.count++ % interpreted === 0 ? isValid(schema, node, value) : expected,
      };
      if (Object.values(verdicts).some((verdict) => verdict !== expected) && result.disagreements.length < 5)
        result.disagreements.push(
          `${name}: ajv ${expected}, ${JSON.stringify(verdicts)} on ${JSON.stringify(value)}`,
        );
    }
  }
  return result;
}

describe.each(storedExtensions("schema").map((stored) => [stored.id, stored] as const))("%s", (_, stored) => {
  test(`all judges agree with ajv over ${isThorough ? "every base" : "the newest base"} (${instanceCount} instances)`, async () => {
    const { about } = await readStoredExtension(stored, revisions);
    const bases = isThorough ? about.bases : about.bases.slice(-1);
    let [count, invalid] = [0, 0];
    for (const revision of bases) {
      const base = await publishedModel(revision);
      const compared = await compare(stored, base, Math.ceil(instanceCount / bases.length));
      expect(compared.disagreements, revision).toEqual([]);
      count += compared.count;
      invalid += compared.invalid;
    }
    expect(count).toBeGreaterThanOrEqual(instanceCount);
    // Instances that are nearly all valid, or all invalid, would prove little.
    expect(invalid / count).toBeGreaterThan(0.2);
    expect(invalid / count).toBeLessThan(0.8);
    if (isThorough) console.log(`${stored.id}: ${count} instances, ${invalid} of them invalid`);
  });
});
