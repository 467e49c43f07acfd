import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { placesIn, refuseFaults, FileForm } from "../../generator/files/file-form.js";
import { parseJson } from "../../generator/files/json-file.js";
import { failureOf } from "../support/failure-of.js";

const document: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    mode: { enum: ["slow", "fast"] },
    other: false,
    place: { $ref: "#/$defs/place" },
    list: { type: "array", items: { $ref: "#/$defs/item" } },
  },
  required: ["name"],
  additionalProperties: false,
  $defs: {
    place: { type: "string", pattern: "^/", examples: ["/here"] },
    item: {
      type: "object",
      properties: { out: { type: "string" }, file: { type: "string" } },
      required: ["file"],
      additionalProperties: false,
    },
  },
};
const form = new FileForm(document, {
  unknownKey: "MG2102",
  wrongValue: "MG2103",
  gone: { "/form": "Write mode." },
});

test("a value of the form has no faults", () => {
  expect(form.faults({ name: "a", mode: "fast", place: "/a", list: [{ file: "b" }] })).toEqual([]);
});

test.each<[string, JsonValue, string, string, string, string]>([
  [
    "an unknown key that is near a known one",
    { name: "a", moed: "fast" },
    "MG2102",
    "/moed",
    'there is no key "moed"',
    'Did you mean "mode"?',
  ],
  [
    "any other unknown key, with those that are known in the order of the document",
    { name: "a", list: [{ file: "a", unlike: 1 }] },
    "MG2102",
    "/list/0/unlike",
    'there is no key "unlike"',
    "The keys are out, file.",
  ],
  [
    "a hole in a list of a module, which JSON has not",
    { name: "a", list: [{ file: "b" }, undefined as never] },
    "MG2103",
    "/list/1",
    "expected object, got undefined",
    "Correct the value; `mcpgen explain MG2103` says more.",
  ],
  [
    "a missing key, in the object that lacks it",
    { name: "a", list: [{}] },
    "MG2103",
    "/list/0",
    'expected the key "file", which is missing',
    'Add "file": string.',
  ],
  [
    "a misspelt choice",
    { name: "a", mode: "fats" },
    "MG2103",
    "/mode",
    'expected one of "slow", "fast", got "fats" (string)',
    'Did you mean "fast"?',
  ],
  [
    "a text of another form, with an example of the schema",
    { name: "a", place: "here" },
    "MG2103",
    "/place",
    'expected a string that matches "^/", got "here" (string)',
    'Write a value such as "/here".',
  ],
  [
    "a value of another type",
    { name: 5 },
    "MG2103",
    "/name",
    "expected string, got 5 (number)",
    "Correct the value; `mcpgen explain MG2103` says more.",
  ],
  [
    "a key that is there for no value",
    { name: "a", other: 1 },
    "MG2103",
    "/other",
    "expected no value, got 1 (number)",
    'Remove "other".',
  ],
  [
    "a key of an earlier version",
    { name: "a", form: "fast" },
    "MG2102",
    "/form",
    'the key "form" is gone',
    "Write mode.",
  ],
  [
    "a key in other letters",
    { name: "a", MODE: "fast" },
    "MG2102",
    "/MODE",
    'there is no key "MODE"',
    'Did you mean "mode"?',
  ],
])("%s", (_, value, code, pointer, message, next) => {
  expect(form.faults(value)).toMatchObject([{ code, pointer, message, next }]);
});

test("a misspelt key is not also reported as missing", () => {
  for (const key of ["nmae", "NAME"])
    expect(form.faults({ [key]: "a" })).toMatchObject([
      { code: "MG2102", pointer: `/${key}`, next: 'Did you mean "name"?' },
    ]);
});

test("a file is refused with all of its faults, in their order", async () => {
  const file = await parseJson('{\n  "x": 1,\n  "list": [{ "fil": "a" }],\n  "mode": 1\n}', "a.json");
  const error = await failureOf(refuseFaults(form.faults(file.value), placesIn(file)));
  const { more } = error as { more: readonly object[] };
  expect([error, ...more]).toMatchObject([
    { code: "MG2103", place: { file: "a.json", pointer: "", line: 1, column: 1 } },
    { code: "MG2102", place: { pointer: "/x", line: 2 } },
    { code: "MG2102", place: { pointer: "/list/0/fil", line: 3, column: 21 } },
    { code: "MG2103", place: { pointer: "/mode", line: 4 } },
  ]);
});
