import { test } from "vitest";
import { isThorough } from "./cases.mjs";

/** A test of the nightly, in a file whose other tests run always; elsewhere it is skipped, and its name says why. */
export function thoroughTest(name: string, run: () => Promise<void>): void {
  if (isThorough) test(name, run);
  else test.skip(`${name} (skipped: the nightly runs it)`, run);
}
