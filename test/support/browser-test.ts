import { test } from "vitest";
import { noChromium } from "./browser-page.js";

/** A test that needs Chromium; without it, the test is skipped, and its name says why. */
export function browserTest(name: string, run: () => Promise<void>, timeout?: number): void {
  if (noChromium === undefined) test(name, run, timeout);
  else test.skip(`${name} (skipped: ${noChromium})`, run);
}
