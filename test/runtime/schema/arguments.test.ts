import { describe, expect, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { createServer, withDefaults } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { z } from "zod";

/** The value, with the defaults of a schema that accepts all values. */
function filledBy(schema: object, value: unknown): unknown {
  const found = withDefaults(
    () => undefined,
    () => ({ ...schema }),
  )(value);
  return found === undefined ? value : (found as { value: unknown }).value;
}

describe("the defaults of a JSON Schema are filled in", () => {
  const point = { type: "object", properties: { x: { default: 0 }, y: { default: 0 } } };
  test.each<[string, object, unknown, unknown]>([
    ["for absent members", point, { x: 5 }, { x: 5, y: 0 }],
    ["never for a member that is there", point, { x: null, y: false }, { x: null, y: false }],
    [
      "whatever their value",
      { properties: { a: { default: null }, b: { default: "" } } },
      {},
      { a: null, b: "" },
    ],
    ["for required members", { ...point, required: ["x"] }, {}, { x: 0, y: 0 }],
    ["in members", { properties: { at: point } }, { at: {} }, { at: { x: 0, y: 0 } }],
    ["in a default", { properties: { at: { ...point, default: { x: 1 } } } }, {}, { at: { x: 1, y: 0 } }],
    ["not in an absent member without a default", { properties: { at: point } }, {}, {}],
    ["in items", { properties: { all: { items: point } } }, { all: [{}, 5] }, { all: [{ x: 0, y: 0 }, 5] }],
    [
      "in items by their place",
      { properties: { all: { prefixItems: [point], items: { properties: { z: { default: 1 } } } } } },
      { all: [{}, {}] },
      { all: [{ x: 0, y: 0 }, { z: 1 }] },
    ],
    [
      "through references",
      {
        $defs: { "a/b": point, n: { default: 3 } },
        properties: { at: { $ref: "#/$defs/a~1b" }, n: { $ref: "#/$defs/n" } },
      },
      { at: {} },
      { at: { x: 0, y: 0 }, n: 3 },
    ],
    [
      "through references that are percent-encoded, and names with a percent sign",
      {
        $defs: { "a b": point, "100%": { default: 3 } },
        properties: { at: { $ref: "#/$defs/a%20b" }, n: { $ref: "#/$defs/100%" } },
      },
      { at: {} },
      { at: { x: 0, y: 0 }, n: 3 },
    ],
    [
      "of a schema that refers to itself",
      { properties: { depth: { default: 1 }, inner: { $ref: "#" } } },
      { inner: { inner: {} } },
      { depth: 1, inner: { depth: 1, inner: { depth: 1 } } },
    ],
    ["of parts of allOf", { allOf: [point, { properties: { x: { type: "number" } } }] }, {}, { x: 0, y: 0 }],
    [
      "for a member called __proto__",
      JSON.parse('{"properties":{"__proto__":{"default":1}}}'),
      {},
      JSON.parse('{"__proto__":1}'),
    ],
    ["not of alternatives", { anyOf: [point], oneOf: [point], if: true, then: point }, {}, {}],
    [
      "not of members of any name",
      { additionalProperties: point, patternProperties: { a: point } },
      { a: {} },
      { a: {} },
    ],
    [
      "not of other documents",
      { properties: { at: { $ref: "https://example.com/#/a" } } },
      { at: {} },
      { at: {} },
    ],
    ["not of what is no object", point, "text", "text"],
  ])("%s", (_, schema, value, expected) => {
    const before = JSON.stringify(value);
    const found = filledBy(schema, value);
    expect(found).toEqual(expected);
    expect(JSON.stringify(value)).toBe(before);
    if (before === JSON.stringify(expected)) expect(found).toBe(value);
  });

  test("as copies", () => {
    const schema = { properties: { tags: { default: ["a"] } } };
    const [first, second] = [filledBy(schema, {}), filledBy(schema, {})] as { tags: string[] }[];
    first!.tags.push("b");
    expect(second).toEqual({ tags: ["a"] });
    expect(schema.properties.tags.default).toEqual(["a"]);
  });

  test("in time linear to schema and value, however often schemas are shared", () => {
    const names = Array.from({ length: 60 }, (_, at) => `d${at}`);
    const shared = names.map((name, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [name, { allOf: [next, next], properties: { inner: next } }];
    });
    const schema = {
      $defs: { ...Object.fromEntries(shared), d60: { properties: { last: { default: 1 } } } },
      allOf: [{ $ref: "#/$defs/d0" }],
    };
    expect(filledBy(schema, { inner: {} })).toEqual({ inner: { last: 1 }, last: 1 });
    let deep: object = {};
    for (let level = 0; level < 10_000; level++) deep = { inner: deep };
    expect(() => filledBy({ properties: { inner: { $ref: "#" }, a: { default: 1 } } }, deep)).not.toThrow();
  });
});

describe("a handler", () => {
  const schema = {
    type: "object",
    properties: { unit: { enum: ["c", "f"], default: "c" }, days: { type: "integer", default: "many" } },
  } as const;
  const sound = { type: "object", properties: { unit: schema.properties.unit } } as const;

  /** The arguments that the handlers of a tool and a prompt get. */
  async function given(inputSchema: object, args: object, options: object = {}): Promise<unknown[]> {
    const got: unknown[] = [];
    const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions, ...options });
    server.tool(
      "tool",
      { inputSchema: inputSchema as never },
      (values: unknown) => (got.push(values), "done"),
    );
    server.prompt(
      "prompt",
      { arguments: inputSchema as never },
      (values: unknown) => (got.push(values), "done"),
    );
    const pair = await createTestPair({ server, revisions: clientRevisions, revision: "2026-07-28" });
    const called = await pair.client.callTool("tool", args as never);
    if (called.isError) got.push((called.content[0] as { text: string }).text);
    await pair.client.getPrompt("prompt", args as never).catch((error: Error) => got.push(error.message));
    await pair.close();
    return got;
  }

  test("of a tool or a prompt gets the defaults of absent arguments", async () => {
    expect(await given(sound, {})).toEqual([{ unit: "c" }, { unit: "c" }]);
    expect(await given(sound, { unit: "f" })).toEqual([{ unit: "f" }, { unit: "f" }]);
    const [ofRequired] = await given({ ...sound, required: ["unit"] }, {});
    expect(ofRequired).toEqual({ unit: "c" });
  });

  test("gets the sent arguments if the schema refuses its own defaults", async () => {
    expect(await given(schema, {})).toEqual([{}, {}]);
    const [tool] = await given(schema, { days: 3 });
    expect(tool).toEqual({ unit: "c", days: 3 });
  });

  test("does not get wrong arguments, and the error names the sent value", async () => {
    const [tool, prompt] = await given(schema, { unit: "k" });
    expect(tool).toMatch(/unit/);
    expect(prompt).toMatch(/unit/);
  });

  test("does not get defaults with argumentDefaults: false, except a library's", async () => {
    expect(await given(sound, {}, { validation: { argumentDefaults: false } })).toEqual([{}, {}]);
    const ofLibrary = z.object({ unit: z.enum(["c", "f"]).default("c") });
    expect(await given(ofLibrary, {}, { validation: { argumentDefaults: false } })).toEqual([
      { unit: "c" },
      { unit: "c" },
    ]);
  });
});
