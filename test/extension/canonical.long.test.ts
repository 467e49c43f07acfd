import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, canonicalise, isJsonObject } from "@mcpgen/engine";
import {
  type CanonicalExtension,
  canonicalExtension,
} from "../../generator/extension/canonical/canonical-extension.js";
import { mapReferences, subschemas } from "../../generator/extension/canonical/references.js";
import { randomFrom } from "../../generator/sample/values.js";
import { documentOf } from "../support/revisions.js";
import { shuffledSchema } from "../support/shuffled-schema.js";

const newest = { revision: "2026-07-28", document: documentOf("2026-07-28") };
const older = { revision: "2025-06-18", document: documentOf("2025-06-18") };

function canonical(definitions: JsonValue, bases = [newest]): CanonicalExtension {
  const document = canonicalise({ $defs: definitions });
  return canonicalExtension(document, bases, ["2025-06-18", "2026-07-28"]);
}

const definitionsOf = ({ document }: CanonicalExtension): JsonObject => document["$defs"] as JsonObject;
const base = (name: string): JsonValue => (newest.document["$defs"] as JsonObject)[name]!;
const text = { type: "string" };

describe("definitions of the base", () => {
  test("are dropped if they are equal, and references then lead to the base", () => {
    const result = canonical({
      Implementation: base("Implementation"),
      Icon: { ...(base("Icon") as JsonObject), description: "in other words" },
      Mine: { type: "object", properties: { by: { $ref: "#/$defs/Implementation" } } },
    });
    expect(definitionsOf(result)).toEqual({
      Mine: { type: "object", properties: { by: { $ref: "base#/$defs/Implementation" } } },
    });
    expect(result.dropped).toEqual([
      { definition: "Icon", equal: true },
      { definition: "Implementation", equal: true },
    ]);
  });

  test("are kept and reported if they differ, or if a base does not have them", () => {
    const Tool = { type: "object", properties: { price: { type: "number" } } };
    const result = canonical({ Tool, Icon: base("Icon"), Role: base("Role") }, [newest, older]);
    expect(Object.keys(definitionsOf(result))).toEqual(["Icon", "Tool"]);
    expect(result.differing).toEqual(["Icon", "Tool"]);
  });

  test("are the targets of references to the published schema of a revision", () => {
    const result = canonical({
      Mine: {
        allOf: [
          { $ref: "https://example.com/schema/2025-06-18/schema.json#/$defs/Result" },
          { $ref: "../2026-07-28/schema.json#/definitions/Role" },
        ],
      },
    });
    expect(result.baseReferences).toBe(2);
    expect(definitionsOf(result)).toEqual({
      Mine: { allOf: [{ $ref: "base#/$defs/Result" }, { $ref: "base#/$defs/Role" }] },
    });
  });
});

describe("copies", () => {
  const State = { anyOf: ["done", "open"].map((value) => ({ const: value, type: "string" })) };
  const Job = {
    type: "object",
    properties: { id: text, state: { enum: ["open", "done"] } },
    required: ["id", "state"],
  };

  test("of own definitions become references, in any style; descriptions of the place stay", () => {
    const result = canonical({
      State,
      Job,
      Jobs: { type: "array", items: { ...Job, description: "the latest" } },
      Either: { oneOf: [{ ...Job, additionalProperties: {} }, text] },
    });
    expect(definitionsOf(result)).toEqual({
      State: { enum: ["done", "open"], type: "string" },
      Job: {
        type: "object",
        properties: { id: text, state: { $ref: "#/$defs/State" } },
        required: ["id", "state"],
      },
      Jobs: { type: "array", items: { $ref: "#/$defs/Job", description: "the latest" } },
      Either: { oneOf: [{ $ref: "#/$defs/Job" }, text] },
    });
    expect(result.folds.map(({ at, definition, of, equal }) => [at, definition, of, equal])).toEqual([
      ["/$defs/Either/oneOf/0", "Job", "own", true],
      ["/$defs/Job/properties/state", "State", "own", true],
      ["/$defs/Jobs/items", "Job", "own", true],
    ]);
  });

  test("of the base's definitions become references, even if a program made them stricter", () => {
    const audience = { type: "array", items: { type: "string", enum: ["user", "assistant"] } };
    const annotations = {
      type: "object",
      properties: {
        audience,
        priority: { type: "number", minimum: 0, maximum: 1 },
        lastModified: { type: "string", format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}T" },
      },
      additionalProperties: false,
    };
    const result = canonical({ Mine: { type: "object", properties: { annotations } } });
    expect(definitionsOf(result)).toEqual({
      Mine: { type: "object", properties: { annotations: { $ref: "base#/$defs/Annotations" } } },
    });
    expect(result.folds).toMatchObject([{ definition: "Annotations", of: "base", equal: false }]);
  });

  test("of recursive definitions are found at any depth of unfolding", () => {
    const tree = (items: JsonValue): JsonObject => ({
      type: "object",
      properties: { name: text, children: { type: "array", items } },
      required: ["name"],
    });
    const result = canonical({
      Tree: tree({ $ref: "#/$defs/Tree" }),
      Wood: { type: "array", items: tree(tree({ $ref: "#/$defs/Tree" })) },
    });
    expect(definitionsOf(result)["Wood"]).toEqual({ type: "array", items: { $ref: "#/$defs/Tree" } });
  });

  test("that could be one of two definitions stay, unless the member has the name of one", () => {
    const Point = { type: "object", properties: { x: text, y: text }, required: ["x"] };
    const result = canonical({
      Start: Point,
      End: Point,
      Line: { type: "object", properties: { start: Point, other: Point } },
    });
    expect(definitionsOf(result)["Line"]).toMatchObject({
      properties: { start: { $ref: "#/$defs/Start" }, other: { type: "object" } },
    });
    expect(result.ambiguous).toEqual([{ at: "/$defs/Line/properties/other", definitions: ["End", "Start"] }]);
  });

  test("of trivial definitions count as a coincidence", () => {
    const one = { type: "object", properties: { id: text }, required: ["id"] };
    const Mine = { type: "object", properties: { a: one, b: text } };
    expect(definitionsOf(canonical({ Reference: one, Name: text, Mine }))["Mine"]).toEqual(Mine);
  });

  test("stay if a reference leads through them", () => {
    const Holder = {
      type: "object",
      properties: { job: Job, also: { $ref: "#/$defs/Holder/properties/job/properties/id" } },
    };
    expect(definitionsOf(canonical({ Job, Holder }))["Holder"]).toMatchObject({
      properties: { job: { type: "object" } },
    });
  });
});

describe("documents inside the document", () => {
  const value = { anyOf: [text, { type: "array", items: { $ref: "#/$defs/__schema0" } }] };

  test("move their definitions to the top, each under a different name", () => {
    const result = canonical({
      A: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $ref: "#/$defs/__schema0",
        $defs: { __schema0: value },
      },
      B: {
        type: "object",
        properties: { b: { $ref: "#/$defs/__schema0" } },
        $defs: { __schema0: value, unused: text },
      },
    });
    expect(Object.keys(definitionsOf(result))).toEqual(["A", "ASchema0", "B", "BSchema0"]);
    expect(definitionsOf(result)["BSchema0"]).toEqual({
      anyOf: [{ items: { $ref: "#/$defs/BSchema0" }, type: "array" }, text],
    });
    expect(result.hoisted.map(({ from }) => from)).toEqual([
      "/$defs/A/$defs/__schema0",
      "/$defs/B/$defs/__schema0",
    ]);
  });
});

describe("closed objects", () => {
  const closed = { type: "object", properties: { a: text }, additionalProperties: false };

  test("count as closed by a program if every object has a rule for other members", () => {
    const Open = { type: "object", properties: { b: closed }, additionalProperties: {} };
    const result = canonical({ Closed: closed, Open });
    expect(result.reopened).toEqual(["/$defs/Closed", "/$defs/Open/properties/b"]);
    expect(result.closed).toEqual([]);
  });

  test("stay closed if other objects have no such rule, because an author closed them", () => {
    const result = canonical({ Closed: closed, Silent: { type: "object", properties: { b: text } } });
    expect(result.reopened).toEqual([]);
    expect(result.closed).toEqual(["/$defs/Closed"]);
  });
});

test("`allOf` of a definition and an object extends it; objects of different members become one", () => {
  const part = (name: string): JsonObject => ({
    type: "object",
    properties: { [name]: text },
    required: [name],
  });
  const result = canonical({
    Mine: { allOf: [{ allOf: [{ $ref: "#/$defs/Root" }, part("a")] }, part("b")] },
    Root: base("Root"),
    MetaObject: base("MetaObject"),
  });
  expect(result.extending).toEqual([{ definition: "Mine", bases: ["base#/$defs/Root"] }]);
  expect(definitionsOf(result)).toEqual({
    Mine: {
      allOf: [
        { $ref: "base#/$defs/Root" },
        { type: "object", properties: { a: text, b: text }, required: ["a", "b"] },
      ],
    },
  });
});

describe("the output of any program for one extension", () => {
  const definitions = {
    Colour: { enum: ["blue", "green", "red"], type: "string" },
    Paint: {
      type: "object",
      properties: {
        colour: { $ref: "#/$defs/Colour" },
        litres: { type: "integer" },
        by: { $ref: "base#/$defs/Implementation" },
      },
      required: ["colour", "litres"],
    },
    MixRequest: {
      type: "object",
      properties: {
        method: { const: "paint/mix", type: "string" },
        params: {
          type: "object",
          properties: { parts: { type: "array", items: { $ref: "#/$defs/Paint" } } },
          required: ["parts"],
        },
      },
      required: ["method", "params"],
    },
    MixResult: {
      allOf: [
        { $ref: "base#/$defs/Result" },
        { type: "object", properties: { paint: { $ref: "#/$defs/Paint" } }, required: ["paint"] },
      ],
    },
  };

  /** The definitions as a program prints types that it sees without names, each as a document. */
  function printed(node: JsonValue, names: JsonObject = definitions): JsonValue {
    if (!isJsonObject(node)) return node;
    const reference = node["$ref"];
    if (typeof reference === "string") {
      const holder = reference.startsWith("base") ? (newest.document["$defs"] as JsonObject) : names;
      return printed(holder[reference.split("/").at(-1)!]!, holder);
    }
    const inner = mapReferences(node, String, (child) => printed(child, names));
    if (Array.isArray(inner["enum"]))
      return { anyOf: inner["enum"].map((value) => ({ type: "string", const: value })) };
    if (inner["type"] === "integer")
      return { ...inner, minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
    if (!isJsonObject(inner["properties"])) return inner;
    return { ...inner, additionalProperties: inner["additionalProperties"] ?? false };
  }

  test.each([1, 2, 3, 4])("has one canonical form, in any order (seed %i)", (seed) => {
    const plain = canonical(definitions);
    const whole = Object.fromEntries(
      Object.entries(definitions).map(([name, node]) => [name, printed(node)]),
    );
    const random = randomFrom(String(seed));
    const document = shuffledSchema({ $defs: whole, $id: "https://example.com/schema.json" }, random);
    const result = canonicalExtension(canonicalise(document), [newest], []);
    expect(closedAsPlain(definitionsOf(result))).toEqual(definitionsOf(plain));
    expect(result.reopened).toEqual([
      "/$defs/MixRequest",
      "/$defs/MixRequest/properties/params",
      "/$defs/MixResult/allOf/1",
      "/$defs/Paint",
    ]);
    const again = canonicalExtension(result.document, [newest], []);
    expect(JSON.stringify(again.document)).toBe(JSON.stringify(result.document));
    expect([again.folds, again.dropped, again.hoisted]).toEqual([[], [], []]);
  });

  function closedAsPlain(nodes: JsonObject): JsonObject {
    const copy = structuredClone(nodes);
    for (const definition of Object.values(copy))
      for (const { node } of subschemas(definition))
        if (node["additionalProperties"] === false) delete node["additionalProperties"];
    return copy;
  }
});

test("a chain of thousands of definitions does not exhaust the stack or take quadratic time", () => {
  const count = 3_000;
  const link = (target: number): JsonObject => ({
    type: "object",
    properties: { name: text, next: { $ref: `#/$defs/D${target}` } },
    required: ["name"],
  });
  const chain = Array.from({ length: count }, (_, index): [string, JsonObject] => [
    `D${index}`,
    link(index + 1),
  ]);
  const result = canonical({
    ...Object.fromEntries(chain),
    [`D${count}`]: { type: "object", properties: {} },
  });
  expect(result.folds).toEqual([]);
  expect(Object.keys(definitionsOf(result))).toHaveLength(count + 1);
});
