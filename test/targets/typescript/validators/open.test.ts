import { describe, expect, it } from "vitest";
import { compiled, validatorsOf } from "./emitted.js";
import { schemaFrom } from "../../../support/revisions.js";

const text = {
  type: "object",
  properties: { type: { const: "text" }, text: { type: "string" } },
  required: ["type", "text"],
};
const image = {
  type: "object",
  properties: { type: { const: "image" }, level: { $ref: "#/$defs/Level" } },
  required: ["type"],
};
const definitions = {
  Block: {
    anyOf: [
      { $ref: "#/$defs/Text" },
      { $ref: "#/$defs/Image" },
      { type: "array", items: { type: "string" } },
    ],
  },
  Image: image,
  Level: { enum: ["high", "low"] },
  List: { type: "array", items: { $ref: "#/$defs/Block" } },
  Loose: {
    anyOf: [
      { type: "string", minLength: 3 },
      { type: "object", properties: { v: { const: 2 }, a: { type: "string" } }, required: ["v", "a"] },
      { type: "object", properties: { v: { const: 2 }, b: { type: "string" } }, required: ["v", "b"] },
    ],
  },
  Mixed: { enum: ["a", 1] },
  Single: {
    type: "object",
    properties: { method: { const: "one" }, n: { type: "integer" } },
    required: ["method"],
  },
  Text: text,
};
const open = ["/$defs/Block", "/$defs/Level", "/$defs/Loose", "/$defs/Mixed", "/$defs/Single"];

describe("the open reading", () => {
  it("of an enum accepts any value of the types of its members", async () => {
    const { isLevel, acceptsLevel, acceptsMixed } = await compiled(definitions, open);
    expect([isLevel!("medium"), acceptsLevel!("medium"), acceptsLevel!(1)]).toEqual([false, true, false]);
    expect([acceptsMixed!("b"), acceptsMixed!(2), acceptsMixed!(null)]).toEqual([true, true, false]);
  });

  it("of a discriminated union accepts objects with an unlisted tag", async () => {
    const { isBlock, acceptsBlock } = await compiled(definitions, open);
    expect(acceptsBlock!({ type: "video", text: 1 })).toBe(true);
    expect(isBlock!({ type: "video" })).toBe(false);
    for (const refused of [{ type: 1 }, {}, { type: "text", text: 1 }, "video", [1], null])
      expect(acceptsBlock!(refused)).toBe(false);
    expect(acceptsBlock!(["a"])).toBe(true);
  });

  it("validates arms that are definitions by their own open reading", async () => {
    const { isBlock, acceptsBlock } = await compiled(definitions, open);
    const block = { type: "image", level: "medium" };
    expect([isBlock!(block), acceptsBlock!(block), acceptsBlock!({ type: "image", level: 1 })]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("reaches definitions that refer to something open", async () => {
    const { isList, acceptsList } = await compiled(definitions, open);
    expect([isList!([{ type: "video" }]), acceptsList!([{ type: "video" }])]).toEqual([false, true]);
  });

  it("of a union without a discriminator accepts values with the type and the common constants of an arm", async () => {
    const { acceptsLoose } = await compiled(definitions, open);
    expect([acceptsLoose!("x"), acceptsLoose!({ v: 2, c: 1 })]).toEqual([true, true]);
    expect([acceptsLoose!({ v: 3 }), acceptsLoose!(1), acceptsLoose!([])]).toEqual([false, false, false]);
  });

  it("of a union of one arm also accepts other tags", async () => {
    const { isSingle, acceptsSingle } = await compiled(definitions, open);
    expect([acceptsSingle!({ method: "two", n: "x" }), acceptsSingle!({ method: "one", n: 1 })]).toEqual([
      true,
      true,
    ]);
    expect([
      acceptsSingle!({ method: "one", n: "x" }),
      acceptsSingle!({ method: 1 }),
      isSingle!({ method: "two" }),
    ]).toEqual([false, false, false]);
  });

  it("of a union of one arm reaches into members", async () => {
    const inner = { type: "object", properties: { single: definitions.Single } };
    const { isA, acceptsA } = await compiled({ A: inner }, ["/$defs/A/properties/single"]);
    expect([isA!({ single: { method: "two" } }), acceptsA!({ single: { method: "two" } })]).toEqual([
      false,
      true,
    ]);
  });

  it("is the exact validator itself if nothing open is reached", async () => {
    const validators = await compiled(definitions, open);
    expect(validators["acceptsText"]).toBe(validators["isText"]);
    expect(validators["acceptsImage"]).not.toBe(validators["isImage"]);
    expect(validatorsOf(schemaFrom(definitions))).not.toContain("function accepts");
  });
});
