// The list in a result that comes page by page, however its items are written.
import type { JsonValue } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { anyOf, message, methodOf, modelOf, object, ref } from "../support/models.js";

const text = { type: "string" };
const list = (items: JsonValue): JsonValue => ({ type: "array", items });
const paged = (
  members: { [name: string]: JsonValue },
  required: string[] = Object.keys(members),
  more: { [name: string]: JsonValue } = {},
): { [name: string]: JsonValue } => ({
  ListRequest: message("things/list", { params: object({ cursor: text }) }),
  ClientRequest: anyOf("ListRequest"),
  ListResult: object({ nextCursor: text, ...members }, required),
  Thing: object({ name: text }, ["name"]),
  Reference: object({ ref: text }, ["ref"]),
  ...more,
});
const pageIn = (definitions: { [name: string]: JsonValue }) =>
  methodOf(modelOf(definitions), "things/list").page;
const assumed = (definitions: { [name: string]: JsonValue }) =>
  modelOf(definitions).assumptions.flatMap(({ kind, text: said }) => (kind === "page" ? [said] : []));

describe("a page", () => {
  it("has a definition for its items", () => {
    const definitions = paged({ things: list(ref("Thing")) });
    expect(pageIn(definitions)).toEqual({ member: "things", item: "Thing" });
    expect(assumed(definitions)).toEqual([]);
  });

  it("has a named union for its items if they refer to one", () => {
    const definitions = paged({ things: list(ref("Listed")) }, ["things"], {
      Listed: anyOf("Thing", "Reference"),
    });
    expect(pageIn(definitions)).toEqual({ member: "things", item: "Listed" });
  });

  it.each([
    ["a union", anyOf("Thing", "Reference")],
    ["an exclusive union", { oneOf: [ref("Thing"), ref("Reference")] }],
    ["an object", object({ own: text })],
    ["a definition with more members", { allOf: [ref("Thing"), object({ more: text })] }],
  ])("has a new definition if the items are %s that is written inline", (_, items) => {
    const definitions = paged({ things: list(items) });
    const model = modelOf(definitions);
    expect(methodOf(model, "things/list").page).toEqual({ member: "things", item: "ListResultThingsItem" });
    const node = model.schema.definitions.get("ListResult")!.node.properties!.get("things")!;
    expect(node.items).toEqual({
      pointer: "/$defs/ListResult/properties/things/items",
      ref: "ListResultThingsItem",
    });
    expect(model.schema.definitions.get("ListResultThingsItem")!.node.pointer).toBe(node.items!.pointer);
    expect(assumed(definitions)).toEqual([
      "The items of things have no definition; it is named ListResultThingsItem.",
    ]);
  });

  it("gets a name that the schema does not have", () => {
    const definitions = paged({ things: list(anyOf("Thing", "Reference")) }, ["things"], {
      ListResultThingsItem: object({}),
    });
    expect(pageIn(definitions)!.item).toBe("ListResultThingsItem2");
  });

  it("is found if the list itself has a name, or is optional", () => {
    expect(pageIn(paged({ things: ref("Things") }, ["things"], { Things: list(ref("Thing")) }))).toEqual({
      member: "things",
      item: "Thing",
    });
    expect(pageIn(paged({ things: list(ref("Thing")) }, []))).toEqual({ member: "things", item: "Thing" });
  });

  it("has the list that the method names if there are two, which is reported", () => {
    const definitions = paged({ references: list(ref("Reference")), things: list(ref("Thing")) });
    expect(pageIn(definitions)).toEqual({ member: "things", item: "Thing" });
    expect(assumed(definitions)).toEqual([
      "Of references, things, things is taken for its list, after the method.",
    ]);
  });

  it("does not exist without a list, or if the list is ambiguous; both are reported", () => {
    const two = paged({ one: list(ref("Thing")), two: list(ref("Thing")) });
    expect(pageIn(two)).toBeUndefined();
    expect(assumed(two)[0]).toContain("nothing says which of one, two is its list");
    const none = paged({ count: { type: "integer" } });
    expect(pageIn(none)).toBeUndefined();
    expect(assumed(none)[0]).toContain("no list");
  });
});
