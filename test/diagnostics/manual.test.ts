import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorManual } from "../../scripts/error-manual.js";
import { catalogue } from "../../generator/diagnostics/catalogue.js";

test("docs/errors.md equals the output of `node scripts/run-ts.mjs scripts/errors.ts`", () => {
  expect(readFileSync("docs/errors.md", "utf8")).toBe(errorManual());
});

test("the manual explains every code once", () => {
  const headings = [...errorManual().matchAll(/^### (MG\d{4})$/gm)].map(([, code]) => code);
  expect(headings.sort()).toEqual(Object.keys(catalogue).sort());
});
