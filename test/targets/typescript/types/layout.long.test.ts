import { describe, expect, test } from "vitest";
import { type JsonObject, canonicalise } from "@mcpgen/engine";
import { loadTemplates } from "../../../../generator/print/templates.js";
import { assigned, isSettled } from "../../../../generator/targets/typescript/types/print.js";
import { emitTypes } from "../../../../generator/targets/typescript/types/emit.js";
import { format } from "../../../../generator/print/format.js";
import { undocumented, annotateSchema } from "../../../../generator/revision/schema-source.js";
import { assumeNotes } from "../../../../generator/model/assume.js";
import { randomFrom } from "../../../../generator/sample/values.js";
import { documentOf } from "../../../support/revisions.js";
import { open } from "./printed.js";

/** types.ts and open.ts as their emitters print them, and whether the emitters declare that they need no formatting. */
async function emitted(document: JsonObject): Promise<{ content: string; formatted?: true }[]> {
  const { notes } = assumeNotes(document);
  const { schema } = await annotateSchema({ file: "f" }, document, notes, {
    docs: undocumented,
    revision: "r",
  });
  const input = { schema, folder: "r", origin: "o", importExtension: "js", render: loadTemplates() } as const;
  return [...emitTypes(input).values(), open(schema)];
}

/** The document with renamed definitions, so that lines become longer or shorter. */
function renamed(document: JsonObject, change: (name: string) => string): JsonObject {
  const text = JSON.stringify(document).replace(
    /#\/\$defs\/(\w+)/g,
    (_, name: string) => `#/$defs/${change(name)}`,
  );
  const { $defs, ...rest } = JSON.parse(text) as { $defs: JsonObject };
  return canonicalise({
    ...rest,
    $defs: Object.fromEntries(Object.entries($defs).map(([name, node]) => [change(name), node])),
  });
}

describe.each(["2024-11-05", "2026-07-28"])("%s", (revision) => {
  test.each([0, 2, 23])(
    "with names longer by %d letters, files marked as formatted are formatted",
    async (length) => {
      const document = renamed(documentOf(revision), (name) => "L".repeat(length) + name);
      for (const { content, formatted } of await emitted(document)) {
        if (formatted) expect(await format("a.ts", content)).toBe(content);
        if (length === 0) expect(formatted).toBe(true);
      }
    },
  );
});

test("files marked as formatted are formatted, for randomly reduced schemas", async () => {
  const random = randomFrom("layout");
  const { $defs, ...rest } = documentOf("2025-11-25") as { $defs: JsonObject };
  let claims = 0;
  for (let run = 0; run < 3; run++) {
    const text = JSON.stringify($defs, (key, value: unknown) =>
      (key === "items" || key === "additionalProperties") && random.chance(0.3) ? {} : value,
    );
    const document = canonicalise({ ...rest, $defs: JSON.parse(text) as JsonObject });
    for (const { content, formatted } of await emitted(document)) {
      if (formatted) claims++;
      if (formatted) expect(await format("a.ts", content)).toBe(content);
    }
  }
  expect(claims).toBeGreaterThan(2);
});

test("files with layout that no test compares are not marked as formatted", () => {
  expect(isSettled(`export type A = { a: 1 } & {\n  b: 2;\n};\n`)).toBe(false);
  expect(isSettled(`export type A = "${"a".repeat(110)}";\n`)).toBe(false);
  expect(isSettled("export type A = string;\n")).toBe(true);
});

test("intersections of names break behind `&`, as prettier breaks them", async () => {
  let broken = 0;
  for (let length = 4; length < 100; length++) {
    const name = (letter: string): string => letter.repeat(length);
    const type = [name("B"), name("C"), "D"].join(" & ");
    const member = `export interface A {\n${assigned("key?:", type, "  ")}\n}\n`;
    for (const text of [`${assigned("export type A =", type, "")}\n`, member]) {
      if (!isSettled(text)) continue;
      if (/&$/m.test(text)) broken++;
      expect(await format("a.ts", text)).toBe(text);
    }
  }
  expect(broken).toBeGreaterThan(50);
});

test("intersections of names and objects break like in prettier", async () => {
  const object = `{\n  /** The name's text: A & B. */\n  a: 1;\n  b?: "x" & string;\n}`;
  const index = "{ [key: string]: unknown }";
  const kinds = [() => object, () => index, (length: number) => "types.A".padEnd(length, "b")];
  const claimed = new Set<string>();
  for (const length of [8, 24, 33]) {
    for (const shape of tuples(kinds.length, 4)) {
      const type = shape.map((kind) => kinds[kind]!(length)).join(" & ");
      const indented = type.replaceAll("\n", "\n  ");
      const member = `export interface A {\n${assigned("key?:", indented, "  ")}\n}\n`;
      for (const text of [member, `${assigned("export type A =", type, "")}\n`]) {
        if (!isSettled(text)) continue;
        if (/&/.test(text)) claimed.add(shape.join());
        expect(await format("a.ts", text)).toBe(text);
      }
    }
  }
  expect(claimed.size).toBeGreaterThan(20);
  for (const shape of ["2,0", "0,2", "2,2,0", "2,2,1", "2,0,2"]) expect(claimed).toContain(shape);
});

/** All sequences of up to `length` numbers below `count`. */
function tuples(count: number, length: number): number[][] {
  const numbers = Array.from({ length: count }, (_, index) => index);
  if (length === 1) return numbers.map((number) => [number]);
  const shorter = tuples(count, length - 1);
  const longest = shorter.filter((one) => one.length === length - 1);
  return [...shorter, ...longest.flatMap((one) => numbers.map((number) => [...one, number]))];
}
