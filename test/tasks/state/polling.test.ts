import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Waits } from "../../../runtime/tasks/state/polling.js";
import { cases, seed } from "../../support/cases.mjs";

/** Any values, also such that JSON cannot represent. */
const anything = fc.oneof(fc.anything(), fc.double(), fc.constantFrom(Infinity, NaN, -0, 1e308));

test("polls of a task wait, whatever the other side advises", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anything, fc.boolean()), { maxLength: 8 }), (all) => {
      const waits = new Waits();
      for (const [advised, fails] of all) {
        const wait = fails ? waits.failed(advised) : waits.next(advised);
        if (wait === undefined) return;
        expect(wait).toBeGreaterThanOrEqual(100);
        expect(wait).toBeLessThanOrEqual(1.1 * 3_600_000 + 1);
      }
    }),
    { seed, numRuns: cases(10_000) },
  );
});
