// The members that clients read from items of lists, also if an item may be one of several definitions.
import type { JsonValue } from "@mcpgen/engine";
import { expect, it } from "vitest";
import { authoredSchema } from "../../../../generator/targets/typescript/authoring/authored-schema.js";
import { listedMembers } from "../../../../generator/targets/typescript/authoring/listed-members.js";
import { anyOf, message, modelOf, object, ref } from "../../../support/models.js";

const text = { type: "string" };
const listing = (items: JsonValue, more: { [name: string]: JsonValue } = {}): string[] => {
  const model = modelOf({
    ListRequest: message("tools/list", { params: object({ cursor: text }) }),
    ClientRequest: anyOf("ListRequest"),
    ListResult: object({ nextCursor: text, tools: { type: "array", items } }, ["tools"]),
    Tool: object({ name: text, icon: ref("Icon") }, ["name"]),
    Reference: object({ ref: text }, ["ref"]),
    Icon: object({ src: text }),
    ...more,
  });
  return listedMembers(model, authoredSchema(model)).map(({ place }) => place.definition);
};

it.each<[string, JsonValue, { [name: string]: JsonValue }]>([
  ["one definition", ref("Tool"), { Reference: object({}) }],
  ["an alias of it", ref("Alias"), { Alias: ref("Tool") }],
])("has the members of %s", (_, items, more) => {
  expect(listing(items, more)).toEqual(["Tool", "Icon"]);
});

it.each<[string, JsonValue, { [name: string]: JsonValue }]>([
  ["a union in place", anyOf("Tool", "Reference"), {}],
  ["a union with a name", ref("Listed"), { Listed: anyOf("Tool", "Reference") }],
  ["a union of unions", ref("Listed"), { Listed: anyOf("Whole", "Reference"), Whole: ref("Tool") }],
])("has the members of each arm of %s", (_, items, more) => {
  expect(listing(items, more).sort()).toEqual(["Icon", "Reference", "Tool"]);
});
