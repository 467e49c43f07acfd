// Tests wait for conditions, never for a time. The time limit only ends a test that hangs; it does not decide any test.
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds after which a test counts as hanging. On a busy machine, a short operation may take seconds. */
export const hang = 120_000;

/**
 * Resolves with the value of `holds` as soon as that is truthy.
 *
 * @param what the awaited event, for the error after `bound` milliseconds
 * @param pause milliseconds between two calls of `holds`
 * @param bound milliseconds after which it rejects
 */
export async function until(what, holds, pause = 5, bound = hang) {
  for (const end = performance.now() + bound; ; await sleep(pause)) {
    const found = await holds();
    if (found) return found;
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
  }
}
