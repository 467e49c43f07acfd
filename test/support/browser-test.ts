import { test } from "vitest";
import { chromium } from "./browser-page.js";

/** A test that needs Chromium; without it, the test is skipped, and its name says why. */
export function browserTest(name: string, run: () => Promise<void>, timeout?: number): void {
  if (chromium === undefined) test.skip(`${name} (skipped: there is no chromium in PATH)`, run);
  else test(name, run, timeout);
}
