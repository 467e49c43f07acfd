import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emitTypes } from "../../generator/targets/typescript/types/emit.js";
import { loadTemplates } from "../../generator/print/templates.js";
import { undocumented, annotateSchema, canonicalDocument } from "../../generator/revision/schema-source.js";
import { loadJson } from "../../generator/files/json-file.js";
import type { Note } from "../../generator/notes/note.js";
import { parseNotes } from "../../generator/notes/parse.js";
import { unequalTypes } from "./equal.js";
import { deprecations, fingerprints } from "./fingerprint.js";

/** The number of exported types of upstream's schema.ts. */
const exportedTypes = {
  "2024-11-05": 79,
  "2025-03-26": 83,
  "2025-06-18": 91,
  "2025-11-25": 145,
  "2026-07-28": 155,
};
const revisions = Object.keys(exportedTypes) as (keyof typeof exportedTypes)[];
const render = loadTemplates();

interface Fixture {
  readonly deprecated: readonly string[];
  readonly types: { readonly [name: string]: string };
}

function fixtureOf(revision: string): Fixture {
  return JSON.parse(readFileSync(`test/fixtures/identity/${revision}.json`, "utf8")) as Fixture;
}

function notesOf(revision: string): Promise<Note[]> {
  return loadJson(`schema/${revision}/notes.json`).then(parseNotes);
}

async function typesOf(revision: string, notes: readonly Note[]): Promise<string> {
  const source = await loadJson(`schema/${revision}/schema.json`);
  const document = await canonicalDocument(source);
  const { schema } = await annotateSchema(source, document, notes, { docs: undocumented, revision });
  const files = emitTypes({ schema, folder: revision, origin: "schema", importExtension: "js", render });
  return files.get(`${revision}/types.ts`)!.content;
}

describe.each(revisions)("types of %s", (revision) => {
  test("every exported type of upstream's schema.ts exists under its name, structurally identical", async () => {
    const ours = fingerprints(await typesOf(revision, await notesOf(revision)));
    const theirs = fixtureOf(revision).types;
    expect(Object.keys(theirs)).toHaveLength(exportedTypes[revision]);
    expect(Object.fromEntries(ours)).toEqual(theirs);
  });

  test("@deprecated is exactly where upstream has it", async () => {
    expect(deprecations(await typesOf(revision, await notesOf(revision)))).toEqual(
      fixtureOf(revision).deprecated,
    );
  });

  test("every correction of a printed type is needed", async () => {
    const notes = await notesOf(revision);
    const theirs = fixtureOf(revision).types;
    for (const note of notes.filter(({ kind }) => kind === "errata")) {
      if (note.kind !== "errata" || note.type === undefined) continue;
      for (const target of note.targets) {
        const without = notes.map((other) =>
          other === note ? { ...note, targets: note.targets.filter((one) => one !== target) } : other,
        );
        const text = await typesOf(revision, without);
        expect(() => expect(Object.fromEntries(fingerprints(text))).toEqual(theirs), target).toThrow();
      }
    }
  });

  const upstream = join(process.env["MCP_SPEC_DIR"] ?? "", revision, "schema.ts");
  const comparable = process.env["MCP_SPEC_DIR"] !== undefined && existsSync(upstream);
  test.skipIf(!comparable)(
    "the strict Equal test passes (needs MCP_SPEC_DIR/<revision>/schema.ts)",
    async () => {
      const ours = await typesOf(revision, await notesOf(revision));
      const result = unequalTypes(readFileSync(upstream, "utf8"), ours);
      expect(result.compared).toBe(exportedTypes[revision]);
      expect(result.unequal).toEqual([]);
    },
  );
});

test("the strict Equal test distinguishes types that differ in one modifier, any from unknown, open from closed", () => {
  const theirs =
    "export interface A { a: string; b?: number } export type B = any; export interface C { [key: string]: unknown }";
  const ours = "export interface A { a: string; b: number } export type B = unknown; export interface C {}";
  expect(unequalTypes(theirs, ours)).toEqual({ compared: 3, unequal: ["A", "C", "B"] });
  const prints = fingerprints(theirs);
  for (const [name, print] of fingerprints(ours)) expect(prints.get(name), name).not.toBe(print);
});
