import { describe, expect, it } from "vitest";
import type { JsonValue } from "@mcpgen/engine";
import { ajvFor } from "../../../support/ajv-verdicts.js";
import { compiled, validatorsOf } from "./emitted.js";
import { schemaFrom } from "../../../support/revisions.js";

const inherited = Object.getOwnPropertyNames(Object.prototype);
const awkward = [
  "a b",
  "a-b",
  "0",
  "",
  "'",
  '"',
  "\\",
  "`${a}`",
  "\n",
  "\u2028",
  "class",
  "value",
  "depth",
  "isObject",
  "ownMember",
  "isA",
  "Array",
  "é",
  "x".repeat(200),
];

/** An object whose only own member is `name`; in a literal `__proto__` would be the prototype. */
const holding = (name: string, value: unknown): unknown =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);

describe("members with hostile names", () => {
  for (const name of [...inherited, ...awkward]) {
    it(`required, optional and constant: ${JSON.stringify(name.slice(0, 30))}`, async () => {
      const properties = (schema: unknown) => ({ type: "object", properties: holding(name, schema) });
      const { isA, isB, isC, isD } = await compiled({
        A: { ...properties({ type: "string" }), required: [name] },
        B: properties({ type: "object", properties: { a: { type: "string" } } }),
        C: { ...properties({ const: 1 }), additionalProperties: false },
        D: { type: "object", additionalProperties: { type: "string" } },
      });
      expect(isA!({})).toBe(false);
      expect(isA!(holding(name, "x"))).toBe(true);
      expect(isA!(holding(name, 1))).toBe(false);
      expect(isB!({})).toBe(true);
      expect(isB!(holding(name, { a: "x" }))).toBe(true);
      expect(isB!(holding(name, { a: 1 }))).toBe(false);
      expect(isC!(holding(name, 1))).toBe(true);
      expect(isC!(holding(name, 2))).toBe(false);
      expect(isD!(holding(name, "x"))).toBe(true);
      expect(isD!(holding(name, 1))).toBe(false);
    });
  }
});

describe("definitions with awkward names", () => {
  it("that shadow globals do not affect uses of the globals", async () => {
    const names = ["Array", "Error", "Generator", "Iterator", "Map", "Number", "Object", "Record", "Set"];
    const tree = {
      type: "array",
      items: {
        anyOf: [{ $ref: "#/$defs/Array" }, { type: "array", maxItems: 1, items: { $ref: "#/$defs/Array" } }],
      },
    };
    const definitions = Object.fromEntries(
      names.map((name) => [name, { type: "object", properties: { a: { type: "integer" } } }]),
    );
    const validators = await compiled({ ...definitions, Array: tree });
    for (const name of names) {
      if (name !== "Array") expect(validators[`is${name}`]!({ a: 1.5 })).toBe(false);
    }
    expect(validators["isArray"]!([[[]]])).toBe(true);
  });

  it("that would shadow shared functions or parts do not affect these", async () => {
    const list = { type: "array", items: { type: "string" } };
    const union = { anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    const loop = {
      type: "object",
      properties: { next: { $ref: "#/$defs/A" }, deep: union },
      required: ["deep"],
    };
    const definitions = {
      A: loop,
      A_deep: { type: "integer" },
      A_deep2: { type: "null" },
      Object: { type: "object", properties: { constructor: list, isError: { type: "boolean" } } },
      Strings: { type: "object", properties: { a: list } },
      OwnMember: { $ref: "#/$defs/Object" },
      Object2: { $ref: "#/$defs/Strings" },
    };
    const validators = await compiled(definitions);
    const byAjv = ajvFor(definitions);
    const values: JsonValue[] = [
      1,
      null,
      {},
      { a: ["b"] },
      { a: [1] },
      { constructor: ["b"] },
      { constructor: [1] },
      { deep: { a: 1 } },
    ];
    for (const name of Object.keys(definitions)) {
      for (const value of [...values, { deep: { b: 1 }, next: { deep: {} } }, { isError: 1 }]) {
        const context = `${name} of ${JSON.stringify(value)}`;
        expect(validators[`is${name}`]!(value), context).toBe(byAjv(name, value));
        expect(validators[`accepts${name}`]!(value), context).toBe(byAjv(name, value));
      }
    }
    expect(validatorsOf(schemaFrom(definitions))).toContain("export { isObject3 as isObject };");
  });

  it("that differ only in their first letter get separate validators", async () => {
    const validators = await compiled({ foo: { type: "string" }, Foo: { type: "integer" } });
    const verdicts = Object.keys(validators)
      .filter((name) => name.startsWith("is"))
      .map((name) => validators[name]!("a"));
    expect(verdicts.sort()).toEqual([false, true]);
  });

  it("that look like the name of a split-off function do not clash with it", async () => {
    const union = { anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    const validators = await compiled({
      A: { type: "object", properties: { x: union, y: union } },
      A_x: { properties: { x: union } },
      A_: union,
    });
    expect(validators["isA"]!({ x: { a: 1 }, y: { b: 1 } })).toBe(true);
    expect(validators["isA"]!({ x: { a: 1 }, y: {} })).toBe(false);
    expect(validators["isA_x"]!({ x: {} })).toBe(false);
  });
});

describe("order", () => {
  it("adding a definition only changes its own block", () => {
    const before = {
      Alpha: { type: "string" },
      Gamma: { type: "object", properties: { a: { $ref: "#/$defs/Alpha" } } },
    };
    const blocks = (definitions: object) => validatorsOf(schemaFrom(definitions)).split("\n\n");
    const after = new Set(blocks({ ...before, Beta: { type: "integer" } }));
    const changed = blocks(before).filter((block) => !after.has(block));
    expect(changed).toEqual([]);
  });

  it("does not depend on the order of the input", () => {
    const one = validatorsOf(schemaFrom({ B: { type: "string" }, A: { required: ["b", "a"] } }));
    expect(validatorsOf(schemaFrom({ A: { required: ["a", "b"] }, B: { type: "string" } }))).toBe(one);
  });
});
