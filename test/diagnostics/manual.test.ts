import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorList, errorManual } from "../../scripts/error-manual.js";
import { documentsOf } from "../../scripts/site/documents.js";
import { catalogue } from "../../generator/diagnostics/catalogue.js";

const codes = Object.keys(catalogue);

test("docs/errors.md equals the output of `node scripts/run-ts.mjs scripts/errors.ts`", () => {
  expect(readFileSync("docs/errors.md", "utf8")).toBe(errorList());
});

test("docs/errors.md has one row for each code, with at most 15 words", () => {
  const rows = [...errorList().matchAll(/^\|(MG\d{4})\|(.+?)(?: \([\dor ]+\))?\|$/gm)];
  for (const [, , title] of rows) expect(title!.split(" ").length, title).toBeLessThanOrEqual(15);
  expect(rows.map(([, code]) => code).sort()).toEqual([...codes].sort());
});

test("the manual explains every code once", () => {
  const headings = [...errorManual().matchAll(/^### (MG\d{4})$/gm)].map(([, code]) => code);
  expect(headings.sort()).toEqual([...codes].sort());
});

test("the site shows the manual as the page of docs/errors.md", () => {
  const page = documentsOf(".").find(({ file }) => file === "docs/errors.md")!;
  expect(page.text).toBe(errorManual());
  expect(page.passages.map(({ id }) => id)).toEqual(
    expect.arrayContaining(codes.map((code) => code.toLowerCase())),
  );
});
