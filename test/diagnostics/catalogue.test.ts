import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exitCodes } from "../../generator/command/command.js";
import { catalogue } from "../../generator/diagnostics/catalogue.js";
import type { Diagnostic } from "../../generator/diagnostics/diagnostic.js";

const diagnostics: [string, Diagnostic][] = Object.entries(catalogue);
const source = readdirSync("generator", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.includes("catalogue"))
  .map((path) => readFileSync(join("generator", path), "utf8"))
  .join("\n");

test.each(diagnostics)("%s has a title, an explanation and an exit code of the table", (code, diagnostic) => {
  expect(code).toMatch(/^MG\d{4}$/);
  expect(diagnostic.title).toMatch(/^[A-Z].*[^.]$/);
  expect(diagnostic.explanation).toMatch(/[.)]$/);
  expect(exitCodes.has(diagnostic.exit)).toBe(true);
});

test.each(diagnostics)("%s is reported somewhere", (code) => {
  expect(source).toContain(`"${code}"`);
});
