import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, atPointer, canonicalise, isJsonObject } from "@mcpgen/engine";
import { undocumented } from "../../generator/revision/schema-source.js";
import { resolveRevision } from "../../generator/revision/revision-source.js";
import { applyNotes, isOpen } from "../../generator/notes/apply.js";
import { assumeNotes } from "../../generator/model/assume.js";
import type { Note } from "../../generator/notes/note.js";
import { documentOf, revisions } from "../support/revisions.js";
import { notesOf } from "../support/notes.js";

function assume(definitions: JsonObject): ReturnType<typeof assumeNotes> {
  return assumeNotes(canonicalise({ $defs: definitions }));
}

function openTargets(definitions: JsonObject): string[] {
  return assume(definitions).notes.flatMap((note) => (note.kind === "open" ? note.targets : []));
}

/** Definitions whose index signature comes from the notes. */
function opened(document: JsonObject, notes: readonly Note[]): string[] {
  const own = (source: JsonObject): string[] =>
    Object.entries(source["$defs"] as JsonObject).flatMap(([name, node]) =>
      isJsonObject(node) && isOpen(node) ? [name] : [],
    );
  const before = new Set(own(document));
  const extending = notes.filter(({ kind }) => kind === "extends");
  return own(applyNotes(document, extending).document).filter((name) => !before.has(name));
}

test("a closed type extends no open base", () => {
  const base = { type: "object", properties: { a: {} }, additionalProperties: {} };
  const { additionalProperties: _open, ...own } = base;
  const { notes } = assume({
    Result: base,
    OpenResult: own,
    ClosedResult: { ...own, unevaluatedProperties: false },
  });
  expect(notes).toMatchObject([{ kind: "extends", base: "Result", targets: ["/$defs/OpenResult"] }]);
});

describe.each(revisions)("%s", (revision) => {
  const document = documentOf(revision);

  test("the rule opens exactly the definitions that the committed notes open", () => {
    const expected = opened(document, notesOf(revision));
    expect(opened(document, assumeNotes(document).notes)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(5);
  });

  test("the targets of assumed notes exist, and every assumption lists them", async () => {
    const { notes, assumptions } = assumeNotes(document);
    const about = { revision, status: "draft" } as const;
    const { problems } = await resolveRevision({ file: "f", text: "" }, document, notes, {
      ...about,
      docs: undocumented,
    });
    expect(problems).toEqual([]);
    expect(assumptions.map(({ value }) => value)).toEqual(notes.map(({ targets }) => targets));
    for (const { text, value } of assumptions) expect(text).toContain(String((value as string[]).length));
  });

  test("every union that the committed notes open is assumed open, if a reader can tell its arms apart", () => {
    const assumed = new Set(openTargets(document["$defs"] as JsonObject));
    // Content that may be one block or a list, a side with a single notification, results without a tag.
    const untold =
      /^\/\$defs\/(?:(?:SamplingMessage|CreateMessageResult)\/properties\/content|ClientNotification|InputResponse)$/;
    for (const note of notesOf(revision)) {
      if (note.kind !== "open") continue;
      for (const target of note.targets) {
        expect(assumed.has(target), target).toBe(!untold.test(target) || isTagged(target));
      }
    }
  });

  /** Whether each arm at the place has a separate tag: in some revisions lists are separate. */
  function isTagged(target: string): boolean {
    const node = atPointer(document, target) as JsonObject;
    const arms = (node["anyOf"] ?? []) as JsonObject[];
    return (
      arms.length > 1 && arms.every((arm) => arm["type"] === undefined) && !target.endsWith("InputResponse")
    );
  }
});

describe("a definition is taken to extend a base", () => {
  const Result = { type: "object", properties: { _meta: {} }, additionalProperties: {} };
  const extensions = (definitions: JsonObject): string[] =>
    assume(definitions).notes.flatMap((note) =>
      note.kind === "extends" ? note.targets.map((target) => `${target} ${note.base}`) : [],
    );
  const derived = { type: "object", properties: { _meta: {}, a: {} } };

  test("when its name ends in the base's and it has the base's members", () => {
    expect(extensions({ Result, "a/Result": derived })).toEqual(["/$defs/a~1Result Result"]);
  });

  test.each<[string, JsonObject]>([
    ["whose name ends otherwise", { Result, ResultOfCall: derived }],
    ["that lacks a member", { Result, CallResult: { type: "object", properties: { a: {} } } }],
    ["that is closed", { Result, CallResult: { ...derived, additionalProperties: false } }],
    ["that is open already", { Result, CallResult: { ...derived, additionalProperties: {} } }],
    ["that is no object", { Result, CallResult: { $ref: "#/$defs/Result" } }],
    ["whose base is closed", { Result: derived, CallResult: derived }],
    ["whose base is a union", { Result: { ...Result, anyOf: [{}] }, CallResult: derived }],
    ["that requires less", { Result: { ...Result, required: ["_meta"] }, CallResult: derived }],
  ])("except for one %s", (_, definitions) => {
    expect(extensions(definitions)).toEqual([]);
  });
});

describe("assumed to be open are", () => {
  const arm = (tag: JsonValue): JsonObject => ({
    type: "object",
    properties: { type: tag as JsonObject },
    required: ["type"],
  });

  test("string sets and tagged unions at any place", () => {
    const set = { enum: ["a", "b"] };
    const definitions = {
      const: set,
      A: { properties: { enum: set, default: { items: set }, anyOf: set, required: { not: set } } },
      B: { anyOf: [arm({ const: "a" }), arm({ enum: ["b", "c"] })] },
      C: { oneOf: [{ $ref: "#/$defs/B" }, arm({ const: "d" })] },
    };
    expect(new Set(openTargets(definitions))).toEqual(
      new Set([
        "/$defs/const",
        "/$defs/A/properties/enum",
        "/$defs/A/properties/default/items",
        "/$defs/A/properties/anyOf",
        "/$defs/A/properties/required/not",
        "/$defs/B",
        "/$defs/B/anyOf/1/properties/type",
        "/$defs/C",
      ]),
    );
  });

  test("but not values that only look like them", () => {
    const definitions = {
      A: { default: { enum: ["a", "b"] }, const: { anyOf: [arm({ const: "a" }), arm({ const: "b" })] } },
      B: { enum: ["a"] },
      C: { enum: ["a", 1] },
      D: { anyOf: [arm({ const: "2.0" }), arm({ const: "2.0" })] },
      E: { anyOf: [{ type: "string" }, arm({ const: "a" })] },
    };
    expect(openTargets(definitions)).toEqual([]);
  });
});

test("there are no assumptions without a cause in the schema", () => {
  expect(assume({ A: { type: "string" } })).toEqual({ notes: [], assumptions: [] });
});

test("long chains of definitions and many bases are processed without overflow, in linear time", () => {
  const size = 5000;
  const definitions: JsonObject = {};
  for (let i = 0; i < size; i++) {
    definitions[`D${i}`] = { anyOf: [{ $ref: `#/$defs/D${i + 1}` }, { $ref: `#/$defs/D${i + 1}` }] };
    definitions[`Base${i}`] = { type: "object", additionalProperties: {} };
    definitions[`DerivedBase${i}`] = { type: "object", properties: {} };
  }
  definitions[`D${size}`] = true;
  expect(assume(definitions).notes).toHaveLength(size);
});
