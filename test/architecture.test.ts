import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const text = readFileSync("docs/architecture.md", "utf8");

/** Cells of the table that leads from output to code: output, template, emitter, made from, tests. */
const rows = text
  .slice(text.indexOf("|output|"))
  .split("\n\n")[0]!
  .split("\n")
  .slice(2)
  .map((row) => row.split("|").map((cell) => cell.trim()));

function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path!);
}

test("every template, emitter and test folder in the architecture document exists", () => {
  expect(rows.length).toBeGreaterThan(10);
  for (const [, , templates, emitters, , tests] of rows) {
    for (const path of quoted(templates!).filter((name) => !name.includes("*"))) {
      expect(existsSync(join("templates", path)), path).toBe(true);
    }
    for (const path of quoted(emitters!)) {
      expect(existsSync(join("generator/targets/typescript", path)) || existsSync(path), path).toBe(true);
    }
    for (const path of quoted(tests!)) expect(existsSync(path), path).toBe(true);
  }
});

test("the architecture document names every template", () => {
  const patterns = rows.flatMap(([, , templates]) => quoted(templates!)).map((name) => name.split("*"));
  const unnamed = readdirSync("templates").filter(
    (file) =>
      /\..+\.hbs$/.test(file) &&
      !patterns.some(([start, end]) =>
        end === undefined ? file === start : file.startsWith(start!) && file.endsWith(end),
      ),
  );
  expect(unnamed).toEqual([]);
});
