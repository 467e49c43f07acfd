// Null for optional arguments, as hosts in the strict mode of OpenAI send it.
import { serverRevisions } from "@mcpgen/protocol";
import { clientRevisions } from "@mcpgen/protocol/client";
import { type ServerEvent, type ServerOptions, createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { cases, seed } from "../../support/cases.mjs";

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type Schema = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const count = { type: "integer", minimum: 1 };
const object = (properties: Schema, required: readonly string[] = [], more: Schema = {}): Schema => ({
  type: "object",
  properties,
  required,
  ...more,
});

/** The arguments of the handler, if it ran, and the members that events name. */
async function called(inputSchema: unknown, args: Json, options: Partial<ServerOptions> = {}) {
  const events: ServerEvent[] = [];
  let got: unknown = "refused";
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions, ...options });
  server.onEvent((event) => void events.push(event));
  server.tool("t", { inputSchema: inputSchema as never }, (given) => {
    got = given;
    return "ran";
  });
  const { client, close } = await createTestPair({
    server,
    revisions: clientRevisions,
    revision: "2025-11-25",
  });
  const { isError, content } = await client.callTool("t", args as never);
  await close();
  expect(isError === true).toBe(got === "refused");
  const ignored = events.flatMap((event) => (event.type === "nulls-ignored" ? event.members : []));
  return { got, ignored, text: JSON.stringify(content) };
}

const filter = object({ from: text, to: text });
const shapes = {
  anyOf: [
    object({ kind: { const: "circle" }, label: text }, ["kind"]),
    object({ kind: { const: "square" }, label: text, side: count }, ["kind"]),
  ],
};

const absent: [title: string, schema: Schema, given: Json, expected: Json][] = [
  ["a member", object({ steps: count }), { steps: null }, {}],
  ["one of several", object({ a: text, b: text }, ["a"]), { a: "x", b: null }, { a: "x" }],
  ["a choice", object({ mode: { enum: ["a", "b"] } }), { mode: null }, {}],
  ["a constant", object({ mode: { const: "a" } }), { mode: null }, {}],
  ["inside an object", object({ filter }), { filter: { from: null, to: "b" } }, { filter: { to: "b" } }],
  ["an object", object({ filter }), { filter: null }, {}],
  [
    "inside items",
    object({ list: { type: "array", items: filter } }),
    { list: [{ from: null }, { to: "b" }] },
    { list: [{}, { to: "b" }] },
  ],
  [
    "inside a tuple",
    object({ pair: { type: "array", prefixItems: [filter, text] } }),
    { pair: [{ from: null }, "a"] },
    { pair: [{}, "a"] },
  ],
  [
    "through a reference",
    { ...object({ filter: { $ref: "#/$defs/Filter" } }), $defs: { Filter: filter } },
    { filter: { from: null } },
    { filter: {} },
  ],
  [
    "through a reference to a member",
    { ...object({ a: { $ref: "#/$defs/Text" } }), $defs: { Text: text } },
    { a: null },
    {},
  ],
  [
    "through a reference with an encoded character",
    { ...object({ a: { $ref: "#/$defs/a%20text" } }), $defs: { "a text": text } },
    { a: null },
    {},
  ],
  [
    "in a tree",
    {
      ...object({ tree: { $ref: "#/$defs/Tree" } }),
      $defs: { Tree: object({ name: text, nodes: { type: "array", items: { $ref: "#/$defs/Tree" } } }) },
    },
    { tree: { name: null, nodes: [{ name: "a", nodes: null }] } },
    { tree: { nodes: [{ name: "a" }] } },
  ],
  [
    "in all of several schemas",
    { ...object({ a: text }), allOf: [object({ b: count })] },
    { a: null, b: null },
    {},
  ],
  [
    "in the alternative that fits",
    object({ shape: shapes }),
    { shape: { kind: "square", label: null, side: null } },
    { shape: { kind: "square" } },
  ],
  [
    "in an object that may be null",
    object({ filter: { anyOf: [filter, { type: "null" }] } }),
    { filter: { from: null } },
    { filter: {} },
  ],
  [
    "beside members of any name",
    object({ a: text }, [], { additionalProperties: { type: "string" } }),
    { a: null, b: "x" },
    { b: "x" },
  ],
];

const kept: [title: string, schema: Schema, given: Json][] = [
  ["that its schema takes", object({ a: { type: ["string", "null"] } }), { a: null }],
  ["that an alternative takes", object({ a: { anyOf: [text, { type: "null" }] } }), { a: null }],
  ["of a member without a schema", object({ a: {} }), { a: null }],
  ["of a member that no schema names", object({ a: text }), { b: null }],
  ["in an item", object({ list: { type: "array", items: { type: ["string", "null"] } } }), { list: [null] }],
];

const refused: [title: string, schema: Schema, given: Json][] = [
  ["that is required", object({ a: text }, ["a"]), { a: null }],
  ["that another schema requires", { ...object({ a: text }), allOf: [{ required: ["a"] }] }, { a: null }],
  [
    "that a referred schema requires",
    { ...object({ a: text }), $ref: "#/$defs/R", $defs: { R: { required: ["a"] } } },
    { a: null },
  ],
  [
    "below additionalProperties",
    object({ map: { type: "object", additionalProperties: text } }),
    { map: { a: null } },
  ],
  [
    "deeper below additionalProperties",
    object({ map: { type: "object", additionalProperties: filter } }),
    { map: { a: { from: null } } },
  ],
  [
    "below patternProperties",
    object({ map: { type: "object", patternProperties: { "^a": text } } }),
    { map: { a: null } },
  ],
  ["that is an item", object({ list: { type: "array", items: text } }), { list: [null] }],
  [
    "where several alternatives fit",
    {
      type: "object",
      oneOf: [object({ a: text, b: text }), object({ a: count, b: text })],
      anyOf: [object({ b: text }), object({ b: count })],
    },
    { b: null },
  ],
  ["beside another mistake", object({ a: text, b: count }), { a: null, b: "x" }],
];

describe("null counts as absent", () => {
  test.each(absent)("%s", async (_, schema, given, expected) => {
    const { got, ignored } = await called(schema, given);
    expect(got).toEqual(expected);
    expect(ignored.length).toBeGreaterThan(0);
    expect((await called(schema, given, { validation: { nulls: "reject" } })).got).toBe("refused");
  });

  test("names the members in the event", async () => {
    const { ignored } = await called(object({ a: text, filter }), { a: null, filter: { from: null } });
    expect(ignored).toEqual(["/a", "/filter/from"]);
  });

  test("for schemas of libraries, whose defaults then apply", async () => {
    const schema = z.object({
      steps: z.int().min(1).default(3),
      note: z.string().optional(),
      any: z.string().nullish(),
    });
    expect((await called(schema, { steps: null, note: null, any: null })).got).toEqual({
      steps: 3,
      any: null,
    });
    expect((await called(z.object({ a: z.string() }), { a: null })).got).toBe("refused");
  });
});

test.each(kept)("a null %s stays", async (_, schema, given) => {
  expect(await called(schema, given)).toMatchObject({ got: given, ignored: [] });
});

test.each(refused)("a null %s is refused", async (_, schema, given) => {
  expect((await called(schema, given)).got).toBe("refused");
});

test("the answer names the faults other than the nulls", async () => {
  const { text: answer } = await called(object({ a: text, b: count }), { a: null, b: "x" });
  expect(answer).toContain("b: expected integer");
  expect(answer).not.toContain("a: expected");
});

// For an object with optional members, null and an absent member have the same result.
test("a call with nulls is a call without these members", async () => {
  const leaf = fc.constantFrom<Schema>(text, count, { type: "boolean" });
  const schemas = fc.letrec<{ node: Schema; object: Schema }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      leaf,
      tie("object"),
      tie("object").map((items) => ({ type: "array", items })),
    ),
    object: fc
      .dictionary(fc.constantFrom("a", "b", "c"), tie("node"), { maxKeys: 3 })
      .map((properties) => object(properties)),
  })).object;
  const valueOf = (schema: Schema, pick: (most: number) => number): { with: Json; without: Json } => {
    if (schema === text) return { with: "x", without: "x" };
    if (schema === count) return { with: 2, without: 2 };
    if (schema["type"] === "boolean") return { with: true, without: true };
    if (schema["type"] === "array") {
      const items = Array.from({ length: pick(3) }, () => valueOf(schema["items"] as Schema, pick));
      return { with: items.map((item) => item.with), without: items.map((item) => item.without) };
    }
    const [given, plain]: [Record<string, Json>, Record<string, Json>] = [{}, {}];
    for (const [name, inner] of Object.entries(schema["properties"] as Record<string, Schema>)) {
      const chosen = pick(3);
      if (chosen === 0) given[name] = null;
      if (chosen < 2) continue;
      const value = valueOf(inner, pick);
      given[name] = value.with;
      plain[name] = value.without;
    }
    return { with: given, without: plain };
  };
  await fc.assert(
    fc.asyncProperty(schemas, fc.infiniteStream(fc.nat(1000)), async (schema, numbers) => {
      const { with: given, without } = valueOf(schema, (most) => (numbers.next().value as number) % most);
      const { got, ignored } = await called(schema, given);
      expect(got).toEqual(without);
      expect(ignored.length > 0).toBe(JSON.stringify(given) !== JSON.stringify(without));
    }),
    { seed, numRuns: cases(1000, 60) },
  );
});
