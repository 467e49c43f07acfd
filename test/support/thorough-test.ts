import { test } from "vitest";
import { isThorough } from "./cases.mjs";

/** Defines a test that runs only in the nightly. Elsewhere it is skipped, and its name says why. */
export function thoroughTest(name: string, run: () => Promise<void>): void {
  if (isThorough) test(name, run);
  else test.skip(`${name} (skipped: the nightly runs it)`, run);
}
