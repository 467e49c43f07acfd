import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type JsonObject, isJsonObject, jsonObject } from "@mcpgen/engine";
import { loadJson } from "../../generator/files/json-file.js";
import { undocumented } from "../../generator/revision/schema-source.js";
import { readLock } from "../../generator/revision/lock.js";
import { releasedNotes, releasedRevision, loadRevision } from "../../generator/revision/revision-source.js";
import { schemaDir } from "../support/generated-output.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const revisions = [...readLock(schemaDir).keys()];

const documentOf = (revision: string): JsonObject =>
  JSON.parse(readFileSync(join(schemaDir, revision, "schema.json"), "utf8")) as JsonObject;

/** A file with a schema, under a name without a revision. */
const fileOf = (document: JsonObject): string =>
  join(temporaryFolder({ "x.json": JSON.stringify(document) }), "x.json");

/** Definitions in the opposite order, with prose, as a published file has it. */
function asPublished(document: JsonObject): JsonObject {
  const definitions = Object.entries(document["$defs"] as JsonObject).toReversed();
  const described = definitions.map(([name, node]): [string, JsonObject] => [
    name,
    isJsonObject(node) ? { description: `A ${name}.`, ...node } : {},
  ]);
  return { ...document, $defs: jsonObject(described) };
}

describe.each(revisions)("the schema of %s", (revision) => {
  test("is recognised by its content, whatever prose and order it has", async () => {
    const file = await loadJson(fileOf(asPublished(documentOf(revision))));
    expect(await releasedRevision(file)).toBe(revision);
    expect(await releasedNotes(file)).toBe(join(schemaDir, revision, "notes.json"));
  });

  test("is another schema as soon as one definition differs", async () => {
    const document = documentOf(revision);
    const definitions = document["$defs"] as JsonObject;
    for (const changed of [
      { ...definitions, Added: { type: "string" } },
      jsonObject(Object.entries(definitions).slice(1)),
    ])
      expect(await releasedRevision(await loadJson(fileOf({ ...document, $defs: changed })))).toBe(undefined);
  });

  test("has its notes under any name, unless they are refused or others are given", async () => {
    const source = {
      revision: "mine",
      status: "draft",
      schemaFile: fileOf(asPublished(documentOf(revision))),
    } as const;
    const { notes } = await loadRevision(source, undocumented);
    const stored = JSON.parse(readFileSync(join(schemaDir, revision, "notes.json"), "utf8")) as {
      notes: object[];
    };
    expect(notes.length).toBe(stored.notes.length);
    expect((await loadRevision({ ...source, withoutNotes: true }, undocumented)).notesFile).toBe(undefined);
    const none = join(temporaryFolder({ "n.json": '{ "format": 1, "notes": [] }' }), "n.json");
    expect((await loadRevision({ ...source, notesFile: none }, undocumented)).notes).toEqual([]);
  });
});
