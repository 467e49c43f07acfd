// How tests wait: for what must come, never for a time. The bound only ends a test that hangs, and no test is decided by it.
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds after which what a test waits for will not come. A busy machine takes seconds for what takes a moment. */
export const hang = 120_000;

/**
 * Resolves with what `holds` gives as soon as that is true.
 *
 * @param what is waited for: the text of the error after `bound` milliseconds
 * @param pause milliseconds between two looks
 * @param bound milliseconds after which it will not come
 */
export async function until(what, holds, pause = 5, bound = hang) {
  for (const end = performance.now() + bound; ; await sleep(pause)) {
    const found = await holds();
    if (found) return found;
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
  }
}
