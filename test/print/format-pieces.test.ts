import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { format, formatPieces, KeptTexts } from "../../generator/print/format.js";

/** Generated files, with another layout: lines are indented by tabs, and end without semicolons. */
const folder = "test/golden/contract";
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts"),
);

function disordered(text: string): string {
  return text.replaceAll(/^ +/gm, "\t").replaceAll(/;$/gm, "");
}

test("pieces have the same layout as the whole, the first time and later", async () => {
  expect(files.length).toBeGreaterThan(5);
  const kept = new KeptTexts();
  for (const file of files) {
    const text = disordered(readFileSync(join(folder, file), "utf8"));
    const whole = await format(file, text);
    expect(await formatPieces(file, text, kept), file).toBe(whole);
    expect(await formatPieces(file, text, kept), file).toBe(whole);
  }
});

test.each([
  ["a text with a blank line", "export const a = `x\n\ny`\nexport const b=1"],
  ["a comment with a blank line", "/* x\n\ny */\nexport const b=1"],
  ["a body with a blank line", "export function f() {\n\na()\n}"],
  ["nothing", ""],
  ["a comment alone", "// x\n\n\n// y\n\nexport const b=1"],
])("%s", async (_, text) => {
  expect(await formatPieces("a.ts", text, new KeptTexts())).toBe(await format("a.ts", text));
});

test("text in other languages is laid out as a whole", async () => {
  const text = "# a\n\n\n\n- b\n\n\n- c\n";
  expect(await formatPieces("a.md", text, new KeptTexts())).toBe(await format("a.md", text));
});

test("a piece is laid out once", async () => {
  const kept = new KeptTexts();
  await formatPieces("a.ts", "export const a=1\n\nexport const b=1", kept);
  expect(kept.get("export const a=1")).toBe("export const a = 1;");
});
