// Carried notes about places that have changed since the revision before.
import { join } from "node:path";
import type { JsonValue } from "@mcpgen/engine";
import { expect, it } from "vitest";
import { changedPlaces } from "../../generator/revision/carried-notes.js";
import { undocumented } from "../../generator/revision/schema-source.js";
import { type RevisionSource, loadRevision } from "../../generator/revision/revision-source.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const text = { type: "string" };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const schema = (definitions: object): string =>
  JSON.stringify({ $schema: "https://json-schema.org/draft/2020-12/schema", $defs: definitions });
const error = (code: number) => object({ code: { const: code }, message: text });

async function conflicts(before: object, now: object, note: object): Promise<string[]> {
  const notes = (carried: boolean): string =>
    JSON.stringify({ format: 1, notes: [{ reason: "So.", link: "https://example.com", carried, ...note }] });
  const folder = temporaryFolder({
    ...{ "r1/schema.json": schema(before), "r2/schema.json": schema(now) },
    ...{ "r1/notes.json": notes(false), "r2/notes.json": notes(true) },
  });
  const read = async (revision: string) => {
    const source: RevisionSource = {
      ...{ revision, status: "draft" },
      schemaFile: join(folder, revision, "schema.json"),
      notesFile: join(folder, revision, "notes.json"),
    };
    return { source, loaded: await loadRevision(source, undocumented) };
  };
  return (await changedPlaces(await read("r2"), await read("r1"))).map(({ message }) => message);
}

const place = "/$defs/A/properties/a";
const other: JsonValue = { type: "integer" };

it.each<[string, object, object, object, RegExp]>([
  [
    "replaces what has changed",
    { A: object({ a: text }) },
    { A: object({ a: { type: "object" } }) },
    { kind: "errata", target: place, becomes: other },
    /changed here since r1, from \{"type":"string"\} to \{"type":"object"\}: the note replaces/,
  ],
  [
    "prints what has changed",
    { A: object({ a: text }) },
    { A: object({ a: { type: "object" } }) },
    { kind: "errata", target: place, type: "any" },
    /changed here since r1/,
  ],
  [
    "lets the machinery fill in what has changed",
    { A: object({ a: text }) },
    { A: object({ a: other }) },
    { kind: "owned", target: place },
    /the protocol machinery fills in what it was/,
  ],
  [
    "opens an object that was open before",
    { A: object({ a: text }) },
    { A: object({ a: text }, { additionalProperties: false }) },
    { kind: "open", target: "/$defs/A" },
    /closes the object, which was open in r1/,
  ],
  [
    "names a code that an error had before",
    { NoThingError: error(-32050) },
    { NoThingError: error(-32060) },
    { kind: "error", target: "-32050", name: "NOTHING" },
    /NoThingError had this code in r1, and NoThingError has -32060 now/,
  ],
  [
    "names a code whose error is gone",
    { NoThingError: error(-32050) },
    { A: object({}) },
    { kind: "error", target: "-32050", name: "NOTHING" },
    /no definition has it now/,
  ],
])("a note that %s conflicts", async (_, before, now, note, said) => {
  const found = await conflicts(before, now, note);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(said);
});

it.each<[string, object, object, object]>([
  [
    "whose place is the same but for prose",
    { A: object({ a: text }) },
    { A: object({ a: { ...text, description: "A." } }) },
    { kind: "errata", target: place, becomes: other },
  ],
  [
    "that opens what was closed before, too",
    { A: object({ a: text }, { additionalProperties: false }) },
    { A: object({ a: text, b: text }, { additionalProperties: false }) },
    { kind: "open", target: "/$defs/A" },
  ],
  [
    "whose union has more arms now",
    { A: { enum: ["a"] } },
    { A: { enum: ["a", "b"] } },
    { kind: "open", target: "/$defs/A" },
  ],
  [
    "on a code that no definition ever fixed",
    { A: object({}) },
    { A: object({ a: text }) },
    { kind: "error", target: "-32050", name: "NOTHING" },
  ],
])("a note %s does not conflict", async (_, before, now, note) => {
  expect(await conflicts(before, now, note)).toEqual([]);
});
