import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { describe, expect, test } from "vitest";
import { sha256, layoutFreeSha256, withoutLayout } from "../../generator/files/regular-file.js";
import { prettierStyles } from "./prettier-styles.js";
import { isThorough } from "../support/cases.mjs";

const golden = "test/golden/contract/weather";
const files = new Map(
  [
    ...readdirSync(golden, { recursive: true, encoding: "utf8" }).map((path) => join(golden, path)),
    ...["model.ts", "stepping.ts", "2026-07-28/server.ts", "2026-07-28/steps.ts"].map((path) =>
      join("generated", path),
    ),
    "generated/2024-11-05/PROTOCOL.md",
    "generated/2024-11-05/vectors.json",
    "generated/package.json",
  ]
    .filter((path) => /\.(ts|md|json)$/.test(path))
    .map((path) => [path, readFileSync(path, "utf8")]),
);

describe("formatted output does not count as edited", () => {
  // Prettier takes a second a style: the long run has time for all.
  test.each(isThorough ? prettierStyles : prettierStyles.slice(1, 3))("%j", async (options) => {
    for (const [path, text] of files) {
      const formatted = await format(text, { ...options, filepath: path });
      expect(withoutLayout(path, formatted), path).toBe(withoutLayout(path, text));
    }
  });
});

test.each([
  ["a word", (text: string) => text.replace("weather", "whether")],
  ["a number", (text: string) => text.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))],
  ["an operator", (text: string) => text.replace("===", "!==")],
  ["an alternative", (text: string) => text.replace(" | undefined", " & undefined")],
  ["a line that is gone", (text: string) => text.replace(/\n.+\n/, "\n")],
  ["a line that is new", (text: string) => text + "// mine\n"],
])("%s that differs is an edit", (_, edit) => {
  for (const [path, text] of files) {
    const edited = edit(text);
    if (edited !== text) expect(withoutLayout(path, edited), path).not.toBe(withoutLayout(path, text));
  }
});

test("a large file has the same hash although its layout is removed part by part", () => {
  for (const path of [
    "2026-07-28/validators.ts",
    "2026-07-28/explain.ts",
    "2025-11-25/types.ts",
    "model.ts",
  ]) {
    const text = readFileSync(join("generated", path), "utf8");
    for (const written of [text, text.replaceAll("\n", "\r\n"), text.replace(/\}\n\n/g, "} ")])
      expect(layoutFreeSha256(path, written), path).toBe(sha256(withoutLayout(path, text)));
  }
});
