import { describe, expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { revisions } from "../support/revisions.js";
import { compile } from "../support/compiled-schema.js";
import { instanceCount, instancesOf } from "../support/instances.js";
import { ajvFor } from "../support/ajv-verdicts.js";
import { type Subject, corrected, published } from "./subjects.js";

/** Enough of one failure to see its pattern. */
const shown = 5;

/** The interpreter judges each so-many-th instance: it is the slowest of the judges. */
const interpreted = 5;

describe.each(revisions)("%s", (revision) => {
  for (const [reading, load] of Object.entries({ published, corrected })) {
    const name = `all judges agree with ajv on the ${reading} schema (${instanceCount} instances)`;
    test(name, async () => {
      const { count, invalid, disagreements } = await compare(load(revision));
      expect(disagreements).toEqual([]);
      expect(count).toBeGreaterThanOrEqual(instanceCount);
      // Instances that are nearly all valid, or all invalid, would prove little.
      expect(invalid / count).toBeGreaterThan(0.2);
      expect(invalid / count).toBeLessThan(0.8);
    });
  }
});

interface Comparison {
  readonly count: number;
  readonly invalid: number;
  readonly disagreements: readonly string[];
}

async function compare({ document, schema }: Subject): Promise<Comparison> {
  const isValidByAjv = ajvFor(document["$defs"] as JsonObject);
  const compiled = await compile(schema);
  const each = Math.ceil(instanceCount / schema.definitions.size);
  const disagreements: string[] = [];
  let count = 0;
  let invalid = 0;
  for (const [name, { node }] of schema.definitions) {
    const { is, accepts, explain } = compiled.get(name)!;
    for (const value of instancesOf(schema, name, each)) {
      const expected = isValidByAjv(name, value);
      if (!expected) invalid++;
      const verdicts = {
        is: is(value),
        explain: explain(value).length === 0,
        accepts: expected ? accepts(value) : false,
        interpreter: count++ % interpreted === 0 ? isValid(schema, node, value) : expected,
      };
      if (Object.values(verdicts).every((verdict) => verdict === expected)) continue;
      disagreements.push(`${name}: ajv ${expected}, ${JSON.stringify(verdicts)} on ${JSON.stringify(value)}`);
      if (disagreements.length === shown) return { count, invalid, disagreements };
    }
  }
  return { count, invalid, disagreements };
}
