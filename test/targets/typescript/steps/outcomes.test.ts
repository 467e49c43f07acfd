import { type JsonObject, type JsonValue } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { planSteps } from "../../../../generator/targets/typescript/steps/methods.js";
import { refuseProblems } from "../../../../generator/targets/typescript/steps/problems.js";
import type { ProtocolModel } from "../../../../generator/model/model.js";
import { type NoteText, object } from "../../../support/models.js";
import { answering, between, expectSame } from "./between.js";
import { deepFrozen } from "./protocol.js";

const text = { type: "string" };
const lower = (target: string, outcome: object): NoteText =>
  ({ kind: "lower", targets: [target], previous: "r1", ...outcome }) as unknown as NoteText;
const place = "/$defs/DoResult/properties/value";

it("a member that the newer revision forbids is left out, and reported", async () => {
  const { lift, lower: down } = await between(object({ value: text }), object({ value: false }));
  expectSame(lift, { other: 1 });
  expect(lift({ value: "a", other: 1 })).toEqual({
    value: { other: 1 },
    losses: [{ pointer: "/value", what: "value", how: "dropped" }],
  });
  expectSame(down, { other: 1 });
});

describe("a value that the older revision does not accept", () => {
  it("is refused without a note about the pair", async () => {
    const { lower: down } = await between(
      object({ value: { enum: ["a"] } }),
      object({ value: { enum: ["a", "b"] } }),
    );
    expectSame(down, { value: "a" });
    expect(down({ value: "b" })).toEqual({ refused: "no-older-form", at: "/value" });
  });

  it("is refused with the code of the note", async () => {
    const note = lower(place, { how: "refuse", code: "too-new" });
    const { lower: down } = await between(
      object({ value: { type: "integer" } }),
      object({ value: { type: "number" } }),
      [note],
    );
    expectSame(down, { value: 1 });
    expect(down({ value: 0.5 })).toEqual({ refused: "too-new", at: "/value" });
  });

  it("is dropped, and reported as a loss", async () => {
    const note = lower(place, { how: "drop" });
    const { lower: down } = await between(
      object({ value: text }),
      object({ value: { type: ["string", "null"] } }),
      [note],
    );
    expectSame(down, { value: "a", other: 1 });
    expect(down({ value: null, other: 1 })).toEqual({
      value: { other: 1 },
      losses: [{ pointer: "/value", what: "value", how: "dropped" }],
    });
  });

  it("is truncated if a list is too long", async () => {
    const note = lower(place, { how: "drop" });
    const list = (maxItems: number): JsonValue =>
      object({ value: { type: "array", items: text, maxItems } }, ["value"]);
    const { lower: down } = await between(list(2), list(5), [note]);
    expectSame(down, { value: ["a", "b"] });
    expect(down({ value: ["a", "b", "c"] })).toMatchObject({
      value: { value: ["a", "b"] },
      losses: [{ pointer: "/value" }],
    });
  });

  it("is replaced by the fill value", async () => {
    const note = lower(place, { how: "fill", value: { a: [1] } });
    const { lower: down } = await between(object({ value: { type: "object" } }), object({ value: {} }), [
      note,
    ]);
    expectSame(down, { value: {} });
    expect(down({ value: true })).toMatchObject({
      value: { value: { a: [1] } },
      losses: [{ pointer: "/value", how: "filled" }],
    });
  });

  it("is replaced by the note's case for it", async () => {
    const cases = [{ of: false, value: { not: {} } }];
    const note = lower(place, { how: "fill", value: {}, cases });
    const { lower: down } = await between(object({ value: { type: "object" } }), object({ value: {} }), [
      note,
    ]);
    expect(down({ value: false })).toEqual({
      value: { value: { not: {} } },
      losses: [{ pointer: "/value", what: "value", how: "filled" }],
    });
    expect(down({ value: true })).toMatchObject({ value: { value: {} } });
  });
});

describe("arms of a union", () => {
  const arm = (tag: string, more: { [name: string]: JsonValue } = {}): JsonValue =>
    object({ type: { const: tag, type: "string" }, ...more }, ["type", ...Object.keys(more)]);
  const block = { items: { anyOf: [arm("text", { text }), arm("link", { uri: text })] }, type: "array" };
  const older = object({ value: { type: "array", items: arm("text", { text }) } });

  it("become text, made from their members", async () => {
    const note = lower("/$defs/DoResult/properties/value/items/anyOf/1", {
      how: "text",
      text: "see `{uri}` ${ \\",
    });
    const { lower: down } = await between(older, object({ value: block }), [note]);
    expectSame(down, { value: [{ type: "text", text: "a" }] });
    expect(
      down({
        value: [
          { type: "text", text: "a" },
          { type: "link", uri: "u" },
        ],
      }),
    ).toMatchObject({
      value: {
        value: [
          { type: "text", text: "a" },
          { type: "text", text: "see `u` ${ \\" },
        ],
      },
      losses: [{ pointer: "/value/1", how: "text" }],
    });
  });

  const listOf = (items: JsonValue): JsonValue => object({ value: { type: "array", items } });
  const textFor = (
    members: { [name: string]: JsonValue },
    said: string,
    required: string[] = Object.keys(members),
  ) => {
    const Data = object({ type: { const: "data", type: "string" }, ...members }, ["type", ...required]);
    const note = lower("/$defs/Data", { how: "text", text: said });
    const next = listOf({ anyOf: [arm("text", { text }), { $ref: "#/$defs/Data" }] });
    return { older: listOf(arm("text", { text })), next, more: { Data }, note };
  };

  it.each<[string, JsonValue, JsonValue, string]>([
    ["an object", { type: "object" }, { a: [1] }, '{"a":[1]}'],
    ["a list", { type: "array" }, ["a", "b"], '["a","b"]'],
    ["anything, here a string", {}, "a", "a"],
    ["anything, here null", {}, null, "null"],
    ["a number", { type: "number" }, 1.5, "1.5"],
    ["a string or an object", { type: ["string", "object"] }, "a", "a"],
    ["a string or an object, here an object", { type: ["string", "object"] }, { a: 1 }, '{"a":1}'],
  ])("contain %s in a form that readers can use", async (_, schema, value, shown) => {
    const { older: before, next, more, note } = textFor({ data: schema }, "<{data}>");
    const { lower: down } = await between(before, next, [note], { next: more });
    expect(down({ value: [{ type: "data", data: value }] })).toMatchObject({
      value: { value: [{ type: "text", text: `<${shown}>` }] },
      losses: [{ pointer: "/value/0", how: "text" }],
    });
  });

  it.each([
    ["may be absent", { data: text }, [], 'its member "data" may be absent'],
    ["does not exist", { other: text }, ["other"], 'it has no member "data"'],
  ])("do not contain a member that %s", (_, members, required, why) => {
    const { older: before, next, more, note } = textFor(members, "<{data}>", required);
    const [old, model] = [answering("r1", before), answering("r2", next, more, [note])];
    expect(() => refuseProblems(planSteps(old, model), model, old, "schema/r2")).toThrow(
      expect.objectContaining({ code: "MG1206", message: expect.stringContaining(why) as string }) as Error,
    );
  });

  it("are removed from a list", async () => {
    const note = lower("/$defs/DoResult/properties/value/items/anyOf/1", { how: "drop" });
    const { lower: down } = await between(older, object({ value: block }), [note]);
    expect(
      down({
        value: [
          { type: "link", uri: "u" },
          { type: "text", text: "a" },
        ],
      }),
    ).toMatchObject({
      value: { value: [{ type: "text", text: "a" }] },
      losses: [{ pointer: "/value/0", how: "dropped" }],
    });
  });

  it("of lists become their item, if there is one", async () => {
    const next = object({
      value: { anyOf: [arm("text", { text }), { type: "array", items: arm("text", { text }) }] },
    });
    const { lower: down } = await between(object({ value: arm("text", { text }) }), next);
    expect(down({ value: [{ type: "text", text: "a" }] })).toMatchObject({
      value: { value: { type: "text", text: "a" } },
    });
    expect(down({ value: [] })).toEqual({ refused: "no-older-form", at: "/value" });
  });
});

describe("members", () => {
  it("that only the older side describes are left out if they do not match", async () => {
    const { lower: down } = await between(object({ value: text }), object({}));
    expectSame(down, { value: "a" });
    expect(down({ value: 1 })).toMatchObject({ value: {}, losses: [{ pointer: "/value" }] });
  });

  it("that are required are filled in with their constant, or the message is refused", async () => {
    const tagged = object({ kind: { const: "x", type: "string" } }, ["kind"]);
    expect((await between(tagged, object({}))).lower({})).toMatchObject({ value: { kind: "x" } });
    expect((await between(object({ value: text }, ["value"]), object({}))).lower({})).toEqual({
      refused: "no-older-form",
      at: "/value",
    });
    const note = lower(place, { how: "fill", value: "" });
    const filled = await between(object({ value: text }, ["value"]), object({ value: text }), [note]);
    expect(filled.lower({})).toMatchObject({ value: { value: "" } });
  });

  it("that only the newer side describes are left out, unless a note keeps them", async () => {
    const [old, next] = [object({ a: text }), object({ a: text, value: text, other: text })];
    const { lower: down, lift: up } = await between(old, next);
    expectSame(down, { a: "a", unknown: 1 });
    const both = deepFrozen({ a: "a", other: "b", value: "c" });
    expect(down(both)).toEqual({
      value: { a: "a" },
      losses: [
        { pointer: "/other", what: "other", how: "dropped" },
        { pointer: "/value", what: "value", how: "dropped" },
      ],
    });
    expectSame(up, both);
    const { lower: keeping } = await between(old, next, [lower(place, { how: "keep" })]);
    expect(keeping(both)).toMatchObject({ value: { a: "a", value: "c" }, losses: [{ pointer: "/other" }] });
  });

  it("of maps are also left out if only the newer side names them", async () => {
    const map = { type: "object", additionalProperties: text };
    const { lower: down } = await between(map, { ...map, properties: { value: text } });
    expect(down(deepFrozen({ value: "a", other: "b" }))).toMatchObject({ value: { other: "b" } });
  });

  it("that no schema describes are left out if the older side is closed", async () => {
    const closed = { type: "object", properties: { a: text }, additionalProperties: false };
    const { lower: down } = await between(closed, object({ a: text }));
    expectSame(down, { a: "a" });
    const value = JSON.parse('{"a":"a","__proto__":1,"x/y":2}') as object;
    expect(down(deepFrozen(value))).toMatchObject({
      value: { a: "a" },
      losses: [{ pointer: "/__proto__" }, { pointer: "/x~1y" }],
    });
  });

  it("of maps are checked one by one, whatever their names", async () => {
    const map = (value: JsonValue): JsonValue =>
      object({ value: { type: "object", additionalProperties: value } });
    const note = lower(`${place}/additionalProperties`, { how: "drop" });
    const { lower: down } = await between(map(text), map({ type: ["string", "number"] }), [note]);
    expectSame(down, { value: JSON.parse('{"__proto__":"a","constructor":"b"}') as object });
    const outcome = down(
      deepFrozen({ value: JSON.parse('{"__proto__":"a","constructor":1,"b":"c"}') as object }),
    );
    const { value } = (outcome as { value: { value: object } }).value;
    expect(Object.entries(value)).toEqual([
      ["__proto__", "a"],
      ["b", "c"],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("with the names of inherited members are the object's own", async () => {
    const own = (name: string): JsonValue =>
      JSON.parse(`{"type":"object","properties":{"${name}":{"type":"string"}}}`) as JsonValue;
    for (const name of ["__proto__", "constructor", "toString"]) {
      const { lower: down } = await between(own(name), object({}));
      expectSame(down, {});
      const outcome = down(deepFrozen(JSON.parse(`{"${name}":1,"a":{}}`) as object)) as { value: object };
      expect(Object.keys(outcome.value)).toEqual(["a"]);
      expect(Object.getPrototypeOf(outcome.value)).toBe(Object.prototype);
    }
  });
});

describe("depth", () => {
  const tree = (leaf: JsonValue): JsonValue =>
    object({ leaf, children: { type: "array", items: { $ref: "#/$defs/DoResult" } } });

  it("of a recursive definition is followed", async () => {
    const { lower: down } = await between(tree({ enum: ["a"] }), tree({ enum: ["a", "b"] }));
    const nested = (leaf: string, depth: number): object =>
      depth === 0 ? { leaf } : { children: [nested(leaf, depth - 1)] };
    expectSame(down, nested("a", 400));
    expect(down(nested("b", 2))).toEqual({ refused: "no-older-form", at: "/children/0/children/0/leaf" });
  });

  it("of an unrestricted value does not matter, because the value is not read", async () => {
    const both = (value: JsonValue): JsonValue => object({ any: {}, value });
    const { lower: down } = await between(both({ enum: ["a"] }), both({ enum: ["a", "b"] }));
    let any: JsonValue = [];
    for (let depth = 0; depth < 100_000; depth++) any = [any];
    const value = { any, value: "a" };
    expect(down(value)).toEqual({ value, losses: [] });
  });
});

describe("notes on steps", () => {
  const problem = (old: JsonValue, next: JsonValue, ...notes: NoteText[]): string => {
    const models = [answering("r1", old), answering("r2", next, {}, notes)] as const;
    try {
      refuseProblems(planSteps(...models), models[1], models[0], "schema/r2");
    } catch (error) {
      return (error as { code: string }).code;
    }
    return "none";
  };
  const older = object({ value: { enum: ["a"] }, other: { enum: ["a"] } }, ["value"]);
  const newer = object({ value: { enum: ["a", "b"] }, other: { enum: ["a", "b"] } }, ["value"]);
  const onOther = lower("/$defs/DoResult/properties/other", { how: "drop" });

  it("must cover every value if one of them concerns the pair", () => {
    expect(problem(older, newer)).toBe("none");
    expect(problem(older, newer, onOther)).toBe("MG1205");
    expect(problem(older, newer, onOther, lower(place, { how: "refuse", code: "a" }))).toBe("none");
  });

  it("must have an effect", () => {
    expect(problem(older, older, onOther)).toBe("MG1203");
    expect(problem(older, newer, lower("/$defs/Nothing", { how: "drop" }))).toBe("MG1203");
  });

  it("must be possible", () => {
    expect(problem(older, newer, lower(place, { how: "drop" }))).toBe("MG1206");
    expect(problem(older, newer, onOther, lower(place, { how: "text", text: "a" }))).toBe("MG1206");
    expect(problem(older, newer, onOther, lower(place, { how: "keep" }))).toBe("MG1206");
    const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
    const [block, list] = [object({ value: text }), object({ value: { anyOf: [text, { type: "array" }] } })];
    expect(problem(block, list, lower(place, { how: "text", text: "a list" }))).toBe("none");
    expect(problem(block, list, lower(place, { how: "text", text: "a list of {uri}" }))).toBe("MG1206");
  });

  it("must leave a result for every message", () => {
    const arm = (member: string): JsonValue => object({ [member]: text }, [member]);
    const either = { anyOf: [{ $ref: "#/$defs/One" }, { $ref: "#/$defs/Other" }] };
    const models = (how: object): [ProtocolModel, ProtocolModel] => [
      answering("r1", arm("value")),
      answering("r2", either, { One: arm("value"), Other: arm("other") }, [lower("/$defs/Other", how)]),
    ];
    const refuse = ([old, model]: [ProtocolModel, ProtocolModel]): void =>
      refuseProblems(planSteps(old, model), model, old, "schema/r2");
    expect(() => refuse(models({ how: "drop" }))).toThrow(
      expect.objectContaining({
        code: "MG1206",
        message: expect.stringContaining("left out") as string,
      }) as Error,
    );
    refuse(models({ how: "refuse", code: "other" }));
  });

  it("only apply to their own pair", () => {
    expect(problem(older, newer, { ...onOther, previous: "r0" } as unknown as NoteText)).toBe("none");
  });
});

it("an arm is not taken for another whose mark it never has, even if its own mark is optional", async () => {
  const arm = (mode: string, members: JsonObject, required: string[]): JsonObject => ({
    type: "object",
    properties: { text: { type: "string" }, mode: { const: mode }, ...members },
    required: ["text", ...required],
  });
  const url = arm("url", { url: { type: "string" } }, ["mode", "url"]);
  const form = { fields: { type: "array" } };
  const { lower } = await between(
    { anyOf: [arm("form", form, ["fields"]), url] },
    { anyOf: [arm("form", { fields: false }, []), url] },
  );
  expect(lower({ text: "t", mode: "url", url: "u" })).toMatchObject({ value: { url: "u" }, losses: [] });
  for (const value of [{ text: "t" }, { text: "t", mode: "form" }])
    expect(lower(value)).toEqual({ refused: "no-older-form", at: "/fields" });
});

it("a value belongs to the arm with its mark, even if another arm accepts any mark", async () => {
  const arm = (type: JsonObject, required: string[] = []): JsonObject => ({
    type: "object",
    properties: { type, data: { type: "string" }, width: { type: "integer" } },
    required: ["type", "data", ...required],
  });
  const [image, audio] = [{ const: "image" }, { const: "audio" }];
  const older = { anyOf: [arm(image), arm(audio)] };
  const { lower } = await between(older, { anyOf: [arm({ type: "string" }), arm(audio)] });
  expect(lower({ type: "audio", data: "d" })).toEqual({ value: { type: "audio", data: "d" }, losses: [] });
  expect(lower({ type: "video", data: "d" })).toEqual({ refused: "no-older-form", at: "/type" });
  // The arm with the mark refuses a value that the other one takes.
  const narrow = { anyOf: [arm(image), arm(audio, ["width"])] };
  const { lower: among } = await between(narrow, {
    anyOf: [arm({ type: "string" }), arm(audio, ["width"])],
  });
  expect(among({ type: "audio", data: "d" })).toEqual({ refused: "no-older-form", at: "/type" });
});

it("a value that another arm takes as it is passes, where its arm would refuse it", async () => {
  const text = { type: "object", properties: { type: { const: "string" } }, required: ["type"] };
  const choice = (title: JsonObject): JsonObject => ({
    type: "object",
    properties: { type: { const: "string" }, title, enum: { type: "array", items: { type: "string" } } },
    required: ["type", "enum"],
  });
  const [named, counted] = [choice({ type: "string" }), choice({ type: "integer" })];
  const { lower } = await between({ anyOf: [text, counted] }, { anyOf: [text, named] });
  const value = { type: "string", enum: ["a"], title: "A" };
  expect(lower(value)).toEqual({ value, losses: [] });
  // No other arm takes it.
  const closed = { ...text, additionalProperties: false };
  const { lower: alone } = await between({ anyOf: [closed, counted] }, { anyOf: [closed, named] });
  expect(alone(value)).toMatchObject({ refused: "no-older-form" });
});
