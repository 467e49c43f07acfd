import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "./browser-page.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns the accessibility rules that the page violates, each with its first places. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`${axe};undefined`);
  return page.evaluate<string[]>(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.map(({ id, help, nodes }) =>
      [id, help, ...nodes.slice(0, 3).map(({ target, any }) => target + " " + (any[0]?.message ?? ""))].join(" | ")))`);
}
