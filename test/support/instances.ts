import type { JsonValue, Schema } from "@mcpgen/engine";
import { pendingMutants } from "../../generator/sample/invalid.js";
import { randomFrom, shuffled } from "../../generator/sample/values.js";
import { sampleValid } from "../../generator/sample/sample.js";
import { cases, seed } from "./cases.mjs";

/** Number of instances for a revision. */
export const instanceCount = cases(100_000, 500);

const mutantsOfEach = 12;

/**
 * Yields at least `count` instances of a definition: valid ones, their mutants, and mutants of mutants. They
 * depend only on the seed and the definition.
 */
export function* instancesOf(schema: Schema, name: string, count: number): Generator<JsonValue> {
  const random = randomFrom(`${seed}: ${name}`);
  for (let made = 0; made < count;) {
    const valid = sampleValid(schema, name, random);
    if (valid === undefined) return;
    yield valid;
    made++;
    for (const mutant of shuffled(pendingMutants(schema, name, valid, random), random).slice(
      0,
      mutantsOfEach,
    )) {
      const { value } = mutant.make();
      yield value;
      made++;
      if (!random.chance(0.3)) continue;
      yield random.pick(pendingMutants(schema, name, value, random)).make().value;
      made++;
    }
  }
}
