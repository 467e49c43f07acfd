import type { JsonValue } from "@mcpgen/engine";
import { expect, it } from "vitest";
import { likelyPartial } from "../../generator/model/page.js";
import { type NoteText, anyOf, built, message, methodOf, modelOf, object, ref } from "../support/models.js";

const text = { type: "string" };
const listOf = (items: JsonValue): JsonValue => ({ type: "array", items });

/** A list of things that may leave some out, and a request for one of them. */
const definitions: { [name: string]: JsonValue } = {
  ClientRequest: anyOf("ListRequest", "GetRequest", "OtherRequest"),
  ListRequest: message("things/list", { params: object({ cursor: text, query: text }) }),
  ListResult: object(
    { things: listOf(ref("ListedThing")), nextCursor: text, complete: { type: "boolean" } },
    ["things"],
  ),
  ListedThing: anyOf("Thing", "ThingReference"),
  Thing: object({ id: text, body: object({}) }, ["id", "body"]),
  ThingReference: object({ id: text }, ["id"]),
  GetRequest: message("things/get", { params: object({ _meta: object({}), id: text }, ["_meta", "id"]) }, [
    "params",
  ]),
  GetResult: object({ thing: ref("Thing") }, ["thing"]),
  OtherRequest: message("other", { params: object({ a: text, id: text }, ["a", "id"]) }, ["params"]),
  OtherResult: object({ thing: ref("Thing") }, ["thing"]),
};

const note = {
  kind: "partial",
  targets: ["things/list"],
  member: "/complete",
  means: false,
  item: "/$defs/ThingReference",
  get: "things/get",
} as const;

const pageOf = (more: { [name: string]: JsonValue } = {}, notes: readonly NoteText[] = [note]) => {
  const { model, problems } = built({ ...definitions, ...more }, notes);
  expect(problems).toEqual([]);
  return methodOf(model, "things/list").page;
};

it("has the definitions of whole entries and of references", () => {
  expect(pageOf()).toEqual({
    member: "things",
    item: "Thing",
    partial: {
      member: "/complete",
      means: false,
      reference: { definition: "ThingReference", whole: { key: "body" } },
      get: { method: "things/get", param: "id", key: "id", member: "thing" },
    },
  });
});

it("may lack a reference, a request for an entry and a value", () => {
  const plain = { ListedThing: ref("Thing") };
  const { kind, targets, member } = note;
  expect(pageOf(plain, [{ kind, targets, member }])?.partial).toEqual({ member: "/complete" });
});

it.each<[string, { [name: string]: JsonValue }, object]>([
  [
    "a list of the entry alone",
    { GetResult: object({ all: listOf(ref("Thing")) }, ["all"]) },
    { member: "all" },
  ],
  ["the result itself", { GetResult: object({ id: text, body: object({}) }, ["id", "body"]) }, {}],
])("reads an entry from %s", (_, more, place) => {
  expect(pageOf(more)?.partial?.get).toEqual({ method: "things/get", param: "id", key: "id", ...place });
});

it.each<[string, JsonValue, object]>([
  ["of another name", text, { param: "thing" }],
  ["that is a list", listOf(text), { param: "thing", many: true }],
])("names an entry by a param %s", (_, type, param) => {
  const params = object({ thing: type }, ["thing"]);
  const more = { GetRequest: message("things/get", { params }, ["params"]) };
  expect(pageOf(more)?.partial?.get).toEqual({ method: "things/get", ...param, key: "id", member: "thing" });
});

it("knows whole entries by a constant", () => {
  const kind = (value: string): JsonValue => ({ const: value });
  const more = {
    Thing: object({ id: text, kind: kind("whole") }, ["id", "kind"]),
    ThingReference: object({ id: text, kind: kind("reference") }, ["id", "kind"]),
  };
  expect(pageOf(more)?.partial?.reference).toEqual({
    definition: "ThingReference",
    whole: { key: "kind", value: "whole" },
  });
});

it.each<[string, Partial<NoteText> & object, RegExp]>([
  ["a method that is no list", { targets: ["things/get"] }, /reads a list page by page/],
  ["a member that is not there", { member: "/whole" }, /no member at \/whole/],
  ["a value that it never has", { means: "no" }, /never "no"/],
  ["a definition that is no item", { item: "/$defs/GetResult" }, /no item of the list/],
  ["a request that is not there", { get: "things/fetch" }, /no request "things\/fetch"/],
  ["a request that takes more than a name", { get: "other" }, /exactly one param/],
])("a note is refused for %s", (_, change, problem) => {
  const { problems } = built(definitions, [{ ...note, ...change } as NoteText]);
  expect(problems).toMatchObject([{ code: "MG1202", message: expect.stringMatching(problem) as string }]);
});

it("a new flag suggests the note, and a flag that was there before does not", () => {
  const { model } = built(definitions);
  const list = methodOf(model, "things/list");
  const { kind: _, targets: __, ...said } = note;
  const older = modelOf({
    ...definitions,
    ListResult: object({ things: listOf(ref("Thing")), nextCursor: text }, ["things"]),
  });
  expect(likelyPartial(model, list, older)).toEqual(said);
  expect(likelyPartial(model, list, undefined)).toEqual(said);
  expect(likelyPartial(model, list, model)).toBeUndefined();
  expect(likelyPartial(model, methodOf(model, "things/get"), undefined)).toBeUndefined();
});

it("a note is refused for a result without an entry, and beside another note on the same list", () => {
  const nothing = built({ ...definitions, GetResult: object({ text }) }, [note]).problems;
  expect(nothing).toMatchObject([{ code: "MG1202", message: "the result of things/get holds no Thing" }]);
  expect(built(definitions, [note, note]).problems).toMatchObject([{ code: "MG1203" }]);
});
