import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { CodedError } from "../../generator/diagnostics/coded-error.js";
import type { Note } from "../../generator/notes/note.js";
import { extensionKinds, parseNotes } from "../../generator/notes/parse.js";
import { revisions } from "../support/revisions.js";

function parse(...notes: JsonValue[]): Note[] {
  return parseFile({ format: 1, notes });
}

/** As the notes of an extension, if some kind belongs to extensions. */
function parseFile(value: JsonValue): Note[] {
  const ofExtension = [...extensionKinds].some((kind) => JSON.stringify(value).includes(`"kind":"${kind}"`));
  return parseNotes({ file: "notes.json", value }, ofExtension ? { bases: ["r1", "r2"] } : {});
}

function refusal(value: JsonValue): CodedError {
  try {
    parseFile(value);
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(value)}`);
}

const common = { target: "/$defs/X", reason: "Because.", link: "https://example.com" };

/** The required fields of each kind, its optional fields, and bad values of each field. */
const kinds: {
  readonly [K in Note["kind"]]: { needs: JsonObject; may: JsonObject; bad: { [field: string]: JsonValue[] } };
} = {
  errata: {
    needs: { becomes: { type: "string" } },
    may: {},
    bad: { becomes: [null, 1, "a", []], type: [1, null, {}] },
  },
  extends: { needs: { base: "Base" }, may: {}, bad: { base: [1, null, ["Base"]] } },
  pairing: {
    needs: { result: "R" },
    may: {
      alternatives: ["A", { definition: "B" }, { definition: "C", mark: { a: "b" }, capability: "/c" }],
      alternativeCapability: "/tasks",
    },
    bad: {
      result: [1],
      alternatives: [
        ...["A", [1], {}, [{}], [{ definition: 1 }], [{ definition: "A", mark: {} }]],
        ...[[{ definition: "A", capability: "c" }], [{ definition: "A", marks: { a: "b" } }]],
      ],
      alternativeCapability: [1, ["a"], "tasks", ""],
    },
  },
  sender: { needs: { sender: "both" }, may: {}, bad: { sender: ["neither", 1, null] } },
  capability: {
    needs: { of: "server", capability: "/a/b~1c.d" },
    may: {},
    bad: { of: ["both", 1], capability: [1, "a.b", "a/b", ""] },
  },
  header: {
    needs: { header: "H", from: null },
    may: {},
    bad: { header: [1, "", "Bad Header", "A\r\nB"], from: ["a", 1, {}] },
  },
  cacheable: { needs: {}, may: {}, bad: {} },
  partial: {
    needs: { member: "/complete" },
    may: { means: false, item: "/$defs/Reference", get: "x/get" },
    bad: {
      member: [1, null, "complete", ""],
      means: [null, {}, []],
      item: [1, "Reference", "/$defs/", "/$defs/A/properties/b"],
      get: [1, null],
    },
  },
  multiRoundTrip: { needs: {}, may: {}, bad: {} },
  listening: { needs: {}, may: {}, bad: {} },
  subscription: {
    needs: { filter: "/$defs/Filter/properties/a" },
    may: { key: "uri" },
    bad: { filter: [1, null, "a", ""], key: [1, null] },
  },
  invalidates: {
    needs: { methods: ["tools/get"] },
    may: {},
    bad: { methods: [[], "tools/get", [1], {}] },
  },
  requires: {
    needs: { of: "client", capability: "/extensions/a~1b" },
    may: { error: "MISSING" },
    bad: { of: ["both", 1], capability: [1, "a", ""], error: [1, null] },
  },
  augments: {
    needs: { result: "R" },
    may: { mark: { resultType: "task" } },
    bad: { result: [1, null], mark: [1, {}, { a: 1 }, { a: "b", c: "d" }] },
  },
  member: {
    needs: { member: "/_meta/a~1b", definition: "Color" },
    may: { required: true },
    bad: { member: [1, "a", ""], definition: [1, null], required: ["yes", 1] },
  },
  carries: { needs: { of: "tools/call" }, may: {}, bad: { of: [1, null] } },
  channel: {
    needs: { sender: "view", receiver: "host" },
    may: { message: "PingRequest", result: "EmptyResult" },
    bad: { sender: [1, null], receiver: [1, ["host"]], message: [1], result: [null] },
  },
  transport: { needs: {}, may: {}, bad: {} },
  owned: { needs: {}, may: {}, bad: {} },
  deprecated: { needs: { since: "r" }, may: { instead: "Use." }, bad: { since: [1], instead: [1, null] } },
  error: {
    needs: { name: "N" },
    may: { http: 400 },
    bad: { name: [1], http: ["400", 4.5] },
  },
  open: { needs: {}, may: {}, bad: {} },
  renamed: {
    needs: { previous: "r", from: "title" },
    may: {},
    bad: { previous: [1, null], from: [1, null, ["title"]] },
  },
  wrapped: {
    needs: { previous: "r", in: "task" },
    may: {},
    bad: { previous: [1, null], in: [1, null, ["task"]] },
  },
  reshaped: {
    needs: { previous: "r", lift: { a: { $: "/b" } } },
    may: { lower: { b: { $or: [{ $: "/a" }, "none"] } } },
    bad: { previous: [1, null], lift: [1, null, [], {}, "a"], lower: [1, null, [], {}] },
  },
  lower: {
    needs: { previous: "r", how: "refuse", code: "no-such-thing" },
    may: {},
    bad: { previous: [1, null], how: ["leave", 1, null], code: ["No Such", "", 1] },
  },
  lift: {
    needs: { previous: "r", how: "fill", value: [] },
    may: {},
    bad: { previous: [1], how: ["leave", "toString"] },
  },
};

describe("the outcome of a step", () => {
  const least = { kind: "lower", ...common, previous: "r" };
  const refused = (outcome: JsonObject): string =>
    refusal({ format: 1, notes: [{ ...least, ...outcome }] }).message;

  test("needs its own fields", () => {
    for (const outcome of [
      { how: "drop" },
      { how: "text", text: "{name}" },
      { how: "text", into: "content" },
      { how: "keep" },
      { how: "keep", into: "content" },
      { how: "lists", members: { id: "ids" } },
      { how: "refuse", code: "a" },
      { how: "fill", value: null },
    ])
      expect(parse({ ...least, ...outcome })).toEqual([expect.objectContaining(outcome)]);
    for (const how of ["refuse", "fill", "lists"])
      expect(refused({ how })).toMatch(/^expected the key "\w+", which is missing$/);
    expect(refused({ how: "text" })).toBe('expected the key "into" or "text", got none of them');
  });

  test("has no fields of other outcomes", () => {
    for (const stray of [{ text: "a" }, { into: "a" }, { code: "a" }, { value: 1 }])
      expect(refused({ how: "drop", ...stray })).toMatch(/^expected no value, got /);
    expect(refused({ how: "text", text: "a", into: "b" })).toBe('expected no value, got "b" (string)');
  });
});

describe.each(Object.entries(kinds))("a note of kind %s", (kind, { needs, may, bad }) => {
  const least = { kind, ...common, ...needs };

  test("is read with its required fields, and with all its fields", () => {
    expect(parse(least)).toEqual([
      {
        kind,
        ...needs,
        targets: ["/$defs/X"],
        reason: "Because.",
        link: common.link,
        carried: false,
        pointer: "/notes/0",
      },
    ]);
    expect(parse({ ...least, ...may, carried: true })[0]).toMatchObject({ ...may, carried: true });
  });

  test("names the missing fields", () => {
    for (const field of Object.keys(needs)) {
      const { [field]: _, ...rest } = least as JsonObject;
      const error = refusal({ format: 1, notes: [least, rest] });
      expect(error).toMatchObject({ code: "MG1201", place: { file: "notes.json", pointer: "/notes/1" } });
      expect(error.message).toContain(`"${field}"`);
    }
  });

  test("names the field whose value is wrong", () => {
    for (const [field, values] of Object.entries(bad)) {
      for (const value of values) {
        const error = refusal({ format: 1, notes: [{ ...least, [field]: value }] });
        expect(error, `${field}: ${JSON.stringify(value)}`).toMatchObject({
          code: "MG1201",
          place: { pointer: expect.stringMatching(new RegExp(`^/notes/0/${field}(/|$)`)) as string },
        });
        expect(error.message).toMatch(/^(expected |there is no key )/);
      }
    }
  });

  test("has no other fields", () => {
    const error = refusal({ format: 1, notes: [{ ...least, "a/b": 1 }] });
    expect(error).toMatchObject({ code: "MG1201", place: { pointer: "/notes/0/a~1b" } });
    for (const name of ["__proto__", "constructor", "toString"]) {
      const odd = JSON.parse(`{"${name}": "a"}`) as JsonObject;
      expect(
        refusal({
          format: 1,
          notes: [Object.defineProperties({ ...least }, Object.getOwnPropertyDescriptors(odd)) as JsonObject],
        }),
      ).toMatchObject({
        place: { pointer: `/notes/0/${name}` },
      });
    }
  });
});

describe("notes of an extension", () => {
  const file = (...notes: JsonValue[]): { file: string; value: JsonValue } => ({
    file: "notes.json",
    value: { format: 1, notes },
  });
  const failure = (note: JsonObject, options?: { bases: string[] }): unknown => {
    try {
      return parseNotes(file({ ...common, ...note }), options);
    } catch (error) {
      return error;
    }
  };
  const bases = ["2025-11-25", "2026-07-28"];

  test("may be limited to some bases", () => {
    const [note] = parseNotes(file({ kind: "open", ...common, bases: ["2026-07-28"] }), { bases });
    expect(note!.bases).toEqual(["2026-07-28"]);
  });

  test.each<[string, JsonObject, { bases: string[] } | undefined, string]>([
    ["an unknown base", { kind: "open", bases: ["2024-11-05"] }, { bases }, '"2024-11-05" is no base of the'],
    ["no base", { kind: "open", bases: [] }, { bases }, "expected at least 1 item, got 0"],
    ["bases of a revision", { kind: "open", bases }, undefined, 'notes of a revision have no "bases"'],
    ["a kind of extensions", { kind: "carries", of: "a" }, undefined, "kind carries belong to extensions"],
    ["a kind of revisions", { kind: "transport" }, { bases }, "kind transport belong to revisions"],
  ])("%s is refused", (_, note, options, message) => {
    expect(failure(note, options)).toMatchObject({
      code: "MG1201",
      message: expect.stringContaining(message) as string,
    });
  });
});

describe("every note", () => {
  const note = { kind: "open", ...common };

  test.each<[string, JsonValue, string]>([
    ["is an object", "note", ""],
    ["has a kind", { ...common }, ""],
    ["has a kind there is", { ...note, kind: "toString" }, "/kind"],
    ["has a target", { ...note, target: null }, "/target"],
    ["has one target at least", { ...note, target: [] }, "/target"],
    ["has targets that are texts", { ...note, target: ["/a", 1] }, "/target/1"],
    ["has a reason", { ...note, reason: "" }, "/reason"],
    ["has a link", { ...note, link: 1 }, "/link"],
    ["is carried or not", { ...note, carried: "yes" }, "/carried"],
  ])("%s", (_, bad, below) => {
    expect(refusal({ format: 1, notes: [note, note, bad] })).toMatchObject({
      code: "MG1201",
      place: { pointer: `/notes/2${below}` },
    });
  });

  test("may have several targets", () => {
    expect(parse({ ...note, target: ["/a", "/b"] })[0]!.targets).toEqual(["/a", "/b"]);
  });

  test("has a suggestion in its error", () => {
    expect(refusal({ format: 1, notes: [{ ...note, kind: "extend" }] }).next).toBe('Did you mean "extends"?');
    const misspelt = { kind: "error", ...common, name: "N", htpp: 400 };
    expect(refusal({ format: 1, notes: [misspelt] }).next).toBe('Did you mean "http"?');
  });
});

test("an errata note has either the new node or the printed type", () => {
  const both = { kind: "errata", ...common, becomes: true, type: "any" };
  expect(refusal({ format: 1, notes: [both] })).toMatchObject({
    message: 'expected no value, got "any" (string)',
    place: { pointer: "/notes/0/type" },
  });
  expect(refusal({ format: 1, notes: [{ kind: "errata", ...common }] })).toMatchObject({
    message: 'expected the key "becomes" or "type", got none of them',
    place: { pointer: "/notes/0" },
  });
});

test("all faults of a file are reported together", () => {
  const { more, place } = refusal({
    format: 1,
    notes: [
      { kind: "sender", ...common, sender: "peer" },
      { kind: "error", ...common, name: 5 },
    ],
  });
  expect([place, ...more.map((one) => one.place)]).toMatchObject([
    { pointer: "/notes/0/sender" },
    { pointer: "/notes/1/name" },
  ]);
});

test.each<[JsonValue, string]>([
  [null, ""],
  [[], ""],
  [{}, ""],
  [{ format: 2, notes: [] }, "/format"],
  [{ format: 1 }, ""],
  [{ format: 1, notes: {} }, "/notes"],
])("a notes file is not %j", (value, pointer) => {
  expect(refusal(value)).toMatchObject({ code: "MG1201", place: { file: "notes.json", pointer } });
});

test.each(revisions)("%s: the committed notes are read, each confirmed", (revision) => {
  const file = new URL(`../../schema/${revision}/notes.json`, import.meta.url);
  const value = JSON.parse(readFileSync(file, "utf8")) as JsonObject;
  const notes = parseNotes({ file: "notes.json", value });
  expect(notes).toHaveLength((value["notes"] as JsonValue[]).length);
  for (const { reason, link, carried } of notes) {
    expect(reason).toMatch(/\S[.!]$/);
    expect(link).toMatch(/^https:\/\//);
    expect(carried).toBe(false);
  }
});

test("docs/notes.md describes every kind", () => {
  const text = readFileSync(new URL("../../docs/notes.md", import.meta.url), "utf8");
  for (const kind of Object.keys(kinds)) expect(text).toMatch(new RegExp(`^\\| ?\`${kind}\` ?\\|`, "m"));
});
