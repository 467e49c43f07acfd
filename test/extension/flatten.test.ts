import { type JsonValue, canonicalise, readSchema } from "@mcpgen/engine";
import { expect, test } from "vitest";
import { flattened } from "../../generator/extension/flatten.js";

test("a long chain of definitions that extend one another becomes plain objects", () => {
  const length = 3000;
  const definitions: { [name: string]: JsonValue } = {
    D0: { type: "object", properties: { a: { type: "string" } } },
  };
  for (let at = 1; at < length; at++)
    definitions[`D${at}`] = { allOf: [{ $ref: `#/$defs/D${at - 1}` }, { type: "object", required: ["a"] }] };
  const schema = readSchema(canonicalise({ $defs: definitions }));
  // The last definition comes first: it needs all others.
  const flat = flattened(schema, new Set(Object.keys(definitions).reverse()));
  const last = flat.definitions.get(`D${length - 1}`)!;
  expect([...last.node.properties!.keys()]).toEqual(["a"]);
  expect(last.extends).toEqual([`D${length - 2}`]);
  expect([...flat.definitions.values()].filter(({ node }) => node.allOf)).toEqual([]);
});
