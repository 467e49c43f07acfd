import type { JsonValue, Schema } from "@mcpgen/engine";
import { pendingMutants } from "../../generator/sample/mutants.js";
import { randomFrom, shuffled } from "../../generator/sample/random.js";
import { sampleValid } from "../../generator/sample/sample.js";

/** Instances a revision; `npm run test:all` asks for more (`MCPGEN_LONG`). */
export const instanceCount = Number(
  process.env["MCPGEN_COUNT"] ?? (process.env["MCPGEN_LONG"] ? 100_000 : 500),
);

/** Another seed tries other instances; the default one keeps a failure the same until it is mended. */
export const seed = process.env["MCPGEN_SEED"] ?? "1";

/** How much of the whole long run is asked for: 1 for all of it, 0 in `npm test`. */
export const longShare = process.env["MCPGEN_LONG"] === "1" ? Math.min(1, instanceCount / 100_000) : 0;

const mutantsOfEach = 12;

/**
 * At least `count` instances of a definition, endlessly varied: valid ones, their mutants, and mutants of
 * mutants. What is drawn depends on the seed and the definition alone.
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
