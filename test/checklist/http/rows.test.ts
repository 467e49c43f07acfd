import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clientRows, serverRows } from "./rows.js";

const tests = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"))
  .join("\n");

test.each([
  ...Object.keys(serverRows).map((id) => ["serverRow", id]),
  ...Object.keys(clientRows).map((id) => ["clientRow", id]),
])("a test calls %s with the id %s", (form, id) => {
  expect(tests).toMatch(new RegExp(`${form}\\(\\s*"${id}",`));
});
