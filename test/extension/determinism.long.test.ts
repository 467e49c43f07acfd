import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type JsonObject, type JsonValue, isJsonObject, jsonObject } from "@mcpgen/engine";
import { type StoredExtension, storedExtensions } from "../../generator/extension/extension-store.js";
import type { Generated } from "../../generator/pipeline/generate.js";
import { type Random, randomFrom, shuffled } from "../../generator/sample/values.js";
import { seed } from "../support/cases.mjs";
import { generate, releasedSource } from "../support/generated-output.js";
import { revisions } from "../support/revisions.js";
import { shuffledSchema } from "../support/shuffled-schema.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { stored } from "./models.js";
import { randomExtension } from "./random-extension.js";
import { addOver, textOf, vendorFolder, vendorProject, vendorSchema } from "./vendor-extension.js";

const sources = revisions.map(releasedSource);
const packageManifest = { name: "p" };

/** The committed extensions, and random ones. */
const extensions = (): StoredExtension[] => [
  ...storedExtensions("schema"),
  ...Array.from({ length: 8 }, (_, number) => stored(randomExtension(seed, number))),
];

const generateAll = (all: readonly StoredExtension[]): Promise<Generated> =>
  generate(sources, { packageManifest, extensions: all });

/** The members of every object in another order. */
function otherKeys(value: JsonValue, random: Random): JsonValue {
  if (Array.isArray(value)) return value.map((item) => otherKeys(item, random));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, otherKeys(member, random)] as const);
  return jsonObject(shuffled(members, random));
}

/**
 * An equivalent form of the note. The order inside of a schema does not change, because the order of unions matters.
 */
function otherNote(note: JsonObject, random: Random): JsonObject {
  const { target } = note;
  const targets = Array.isArray(target) ? { target: shuffled(target, random) } : {};
  return otherKeys({ ...note, ...targets }, random) as JsonObject;
}

/** The same extension with keys, definitions, sets and notes in another order. */
function otherwiseWritten({ id, version, folder }: StoredExtension, random: Random): StoredExtension {
  const read = (file: string): JsonObject =>
    JSON.parse(readFileSync(join(folder, file), "utf8")) as JsonObject;
  const about = read("extension.json");
  const notes = read("notes.json");
  const files: Record<string, JsonValue> = {
    "extension.json": otherKeys({ ...about, bases: shuffled(about["bases"] as string[], random) }, random),
    "schema.json": shuffledSchema(read("schema.json"), random),
    "notes.json": otherKeys(
      {
        ...notes,
        notes: shuffled(
          (notes["notes"] as JsonObject[]).map((note) => otherNote(note, random)),
          random,
        ),
      },
      random,
    ),
  };
  const texts = Object.entries(files).map(([file, content]) => [file, JSON.stringify(content)] as const);
  return { id, version, folder: temporaryFolder(Object.fromEntries(texts)) };
}

function expectSame(actual: Generated, expected: Generated): void {
  expect([...actual.files.keys()]).toEqual([...expected.files.keys()]);
  const differing = [...expected.files].filter(([path, content]) => actual.files.get(path) !== content);
  expect(differing.map(([path]) => path)).toEqual([]);
  expect(actual.assumptions).toEqual(expected.assumptions);
}

test("every order of keys, definitions, sets, notes and extensions gives the same bytes", async () => {
  const all = extensions();
  const expected = await generateAll(all);
  expect([...expected.files.keys()].filter((path) => path.startsWith("extensions/")).length).toBeGreaterThan(
    100,
  );
  for (let round = 0; round < 3; round++) {
    const random = randomFrom(`${seed}: order ${round}`);
    const others = shuffled(
      all.map((one) => otherwiseWritten(one, random)),
      random,
    );
    expectSame(await generateAll(others), expected);
  }
});

test("an added extension changes no file but the package's list of entries", async () => {
  const random = randomFrom(`${seed}: added`);
  let present: StoredExtension[] = [];
  let before = await generateAll(present);
  const waiting = shuffled(extensions(), random);
  while (waiting.length > 0) {
    const added = waiting.splice(0, 1 + random.below(4));
    present = shuffled([...present, ...added], random);
    const after = await generateAll(present);
    const changed = [...before.files].filter(([path, content]) => after.files.get(path) !== content);
    expect(changed.map(([path]) => path)).toEqual(["package.json"]);
    const folders = added.map(({ id }) => `extensions/${id}/`);
    const strays = [...after.files.keys()].filter(
      (path) => !before.files.has(path) && !folders.some((folder) => path.startsWith(folder)),
    );
    expect(strays).toEqual([]);
    before = after;
  }
  expect([...before.files]).toEqual([...(await generateAll(extensions())).files]);
});

test("every order of keys and sets in the file that is added gives the same schema, notes and questions", async () => {
  const added = async (vendor: JsonObject): Promise<unknown[]> => {
    const folder = vendorProject({ "vendor.json": JSON.stringify(vendor) });
    const { code, stdout } = await addOver(folder);
    const files = ["extension.json", "schema.json", "notes.json"];
    return [code, stdout, ...files.map((file) => textOf(folder, `${vendorFolder}/${file}`))];
  };
  const vendor = vendorSchema as unknown as JsonObject;
  const expected = await added(vendor);
  expect(expected[0]).toBe(0);
  for (let round = 0; round < 5; round++)
    expect(await added(shuffledSchema(vendor, randomFrom(`${seed}: file ${round}`)))).toEqual(expected);
});
