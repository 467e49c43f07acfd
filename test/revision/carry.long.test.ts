import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, canonicalise } from "@mcpgen/engine";
import { undocumented } from "../../generator/revision/schema-source.js";
import { resolveRevision } from "../../generator/revision/revision-source.js";
import { type Carried, carryNotes } from "../../generator/revision/carried-notes.js";
import { parseNotes } from "../../generator/notes/parse.js";
import { documentOf, revisions } from "../support/revisions.js";
import { notesFileOf } from "../support/notes.js";

const schemaFile = { file: "schema.json", text: "" };

function carry(from: string, to: string): Promise<Carried> {
  return carryNotes(schemaFile, documentOf(to), notesFileOf(from));
}

/** `kind target` of each target of each note. */
function said(notes: readonly JsonObject[]): string[] {
  return notes.flatMap(({ kind, target }) =>
    (Array.isArray(target) ? target : [target!]).map((item) => `${String(kind)} ${String(item)}`),
  );
}

/** Notes on steps speak of one pair of revisions, and are never carried. */
function isStep({ kind }: { readonly kind?: JsonValue }): boolean {
  return kind === "lower" || kind === "lift";
}

test("decisions on the step to one revision are not carried to the next", async () => {
  const { notes, dropped } = await carry("2025-11-25", "2026-07-28");
  expect(notes.filter(isStep)).toEqual([]);
  expect(dropped.filter(({ note }) => isStep(note)).map(({ target }) => target)).toContain(
    "/$defs/CreateTaskResult",
  );
});

test("a note of a rename is not carried to the next revision", async () => {
  const document = canonicalise({ $defs: { X: { type: "object", properties: { label: {} } } } });
  const note = { kind: "renamed", target: "/$defs/X/properties/label", previous: "r1", from: "title" };
  const value = { format: 1, notes: [{ ...note, reason: "Why.", link: "https://example.com" }] };
  const file = { file: "notes.json", text: "", value };
  const { notes, dropped } = await carryNotes(schemaFile, document, file);
  expect(notes).toEqual([]);
  expect(dropped.map(({ message }) => message)).toEqual(["it is about the step from r1"]);
});

test("the revision of requests without the header stays the same", async () => {
  const document = canonicalise({
    $defs: {
      InitializeRequest: {
        type: "object",
        properties: { method: { const: "initialize" } },
        required: ["method"],
      },
    },
  });
  const note = {
    kind: "transport",
    target: ["assumed", "priming"],
    reason: "Why.",
    link: "https://example.com",
  };
  const file = { file: "notes.json", text: "", value: { format: 1, notes: [note] } };
  const { notes, dropped } = await carryNotes(schemaFile, document, file);
  expect(notes).toEqual([{ ...note, target: "priming", carried: true }]);
  expect(dropped.map(({ target, settled }) => [target, settled])).toEqual([["assumed", true]]);
});

const pairs = revisions.slice(1).map((to, index) => [revisions[index]!, to] as const);

describe.each(pairs)("from %s to %s", (from, to) => {
  test("carried notes parse, have targets and an effect, and are marked as carried", async () => {
    const { notes } = await carry(from, to);
    const parsed = parseNotes({ file: "notes.json", value: { format: 1, notes: [...notes] } });
    expect(parsed.length).toBeGreaterThan(0);
    expect(parsed.every(({ carried }) => carried)).toBe(true);
    const about = { revision: to, status: "draft" } as const;
    const { problems } = await resolveRevision(schemaFile, documentOf(to), parsed, {
      ...about,
      docs: undocumented,
    });
    expect(problems).toEqual([]);
  });

  test("every target is either carried or reported as dropped, and none is added", async () => {
    const { notes, dropped } = await carry(from, to);
    const before = said((notesFileOf(from).value as { notes: JsonObject[] }).notes);
    const after = [...said(notes), ...dropped.map(({ note, target }) => `${note.kind} ${target}`)];
    expect(after.sort()).toEqual(before.sort());
  });

  test("dropped notes have no target or no effect in the schema", async () => {
    const { dropped } = await carry(from, to);
    for (const problem of dropped.filter(({ settled }) => !settled)) {
      const about = { revision: to, status: "draft" } as const;
      const alone = [{ ...problem.note, targets: [problem.target] }];
      const { problems } = await resolveRevision(schemaFile, documentOf(to), alone, {
        ...about,
        docs: undocumented,
      });
      expect(
        problems.map(({ code }) => code),
        problem.target,
      ).toContain(problem.code);
    }
  });
});

test.each(revisions)(
  "%s: its own notes are all carried to its own schema, unchanged but for the mark",
  async (revision) => {
    const { notes, dropped } = await carry(revision, revision);
    expect(dropped.filter(({ settled }) => !settled)).toEqual([]);
    const own = (notesFileOf(revision).value as { notes: JsonObject[] }).notes;
    const lasting = own.filter((note) => !isStep(note) && note["target"] !== "assumed");
    expect(notes).toEqual(lasting.map((note) => ({ ...note, carried: true })));
  },
);

test("notes about sessions or tasks are not carried to 2026-07-28, which does not have them", async () => {
  const { notes, dropped } = await carry("2025-11-25", "2026-07-28");
  const gone = dropped.map(({ note, target }) => `${note.kind} ${target}`);
  expect(gone).toContain("pairing ping");
  expect(gone).toContain("capability tasks/list");
  expect(said(notes).filter((text) => /task|initialize|ping/i.test(text))).toEqual([]);
  expect(said(notes)).toContain("open /$defs/ContentBlock");
});

describe("a note with several targets", () => {
  const entry = (target: JsonValue): JsonObject => ({ kind: "open", target, reason: "r", link: "l" });
  const carried = (target: JsonValue) =>
    carryNotes(schemaFile, canonicalise({ $defs: { A: { enum: ["a"] }, B: { enum: ["b"] } } }), {
      file: "notes.json",
      text: "",
      value: { format: 1, notes: [entry(target)] },
    });

  test("loses removed targets, and is left out when none remains", async () => {
    expect((await carried(["/$defs/A", "/$defs/None", "/$defs/B"])).notes).toEqual([
      { ...entry(["/$defs/A", "/$defs/B"]), carried: true },
    ]);
    expect((await carried(["/$defs/A", "/$defs/None"])).notes).toMatchObject([{ target: "/$defs/A" }]);
    expect((await carried("/$defs/None")).notes).toEqual([]);
  });
});

test("a note that depends on another one is removed with it", async () => {
  const object = (names: string[], more: JsonObject = {}): JsonObject => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    ...more,
  });
  const note = (kind: string, more: JsonObject): JsonObject => ({ kind, reason: "r", link: "l", ...more });
  // The erratum adds the base's member to X. The new schema does not have its place any longer.
  const value = {
    format: 1,
    notes: [
      note("errata", { target: "/$defs/X/properties", becomes: { a: {} } }),
      note("extends", { target: "/$defs/X", base: "Base" }),
    ],
  };
  const document = canonicalise({ $defs: { Base: object(["a"]), X: { type: "object" } } });
  const { notes, dropped } = await carryNotes(schemaFile, document, { file: "n", text: "", value });
  expect(notes).toEqual([]);
  expect(dropped.map(({ note: { kind } }) => kind).sort()).toEqual(["errata", "extends"]);
});

test("a notes file that is malformed is refused", async () => {
  const value = { format: 1, notes: [{ kind: "open" }] };
  await expect(
    carryNotes(schemaFile, documentOf("2024-11-05"), { file: "n", text: "", value }),
  ).rejects.toMatchObject({ code: "MG1201" });
});
