import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, atPointer, canonicalise, readSchema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type Corrected, applyNotes } from "../../generator/notes/apply.js";
import { undocumented } from "../../generator/revision/schema-source.js";
import { resolveRevision } from "../../generator/revision/revision-source.js";
import { documentOf, revisions } from "../support/revisions.js";
import { notes, notesOf } from "../support/notes.js";

function apply(definitions: JsonObject, ...entries: JsonObject[]): Corrected {
  return applyNotes(canonicalise({ $defs: definitions }), notes(...entries));
}

/** Code, target and message of each problem. */
function problemsOf(corrected: Corrected): string[] {
  return corrected.problems.map(({ code, target, message }) => `${code} ${target}: ${message}`);
}

function object(properties: string[], more: JsonObject = {}): JsonObject {
  return { type: "object", properties: Object.fromEntries(properties.map((name) => [name, {}])), ...more };
}

describe("errata", () => {
  const X = { type: "object", properties: { p: { type: "integer" }, "a/b": { type: "string" } } };

  test("replace the node, canonically", () => {
    const note = {
      kind: "errata",
      target: "/$defs/X/properties/p",
      becomes: { type: ["string", "number"], enum: [2, 1] },
    };
    const { document, problems } = apply({ X }, note);
    expect(atPointer(document, "/$defs/X/properties/p")).toEqual({
      enum: [1, 2],
      type: ["number", "string"],
    });
    expect(JSON.stringify(document)).toBe(JSON.stringify(canonicalise(document)));
    expect(problems).toEqual([]);
  });

  test("reach places whose names are escaped, and whole definitions", () => {
    const { document } = apply(
      { X, "Y/Z": {} },
      { kind: "errata", target: ["/$defs/X/properties/a~1b", "/$defs/Y~1Z"], becomes: false },
    );
    expect(document["$defs"]).toMatchObject({ X: { properties: { "a/b": false } }, "Y/Z": false });
  });

  test("of the printed type do not change the schema", () => {
    const { document, nodeRemarks } = apply({ X }, { kind: "errata", target: "/$defs/X", type: "any" });
    expect(document["$defs"]).toEqual({ X });
    expect(nodeRemarks.get("/$defs/X")).toEqual({ typeText: "any" });
  });

  test("without a target or an effect are problems", () => {
    const same = { properties: { "a/b": { type: "string" }, p: { type: "integer" } }, type: "object" };
    const corrected = apply(
      { X },
      { kind: "errata", target: "/$defs/Y", becomes: true },
      { kind: "errata", target: "/$defs/X/properties/q", becomes: true },
      { kind: "errata", target: "X", becomes: true },
      { kind: "errata", target: "", becomes: true },
      { kind: "errata", target: "/$defs/X", becomes: same },
      { kind: "errata", target: "/$defs/X/properties/toString", type: "any" },
      { kind: "errata", target: "X", type: "any" },
      { kind: "errata", target: "/$defs/X/properties", type: "any" },
    );
    expect(corrected.problems.map(({ code }) => code)).toEqual([
      "MG1202",
      "MG1202",
      "MG1202",
      "MG1202",
      "MG1203",
      "MG1202",
      "MG1202",
      "MG1202",
    ]);
    expect(corrected.document["$defs"]).toEqual({ X });
    expect(corrected.nodeRemarks.size).toBe(0);
  });

  test.each<JsonValue>([
    { properties: [] },
    { type: "any" },
    { propertis: {} },
    { required: [1] },
    { items: 5 },
  ])("with an invalid schema are problems: %j", (becomes) => {
    const corrected = apply({ X }, { kind: "errata", target: "/$defs/X/properties/p", becomes });
    expect(corrected.problems).toMatchObject([{ code: "MG1201" }]);
    expect(corrected.document["$defs"]).toEqual({ X });
  });

  test("may add references to existing definitions", () => {
    const { problems, document } = apply(
      { X },
      { kind: "errata", target: "/$defs/X/properties/p", becomes: { $ref: "#/$defs/X" } },
    );
    expect(problems).toEqual([]);
    expect(atPointer(document, "/$defs/X/properties/p/$ref")).toBe("#/$defs/X");
  });

  test("may have own __proto__ members", () => {
    const becomes = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as JsonObject;
    const definitions = JSON.parse('{"__proto__":{"properties":{"__proto__":true}},"X":true}') as JsonObject;
    const { document, problems } = apply(definitions, { kind: "errata", target: "/$defs/X", becomes });
    expect(problems).toEqual([]);
    expect(JSON.stringify(document["$defs"])).toBe(
      '{"X":{"properties":{"__proto__":{"type":"string"}}},"__proto__":{"properties":{"__proto__":true}}}',
    );
  });
});

describe("extends", () => {
  test("does not open an object with a rule for additional members", () => {
    const definitions = {
      Base: object([], { additionalProperties: {} }),
      Plain: object(["a"]),
      Closed: object(["a"], { additionalProperties: false }),
      Evaluated: object(["a"], { unevaluatedProperties: false }),
    };
    const note = {
      kind: "extends",
      target: ["/$defs/Plain", "/$defs/Closed", "/$defs/Evaluated"],
      base: "Base",
    };
    const corrected = apply(definitions, note);
    const schema = readSchema(corrected.document);
    const takes = (name: string): boolean =>
      isValid(schema, schema.definitions.get(name)!.node, { a: 1, other: 2 });
    expect(["Plain", "Closed", "Evaluated"].filter(takes)).toEqual(["Plain"]);
    expect(atPointer(corrected.document, "/$defs/Evaluated/additionalProperties")).toBeUndefined();
  });

  test("passes openness on through any number of levels, in any order of notes", () => {
    const definitions = {
      Base: object(["a"], { additionalProperties: {} }),
      Middle: object(["a", "b"]),
      Leaf: object(["a", "b", "c"]),
      Other: object(["a"]),
    };
    const chain = [
      { kind: "extends", target: "/$defs/Leaf", base: "Middle" },
      { kind: "extends", target: "/$defs/Middle", base: "Base" },
    ];
    for (const order of [chain, chain.toReversed()]) {
      const { document, definitionRemarks, problems } = apply(definitions, ...order);
      expect(problems).toEqual([]);
      expect(document["$defs"]).toEqual({
        ...definitions,
        Middle: object(["a", "b"], { additionalProperties: {} }),
        Leaf: object(["a", "b", "c"], { additionalProperties: {} }),
      });
      expect([...definitionRemarks].sort()).toEqual([
        ["Leaf", { extends: ["Middle"] }],
        ["Middle", { extends: ["Base"] }],
      ]);
    }
  });

  test("does not open a definition if its base is closed, or if it has a rule for other members", () => {
    const definitions = {
      Closed: object(["a"]),
      Open: object([], { additionalProperties: {} }),
      X: object(["a"]),
      Y: object(["b"], { additionalProperties: { type: "string" } }),
    };
    const { document } = apply(
      definitions,
      { kind: "extends", target: "/$defs/X", base: "Closed" },
      { kind: "extends", target: "/$defs/Y", base: "Open" },
    );
    expect(document["$defs"]).toEqual(definitions);
  });

  test("names bases in natural order, whatever the order of notes", () => {
    const definitions = { B10: object([]), B9: object([]), X: object(["a"]) };
    const { definitionRemarks } = apply(
      definitions,
      { kind: "extends", target: "/$defs/X", base: "B10" },
      { kind: "extends", target: "/$defs/X", base: "B9" },
    );
    expect(definitionRemarks.get("X")).toEqual({ extends: ["B9", "B10"] });
  });

  test.each<[string, JsonObject, string]>([
    ["of what is not there", { target: "/$defs/None", base: "Base" }, "no such definition"],
    ["of no definition", { target: "tools/call", base: "Base" }, "pointer of a definition"],
    ["of a place within one", { target: "/$defs/X/properties/a", base: "Base" }, "pointer of a definition"],
    ["with a base that is not there", { target: "/$defs/X", base: "None" }, 'no definition "None"'],
    ["with a base whose members it lacks", { target: "/$defs/X", base: "Wide" }, "all members of Wide"],
    ["with a base that requires more", { target: "/$defs/X", base: "Strict" }, "all members of Strict"],
    ["with a base that is a union", { target: "/$defs/X", base: "Union" }, "plain object"],
    ["with a base that is a string", { target: "/$defs/X", base: "Text" }, "plain object"],
    ["with itself", { target: "/$defs/X", base: "X" }, "extend itself"],
  ])("is a problem %s", (_, note, message) => {
    const definitions = {
      Base: object(["a"]),
      X: object(["a"]),
      Wide: object(["a", "b"]),
      Strict: object(["a"], { required: ["a"] }),
      Union: { type: "object", anyOf: [object(["a"])] },
      Text: { type: "string" },
    };
    const corrected = apply(definitions, { kind: "extends", ...note });
    expect(problemsOf(corrected)).toHaveLength(1);
    expect(problemsOf(corrected)[0]).toContain(`MG1202 ${note["target"] as string}`);
    expect(problemsOf(corrected)[0]).toContain(message);
    expect(corrected.definitionRemarks.size).toBe(0);
  });

  test("is a problem if it is circular or repeated", () => {
    const definitions = { A: object(["a"]), B: object(["a"]), C: object(["a"]) };
    const corrected = apply(
      definitions,
      { kind: "extends", target: "/$defs/A", base: "B" },
      { kind: "extends", target: ["/$defs/B", "/$defs/B"], base: "C" },
      { kind: "extends", target: "/$defs/C", base: "A" },
    );
    expect(corrected.problems.map(({ code, target }) => [code, target])).toEqual([
      ["MG1203", "/$defs/B"],
      ["MG1202", "/$defs/C"],
    ]);
  });
});

describe("open and deprecated", () => {
  test("are remarks on the node, and may both be on the same one", () => {
    const { nodeRemarks, problems } = apply(
      { X: { enum: ["a"] } },
      { kind: "open", target: "/$defs/X" },
      { kind: "deprecated", target: "/$defs/X", since: "r", instead: "Use Y." },
    );
    expect(problems).toEqual([]);
    expect(nodeRemarks.get("/$defs/X")).toEqual({
      open: true,
      deprecated: { since: "r", instead: "Use Y." },
    });
  });

  test.each(["/$defs/None", "/$defs/X/enum/0", "/$defs/X/enum"])("are problems at %s", (target) => {
    const corrected = apply(
      { X: { enum: ["a"] } },
      { kind: "open", target },
      { kind: "deprecated", target, since: "r" },
    );
    expect(corrected.problems.map(({ code }) => code)).toEqual(["MG1202", "MG1202"]);
    expect(corrected.nodeRemarks.size).toBe(0);
  });

  test("open on an object that a program closed removes `additionalProperties`, without a remark", () => {
    const X = object(["a"], { additionalProperties: false });
    const { document, nodeRemarks, problems } = apply(
      { X, Y: object(["x"], { properties: { x: X } }), Z: object(["z"], { additionalProperties: false }) },
      { kind: "open", target: ["/$defs/X", "/$defs/Y/properties/x"] },
    );
    expect(problems).toEqual([]);
    expect(document["$defs"]).toEqual({
      X: object(["a"]),
      Y: object(["x"], { properties: { x: object(["a"]) } }),
      Z: object(["z"], { additionalProperties: false }),
    });
    expect(nodeRemarks.size).toBe(0);
  });

  test("open is a problem without a place; deprecated then concerns a method", () => {
    const corrected = apply(
      { X: {} },
      { kind: "open", target: ["X", ""] },
      { kind: "deprecated", target: "a/b", since: "r" },
    );
    expect(corrected.problems.map(({ target }) => target)).toEqual(["X", ""]);
  });
});

describe("wrapped", () => {
  const X = object(["label", "title"]);
  const wrapped = (target: string, name: string): JsonObject => ({
    kind: "wrapped",
    target,
    previous: "r1",
    in: name,
  });

  test("concerns definitions, and does not change the schema", () => {
    const corrected = apply({ X }, wrapped("/$defs/X", "task"));
    expect(corrected.problems).toEqual([]);
    expect(corrected.document["$defs"]).toEqual({ X });
  });

  test.each([
    ["/$defs/Y", "task", "MG1202"],
    ["/$defs/X/properties/label", "task", "MG1202"],
    ["X", "task", "MG1202"],
    ["/$defs/X", "label", "MG1203"],
  ])("of %s in %s is refused", (target, name, code) => {
    expect(apply({ X }, wrapped(target, name)).problems).toMatchObject([{ code, target }]);
  });
});

describe("reshaped", () => {
  const X = object(["label", "title"]);
  const reshaped = (target: string, ...ways: string[]): JsonObject => ({
    ...{ kind: "reshaped", target, previous: "r1" },
    ...Object.fromEntries(ways.map((way) => [way, { label: { $: "/title" } }])),
  });

  test("concerns places, and does not change the schema", () => {
    const notes = [reshaped("/$defs/X", "lift"), reshaped("/$defs/X", "lower")];
    const corrected = apply({ X }, ...notes, reshaped("/$defs/X/properties/label", "lower"));
    expect(corrected.problems).toEqual([]);
    expect(corrected.document["$defs"]).toEqual({ X });
  });

  test.each(["/$defs/Y", "X", "/$defs/X/properties"])("on %s is refused", (target) => {
    expect(apply({ X }, reshaped(target, "lift")).problems).toMatchObject([{ code: "MG1202", target }]);
  });

  test("is refused if another note makes members in the same direction", () => {
    const { problems } = apply({ X }, reshaped("/$defs/X", "lift", "lower"), reshaped("/$defs/X", "lower"));
    expect(problems).toMatchObject([{ code: "MG1203", target: "/$defs/X" }]);
    const other = { ...reshaped("/$defs/X", "lift"), previous: "r0" };
    expect(apply({ X }, reshaped("/$defs/X", "lift"), other).problems).toEqual([]);
  });
});

describe("renamed", () => {
  const X = object(["label", "title", "a/b"]);
  const renamed = (target: string | string[], from: string): JsonObject => ({
    kind: "renamed",
    target,
    previous: "r1",
    from,
  });

  test("concerns members, and does not change the schema", () => {
    const corrected = apply(
      { X },
      renamed(["/$defs/X/properties/label", "/$defs/X/properties/a~1b"], "name"),
    );
    expect(corrected.problems).toEqual([]);
    expect(corrected.document["$defs"]).toEqual({ X });
  });

  test("is a problem if the member does not exist, or if the object has both names", () => {
    const targets = ["/$defs/X", "/$defs/X/properties", "/$defs/X/properties/none", "X", ""];
    const corrected = apply({ X }, renamed(targets, "name"), renamed("/$defs/X/properties/label", "title"));
    expect(problemsOf(corrected)).toEqual([
      ...targets.map((target) => `MG1202 ${target}: the schema has no member of an object at this place`),
      'MG1203 /$defs/X/properties/label: the object has a member "title" still',
    ]);
    expect(apply({ X }, renamed("/$defs/X/properties/label", "label")).problems).toHaveLength(1);
  });
});

test("the passed document is not changed", () => {
  const document = documentOf("2026-07-28");
  const before = JSON.stringify(document);
  applyNotes(document, notesOf("2026-07-28"));
  expect(JSON.stringify(document)).toBe(before);
});

describe.each(revisions)("%s", (revision) => {
  const about = { revision, status: "released" } as const;
  const resolve = (entries: Parameters<typeof resolveRevision>[2]) =>
    resolveRevision({ file: "schema.json", text: "" }, documentOf(revision), entries, {
      ...about,
      docs: undocumented,
    });

  test("every committed note has a target and an effect", async () => {
    expect((await resolve(notesOf(revision))).problems).toEqual([]);
  });

  test("every committed correction of the schema is needed", async () => {
    const all = notesOf(revision);
    const whole = applyNotes(documentOf(revision), all);
    const shown = ({ document, nodeRemarks, definitionRemarks }: Corrected): string =>
      JSON.stringify([document, [...nodeRemarks].sort(), [...definitionRemarks].sort()]);
    for (const note of all) {
      if (!["errata", "extends", "open"].includes(note.kind)) continue;
      const without = applyNotes(
        documentOf(revision),
        all.filter((other) => other !== note),
      );
      expect(shown(without), note.pointer).not.toBe(shown(whole));
    }
  });
});
