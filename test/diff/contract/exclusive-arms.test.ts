import { expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import type { Contract } from "../../../generator/contract/contract.js";
import { diffContracts } from "../../../generator/diff/contract/diff-contracts.js";

// If an arm of `oneOf` becomes narrower, the union accepts values that two arms matched before. If an arm becomes
// wider, the union refuses values that now match two arms.

const page = (closed: boolean): JsonObject => ({
  type: "object",
  required: ["page"],
  properties: { page: { type: "string" } },
  ...(closed && { additionalProperties: false }),
});
const kind: JsonObject = { type: "object", required: ["kind"], properties: { kind: { const: "top" } } };

const unions: Readonly<Record<string, (arm: JsonObject) => JsonObject>> = {
  "at the place": (arm) => ({ oneOf: [arm, kind] }),
  "behind a reference": () => ({ $ref: "#/$defs/union" }),
  "in another union": (arm) => ({ anyOf: [{ oneOf: [arm, kind] }, { type: "string" }] }),
  "in a union that excludes no arm": (arm) => ({ anyOf: [arm, kind] }),
};

function contract(union: (arm: JsonObject) => JsonObject, closed: boolean): Contract {
  const inputSchema = {
    type: "object",
    required: ["parent"],
    properties: { parent: union({ $ref: "#/$defs/page" }) },
    $defs: { page: page(closed), union: { oneOf: [{ $ref: "#/$defs/page" }, kind] } },
  };
  return { name: "notes", version: "1", tools: [{ name: "move", inputSchema }] };
}

test.each(Object.entries(unions))(
  "%s, a changed arm affects the values of the other arms",
  (where, union) => {
    const isExclusive = where !== "in a union that excludes no arm";
    const rules = (before: boolean, after: boolean): string[] =>
      diffContracts(contract(union, before), contract(union, after)).map(
        ({ rule, level }) => `${rule} ${level.client} ${level.server}`,
      );
    expect(rules(false, true).filter((text) => text.startsWith("bound"))).toEqual(
      isExclusive ? ["bound-loosened safe dangerous"] : [],
    );
    expect(rules(true, false).filter((text) => text.startsWith("bound"))).toEqual(
      isExclusive ? ["bound-tightened breaking safe"] : [],
    );
  },
);
