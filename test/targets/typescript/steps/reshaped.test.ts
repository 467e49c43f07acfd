import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import type { CodedError } from "../../../../generator/diagnostics/coded-error.js";
import { planSteps } from "../../../../generator/targets/typescript/steps/methods.js";
import { lossyReshapes, refuseProblems } from "../../../../generator/targets/typescript/steps/problems.js";
import type { Note } from "../../../../generator/notes/note.js";
import { parseNotes } from "../../../../generator/notes/parse.js";
import type { NoteText } from "../../../support/models.js";
import { object, ref } from "../../../support/models.js";
import { answering, between, stepFiles } from "./between.js";
import { deepFrozen } from "./protocol.js";

const text = { type: "string" };
const only = (value: string): JsonValue => ({ type: "string", const: value });
const list = (items: JsonValue, more: JsonObject = {}): JsonObject => ({ type: "array", items, ...more });
const textBlock = object({ type: only("text"), text }, ["type", "text"]);
const imageBlock = object({ type: only("image"), data: text }, ["type", "data"]);
const Block = { anyOf: [textBlock, imageBlock] };
const Output = {
  anyOf: [
    object({ type: only("content"), name: text, content: list(ref("Block")) }, ["type", "content"]),
    object({ type: only("structured"), value: {} }, ["type", "value"]),
  ],
};
const old = object({ content: list(ref("Block")), structured: {}, failed: { type: "boolean" } }, ["content"]);
const next = object({ outputs: list(ref("Output")), failed: { type: "boolean" } }, ["outputs"]);
const more = { old: { Block }, next: { Block, Output } };

const lift = {
  outputs: {
    $join: [
      [{ type: "content", content: { $: "/content" } }],
      { $if: "/structured", then: [{ type: "structured", value: { $: "/structured" } }] },
    ],
  },
};
const lower = {
  content: {
    $or: [
      { $each: "/outputs", where: { type: "content" }, flat: true, make: { $: "./content" } },
      {
        $each: "/outputs",
        where: { type: "structured" },
        make: { type: "text", text: { $json: { $: "./value" } } },
      },
      [],
    ],
  },
  structured: { $first: "/outputs", where: { type: "structured" }, make: { $: "./value" } },
};

function notesOf(...texts: readonly JsonObject[]): Note[] {
  const common = { target: "/$defs/DoResult", previous: "r1", reason: "Because.", link: "" };
  const notes = texts.map((each) => ({ ...common, ...each }));
  return parseNotes({ file: "schema/r2/notes.json", value: { format: 1, notes } });
}

const reshaped = (ways: JsonObject, target = "/$defs/DoResult"): NoteText[] =>
  notesOf({ kind: "reshaped", target, ...ways }) as NoteText[];
const run = (
  step: (value: object, request?: object) => object,
  value: JsonValue,
  request?: object,
): unknown => step(deepFrozen(value) as object, request);
const lossesOf = (outcome: unknown): unknown =>
  (outcome as { losses: { pointer: string; how: string }[] }).losses.map(
    ({ pointer, how }) => `${how} ${pointer}`,
  );

describe("members that expressions make", () => {
  const steps = between(old, next, reshaped({ lift, lower }), more);
  const block = { type: "text", text: "a" };

  it("are translated to the other revision and back without loss", async () => {
    const { lift: up, lower: down } = await steps;
    const before = { failed: true, content: [block], structured: { n: null }, other: 1 };
    const after = {
      failed: true,
      other: 1,
      outputs: [
        { type: "content", content: [block] },
        { type: "structured", value: { n: null } },
      ],
    };
    expect(run(up, before)).toEqual({ value: after, losses: [] });
    expect(run(down, after)).toEqual({ value: before, losses: [] });
    expect(run(up, { content: [] })).toEqual({
      value: { outputs: [{ type: "content", content: [] }] },
      losses: [],
    });
    expect(run(down, { outputs: [] })).toEqual({ value: { content: [] }, losses: [] });
  });

  it("omit parts that no expression reads, and report them", async () => {
    const { lift: up, lower: down } = await steps;
    const outputs = [
      { type: "content", name: "n", content: [] },
      { type: "structured", value: 1 },
      { type: "structured", value: 2, extra: true },
    ];
    const lowered = run(down, { outputs, content: "had no meaning" });
    expect(lowered).toMatchObject({ value: { content: [], structured: 1 } });
    expect(lossesOf(lowered)).toEqual(["dropped /outputs/0/name", "dropped /outputs/2", "dropped /content"]);
    const lifted = run(up, { content: [], outputs: ["had no meaning"] });
    expect(lifted).toMatchObject({ value: { outputs: [{ content: [] }] } });
    expect(lossesOf(lifted)).toEqual(["dropped /outputs"]);
  });

  it("report objects of which only a text remains", async () => {
    const { lower: down } = await steps;
    const values = [1, { a: 2 }].map((value) => ({ type: "structured", value }));
    const lowered = run(down, { outputs: values });
    expect(lowered).toMatchObject({
      value: {
        content: [block, block].map((each, at) => ({ ...each, text: ["1", '{"a":2}'][at] })),
        structured: 1,
      },
    });
    expect(lossesOf(lowered)).toEqual(["text /outputs/1/value"]);
  });

  it("are members of the object itself, whatever their names", async () => {
    const odd = JSON.parse(
      '{"__proto__":{"$":"/a"},"constructor":{"$":"/a"},"$$if":{"$":"/a"}}',
    ) as JsonObject;
    const names = JSON.parse('{"__proto__":{},"constructor":{},"$if":{}}') as JsonObject;
    const { lift: up } = await between(object({ a: {} }), object(names as { [name: string]: JsonValue }), [
      ...reshaped({ lift: odd }),
    ]);
    const { value } = run(up, { a: 1 }) as { value: object };
    expect(JSON.stringify(value)).toBe('{"__proto__":1,"constructor":1,"$if":1}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("are absent if their expressions have no value, and null if the value is null", async () => {
    const members = { a: {}, b: {}, c: list({}), d: {} };
    const made = {
      a: { $: "/x/0" },
      b: { $if: "/x", then: null, else: "none" },
      c: { $each: "/x", make: { $: "./y" } },
      d: { $first: "/x", make: { $json: { $: "./y" } } },
    };
    const { lift: up } = await between(object({ x: {} }), object(members), reshaped({ lift: made }));
    expect(run(up, { x: [{ y: 1 }, {}, { y: null }] })).toMatchObject({
      value: { a: { y: 1 }, b: null, c: [1, null], d: "1" },
    });
    expect(run(up, {})).toEqual({ value: { b: "none" }, losses: [] });
    expect(run(up, { x: [] })).toMatchObject({ value: { b: null, c: [] } });
    // A length is not a member.
    const length = await between(
      object({ x: {} }),
      object(members),
      reshaped({ lift: { a: { $: "/x/length" } } }),
    );
    expect(run(length.lift, { x: [1] })).toMatchObject({ value: {} });
  });
});

describe("lists and maps", () => {
  const argument = object({ title: text, required: { type: "boolean" } });
  const named = object({ name: text, title: text, required: { type: "boolean" } }, ["name"]);
  const listed = object({ arguments: list(named) });
  const mapped = object({ arguments: { type: "object", additionalProperties: argument } });
  const inside = (from: string): JsonObject => ({
    title: { $: `${from}/title` },
    required: { $: `${from}/required` },
  });
  const steps = between(
    listed,
    mapped,
    reshaped({
      lift: { arguments: { $map: "/arguments", key: { $: "./name" }, make: inside(".") } },
      lower: { arguments: { $each: "/arguments", make: { name: { $: "./key" }, ...inside("./value") } } },
    }),
  );
  const before = { arguments: [{ name: "a", title: "A" }, { name: "__proto__" }] };
  const after = JSON.parse('{ "arguments": { "a": { "title": "A" }, "__proto__": {} } }') as JsonObject;

  it("become each other without loss", async () => {
    const { lift: up, lower: down } = await steps;
    expect(run(up, before)).toEqual({ value: after, losses: [] });
    expect(run(down, after)).toEqual({ value: before, losses: [] });
    for (const empty of [{}, { arguments: [] }])
      expect(run(up, empty)).toEqual({ value: "arguments" in empty ? { arguments: {} } : {}, losses: [] });
  });

  it("lose items with a repeated name, and members that no expression reads", async () => {
    const { lift: up, lower: down } = await steps;
    const twice = run(up, {
      arguments: [
        { name: "a", title: "A" },
        { name: "a", title: "B", other: 1 },
      ],
    });
    expect(twice).toMatchObject({ value: { arguments: { a: { title: "A" } } } });
    expect(lossesOf(twice)).toEqual(["dropped /arguments/1/title", "dropped /arguments/1/other"]);
    expect(lossesOf(run(down, { arguments: { "a/b": { title: "A", other: 1 } } }))).toEqual([
      "dropped /arguments/a~1b/other",
    ]);
  });
});

describe("values that expressions copy", () => {
  const before = { Block: { anyOf: [ref("Text"), ref("Image")] }, Text: textBlock, Image: imageBlock };
  const after = {
    Block: { anyOf: [ref("Text"), ref("Sound")] },
    Text: object({ type: only("text"), body: text }, ["type", "body"]),
    Sound: object({ type: only("sound"), data: text }, ["type", "data"]),
  };
  const notes = (...others: NoteText[]): NoteText[] => [
    ...reshaped({
      lift: { parts: { $each: "/content", make: { block: { $: "." } } } },
      lower: { content: { $each: "/parts", make: { $: "./block" } } },
    }),
    { kind: "renamed", targets: ["/$defs/Text/properties/body"], previous: "r1", from: "text" },
    ...others,
  ];
  const decided = (kind: "lift" | "lower", target: string, how: JsonObject): NoteText =>
    ({ kind, targets: [target], previous: "r1", ...how }) as unknown as NoteText;
  const parts = object({ parts: list(object({ block: ref("Block") }, ["block"])) }, ["parts"]);
  const content = object({ content: list(ref("Block")) }, ["content"]);

  it("are converted in accordance with their old and new places", async () => {
    const { lift: up, lower: down } = await between(
      content,
      parts,
      notes(
        decided("lift", "/$defs/Image", { how: "fill", value: { type: "sound", data: "" } }),
        decided("lower", "/$defs/Sound", { how: "refuse", code: "no-sound" }),
      ),
      { old: before, next: after },
    );
    const one = { content: [{ type: "text", text: "a" }] };
    const other = { parts: [{ block: { type: "text", body: "a" } }] };
    expect(run(up, one)).toEqual({ value: other, losses: [] });
    expect(run(down, other)).toEqual({ value: one, losses: [] });
    const image = run(up, { content: [{ type: "image", data: "" }] });
    expect(image).toMatchObject({ value: { parts: [{ block: { type: "sound", data: "" } }] } });
    expect(lossesOf(image)).toEqual(["filled /content/0"]);
    const sound = { parts: [{ block: { type: "sound", data: "" } }] };
    expect(run(down, sound)).toEqual({ refused: "no-sound", at: "/parts/0/block" });
  });

  it("may be texts of whole objects", async () => {
    const note = reshaped({ lower: { all: { $json: { $: "" } } } });
    const { lower: down } = await between(object({ all: text }), object({ a: {}, b: {} }), note);
    const lowered = run(down, { a: 1, b: [2] });
    expect(lowered).toMatchObject({ value: { all: '{"a":1,"b":[2]}' } });
    expect(lossesOf(lowered)).toEqual(["text /a", "text /b"]);
  });
});

describe("expressions of the request", () => {
  const params = (members: { [name: string]: JsonValue }): JsonValue =>
    object({ method: only("test/do"), params: object(members) }, ["method"]);
  const DoRequest = params({ wanted: list(text), more: text });
  const both = { old: { ...more.old, DoRequest }, next: { ...more.next, DoRequest } };
  const chosen = (among: JsonValue): JsonObject => ({
    lower: {
      ...lower,
      content: {
        $or: [
          {
            $each: "/outputs",
            where: { type: { in: among } },
            make: { type: "text", text: { $or: [{ $request: "/more" }, "none"] } },
          },
          [],
        ],
      },
    },
  });

  it("select items, and replace absent values", async () => {
    const { lower: down } = await between(old, next, reshaped(chosen({ $request: "/wanted" })), both);
    const outputs = [
      { type: "content", content: [] },
      { type: "structured", value: 1 },
    ];
    const content = (...texts: string[]): object => ({
      value: { content: texts.map((each) => ({ type: "text", text: each })), structured: 1 },
    });
    expect(run(down, { outputs })).toMatchObject(content());
    expect(run(down, { outputs }, { wanted: ["content"], more: "m" })).toMatchObject(content("m"));
    expect(run(down, { outputs }, { wanted: ["content", "structured"] })).toMatchObject(
      content("none", "none"),
    );
    // The peer may have sent anything.
    expect(run(down, { outputs }, { wanted: "content", more: 1 })).toMatchObject(content());
    expect(run(down, { outputs }, { wanted: ["content"], more: 1 })).toMatchObject(content("none"));
  });

  it("are refused if the place does not answer such a request", () => {
    const models = [
      answering("r1", old, both.old),
      answering("r2", next, both.next, reshaped(chosen({ $request: "/wantd" }))),
    ] as const;
    expect(refusalOf(models)).toMatchObject({
      code: "MG1206",
      message: expect.stringContaining('no request of test/do has a param "/wantd"') as string,
      next: "Its params are more, wanted.",
      place: { pointer: "/notes/0/lower/content/$or/0/where/type/in/$request" },
    });
    const holding = (inner: JsonValue): JsonObject => ({
      ...{ Block, Inner: inner },
      DoRequest: params({ inner: ref("Inner") }),
    });
    const note = reshaped({ lift: { chosen: { $request: "/inner" } } }, "/$defs/Inner");
    const inParams = [
      answering("r1", old, holding(object({ wanted: list(text) }))),
      answering("r2", old, holding(object({ chosen: list(text) })), note),
    ] as const;
    expect(refusalOf(inParams)).toMatchObject({
      code: "MG1206",
      message: expect.stringContaining("only a result has a request") as string,
      place: { pointer: "/notes/0/lift/chosen/$request" },
    });
  });
});

describe("a definition that becomes a union, or is no longer one", () => {
  const union = {
    anyOf: [
      object({ kind: only("plain"), content: list(ref("Block")) }, ["kind", "content"]),
      object({ kind: only("structured"), value: {} }, ["kind", "value"]),
    ],
  };
  const notes = reshaped({
    lower: {
      content: { $or: [{ $: "/content" }, [{ type: "text", text: { $json: { $: "/value" } } }]] },
      structured: { $: "/value" },
    },
  });

  it("counts as one object in its expressions", async () => {
    const { lower: down } = await between(old, union, notes, { old: { Block }, next: { Block } });
    expect(run(down, { kind: "plain", content: [] })).toMatchObject({ value: { content: [] } });
    const structured = run(down, { kind: "structured", value: { a: 1 } });
    expect(structured).toMatchObject({
      value: { content: [{ type: "text", text: '{"a":1}' }], structured: { a: 1 } },
    });
    expect(lossesOf(structured)).toEqual(["dropped /kind"]);
  });
});

function refusalOf(models: readonly [ReturnType<typeof answering>, ReturnType<typeof answering>]): unknown {
  try {
    refuseProblems(planSteps(...models), models[1], models[0], "schema/r2");
  } catch (error) {
    const { code, message, next: todo, place } = error as CodedError;
    return { code, message, next: todo, place };
  }
  return undefined;
}

/** Wrong notes: the direction and its expressions, the place of the error below the note, and its text. */
const wrong: readonly [name: string, ways: JsonObject, at: string, message: RegExp, schemas?: JsonValue[]][] =
  [
    ["no such member to make", { lift: { output: [] } }, "/lift/output", /no member "output"/],
    [
      "no such member to read",
      { lower: { content: { $: "/output" } } },
      "/lower/content/$",
      /no member "output"/,
    ],
    [
      "no such member of an item",
      { lower: { content: { $each: "/outputs", flat: true, make: { $: "./contents" } } } },
      "/lower/content/make/$",
      /no member "contents"/,
    ],
    [
      "a member that is of another type",
      { lift: { outputs: { $: "/failed" } } },
      "/lift/outputs/$",
      /is boolean/,
    ],
    ["no list", { lift: { outputs: { $each: "/failed", make: {} } } }, "/lift/outputs/$each", /never a list/],
    [
      "items that no list has",
      {
        lower: {
          content: { $each: "/outputs", where: { type: "contnt" }, flat: true, make: { $: "./content" } },
        },
      },
      "/lower/content/where/type",
      /no item has the type "contnt"/,
    ],
    [
      "a test of a member that items do not have",
      { lower: { content: { $each: "/outputs", where: { tipe: "a" }, make: { $: "." } } } },
      "/lower/content/where/tipe",
      /no member "tipe"/,
    ],
    [
      "a mark that no arm has",
      { lift: { outputs: [{ type: "cntent" }] } },
      "/lift/outputs/0/type",
      /"cntent"/,
    ],
    [
      "an object without a member",
      { lift: { outputs: [{ type: "content" }] } },
      "/lift/outputs/0",
      /no "content"/,
    ],
    [
      "an object with a strange member",
      { lift: { outputs: [{ type: "structured", vlue: 1 }] } },
      "/lift/outputs/0/vlue",
      /no member "vlue"/,
    ],
    ["a text for a list", { lift: { outputs: "none" } }, "/lift/outputs", /"none" cannot stand here/],
    [
      "JSON for a list",
      { lift: { outputs: { $json: { $: "" } } } },
      "/lift/outputs/$json",
      /a string cannot stand/,
    ],
    ["an object for a list", { lift: { outputs: {} } }, "/lift/outputs", /an object cannot stand here/],
    [
      "a list for a text",
      { lower: { content: [{ type: "text", text: [] }] } },
      "/lower/content/0/text",
      /a list cannot/,
    ],
    [
      "lists in a list",
      { lower: { content: { $each: "/outputs", where: { type: "content" }, make: { $: "./content" } } } },
      "/lower/content/make/$",
      /cannot stand here/,
    ],
    [
      "a required member that may be absent",
      {
        lower: {
          content: { $each: "/outputs", where: { type: "content" }, flat: true, make: { $: "./content" } },
        },
      },
      "/lower",
      /\{"outputs":\[\]\} has no form: content is required before revision r2/,
    ],
    [
      "a member that is made of an optional one",
      { lift: { outputs: { $if: "/structured", then: [{ type: "structured", value: 1 }] } } },
      "/lift",
      /\{"content":\[\]\} has no form/,
    ],
    [
      "a required member of an item that may be absent",
      { lift: { outputs: [{ type: "structured", value: { $: "/structured" } }] } },
      "/lift",
      /value is required since revision r2/,
    ],
    [
      "fewer items than there must be",
      { lift: { outputs: { $each: "/content", make: { type: "structured", value: 1 } } } },
      "/lift/outputs",
      /^note of kind reshaped: \{"content":\[\]\} becomes \{"outputs":\[\]\}, which is refused there: .*outputs/,
      [old, object({ outputs: list(ref("Output"), { minItems: 1 }) }, ["outputs"])],
    ],
    [
      "a text that is too long",
      { lift: { note: { $json: { $: "/content" } } } },
      "/lift/note",
      /becomes \{"note":"\[\{/,
      [old, object({ note: { type: "string", maxLength: 5 } })],
    ],
    [
      "two items that must differ",
      { lift: { names: { $join: [["a"], { $each: "/content", make: { $: "./type" } }] } } },
      "/lift/names",
      /\{"content":\[\{.*\},\{.*\}\]\} becomes \{"names":\["a","(?:text|image)","(?:text|image)"\]\}/,
      [old, object({ names: list(text, { uniqueItems: true }) })],
    ],
    [
      "the whole object in a member",
      { lift: { outputs: { $: "" } } },
      "/lift/outputs/$",
      /which cannot stand here/,
    ],
  ];

it.each(wrong)(
  "a wrong note is refused with its place: %s",
  (_, ways, at, message, schemas = [old, next]) => {
    const models = [
      answering("r1", schemas[0]!, more.old),
      answering("r2", schemas[1]!, more.next, reshaped(ways)),
    ] as const;
    const refusal = refusalOf(models) as CodedError;
    expect(refusal).toMatchObject({
      code: "MG1206",
      place: { file: "schema/r2/notes.json", pointer: `/notes/0${at}` },
    });
    expect(refusal.message).toMatch(message);
    expect(refusal.next).toBeTruthy();
  },
);

describe("a note", () => {
  const modelsOf = (before: JsonValue, after: JsonValue, notes: NoteText[]) =>
    [answering("r1", before, more.old), answering("r2", after, more.next, notes)] as const;

  it("is reported if it concerns no object of both revisions", () => {
    for (const target of ["/$defs/Output", "/$defs/DoRequest", "/$defs/ClientRequest"])
      expect(refusalOf(modelsOf(old, next, reshaped({ lift: { a: 1 } }, target)))).toMatchObject({
        code: "MG1203",
        place: { pointer: "/notes/0" },
      });
  });

  it("only applies to its own pair of revisions", () => {
    const notes = notesOf({ kind: "reshaped", previous: "r0", lift: { nothing: 1 } }) as NoteText[];
    expect(refusalOf(modelsOf(old, next, notes))).toBeUndefined();
  });

  it("passes if it is correct, and is lossless", () => {
    const models = modelsOf(old, next, reshaped({ lift, lower }));
    expect(refusalOf(models)).toBeUndefined();
    expect(lossyReshapes(...models)).toEqual([]);
  });

  it("is reported with a lost value if it is lossy", () => {
    const { structured: _, ...rest } = lower;
    const models = modelsOf(old, next, reshaped({ lift, lower: rest }));
    expect(refusalOf(models)).toBeUndefined();
    expect(lossyReshapes(...models)).toMatchObject([
      {
        pointer: "/notes/0",
        message: expect.stringMatching(/^\{"content":\[\],"structured":.*comes back/) as string,
      },
    ]);
  });

  it("converts even members that both revisions describe in the same way", async () => {
    const pair = object({ a: text, b: text }, ["a", "b"]);
    const swap = { a: { $: "/b" }, b: { $: "/a" } };
    const { lift: up } = await between(pair, pair, reshaped({ lift: swap, lower: swap }));
    expect(run(up, { a: "1", b: "2" })).toEqual({ value: { a: "2", b: "1" }, losses: [] });
  });

  it("does not change the output for other revisions", () => {
    const models = (notes: NoteText[]) => modelsOf(old, next, notes);
    const plain = stepFiles(...models([]));
    const other = notesOf({ kind: "reshaped", previous: "r0", lift }) as NoteText[];
    expect([...stepFiles(...models(other))]).toEqual([...plain]);
    expect(plain.get("r2/steps.ts")).not.toMatch(/reshaped|valueAt|given/);
  });
});
