import { describe, expect, test } from "vitest";
import {
  type JsonObject,
  type JsonValue,
  type Schema,
  type SchemaNode,
  SchemaError,
  canonicalise,
  descendants,
  keywords,
  naturalCompare,
  readSchema,
} from "@mcpgen/engine";
import { documentOf, revisions } from "../../support/revisions.js";

/** The schema of definition `X`, read. */
function nodeOf(definition: JsonValue, others: JsonObject = {}): SchemaNode {
  return read({ X: definition, ...others }).definitions.get("X")!.node;
}

function read(definitions: JsonObject): Schema {
  return readSchema(canonicalise({ $defs: definitions }));
}

function errorOf(work: () => unknown): SchemaError {
  try {
    work();
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
  throw new Error("accepted");
}

const child = { type: "string" };

/** For every keyword that the IR represents: a good value, and bad ones with the place below the keyword. */
const cases: { readonly [keyword: string]: { good: JsonValue; bad: [JsonValue, string][] } } = {
  ...each(
    ["allOf", "anyOf", "oneOf", "prefixItems"],
    [child],
    [
      [[], ""],
      [{}, ""],
      [[1], "/0"],
    ],
  ),
  ...each(
    ["not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"],
    child,
    [
      ["string", ""],
      [null, ""],
      [[], ""],
      [{ type: "strin" }, "/type"],
    ],
  ),
  ...each(["unevaluatedProperties", "unevaluatedItems", "contentSchema"], child, [[0, ""]]),
  ...each(["properties", "dependentSchemas"], { "a/b": child }, [
    [[], ""],
    [{ "a/b": 1 }, "/a~1b"],
  ]),
  patternProperties: {
    good: { "^a/": child },
    bad: [
      [{ "(": child }, "/("],
      [{ "^a/": 1 }, "/^a~1"],
      [true, ""],
    ],
  },
  ...each(
    [
      "minProperties",
      "maxProperties",
      "minItems",
      "maxItems",
      "minContains",
      "maxContains",
      "minLength",
      "maxLength",
    ],
    2,
    [
      [-1, ""],
      [1.5, ""],
      ["1", ""],
      [null, ""],
      [true, ""],
    ],
  ),
  ...each(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], -1.5, [
    ["1", ""],
    [true, ""],
    [[], ""],
  ]),
  multipleOf: {
    good: 0.5,
    bad: [
      [0, ""],
      [-1, ""],
      ["1", ""],
    ],
  },
  ...each(["format", "contentEncoding", "contentMediaType", "title", "description"], "text", [
    [1, ""],
    [["a"], ""],
  ]),
  ...each(["uniqueItems", "readOnly", "writeOnly", "deprecated"], true, [
    ["true", ""],
    [1, ""],
    [null, ""],
  ]),
  enum: {
    good: ["a", 1, null, { b: 1 }],
    bad: [
      ["a", ""],
      [{}, ""],
    ],
  },
  const: { good: { a: [1] }, bad: [] },
  default: { good: null, bad: [] },
  examples: {
    good: [1],
    bad: [
      ["a", ""],
      [{}, ""],
    ],
  },
  required: {
    good: ["a"],
    bad: [
      ["a", ""],
      [[1], "/0"],
      [{}, ""],
      [true, ""],
    ],
  },
  type: {
    good: ["null", "string"],
    bad: [
      ["any", ""],
      [[], ""],
      [["string", "strin"], ""],
      [1, ""],
      [{}, ""],
    ],
  },
  pattern: {
    good: "^a$",
    bad: [
      ["(", ""],
      ["[b-a]", ""],
      [1, ""],
    ],
  },
  dependentRequired: {
    good: { a: ["b"] },
    bad: [
      [["a"], ""],
      [{ "a/b": "c" }, "/a~1b"],
      [{ a: [1] }, "/a/0"],
    ],
  },
  $ref: {
    good: "#/$defs/X",
    bad: [
      [1, ""],
      [null, ""],
      [{}, ""],
    ],
  },
};

function each(
  names: string[],
  good: JsonValue,
  bad: [JsonValue, string][],
): { [keyword: string]: { good: JsonValue; bad: [JsonValue, string][] } } {
  return Object.fromEntries(names.map((name) => [name, { good, bad }]));
}

/** Keywords without meaning for the IR, and those that are refused by name. */
const ignored = ["$schema", "$id", "$comment", "$defs", "markdownDescription"];
const refused = ["$anchor", "$dynamicAnchor", "$dynamicRef", "$vocabulary"];

test("every keyword of 2020-12 is represented, ignored for a reason, or refused", () => {
  const known = new Set([...Object.keys(cases), ...ignored, ...refused]);
  const missing = [...keywords.keys()].filter((keyword) => !known.delete(keyword));
  expect(missing, "keywords without a row in `cases`; see CONTRIBUTING.md, A keyword").toEqual([]);
  expect([...known], "rows of no keyword").toEqual([]);
});

describe.each(Object.entries(cases))("%s", (keyword, { good, bad }) => {
  test("is represented", () => {
    if (keyword === "$ref")
      return expect(nodeOf({ properties: { a: { $ref: good } } }).properties!.get("a")!.ref).toBe("X");
    const node = nodeOf({ [keyword]: good }) as unknown as { [member: string]: unknown };
    const member = keyword === "type" ? "types" : keyword;
    expect(Object.keys(node).sort()).toEqual(["pointer", member].sort());
    if (typeof good !== "object" && keyword !== "deprecated") expect(node[member]).toBe(good);
  });

  test.each(bad)("with the value %j is refused at its place", (value, below) => {
    const document = { $defs: { "X/Y": { properties: { p: { [keyword]: value } } } } };
    const error = errorOf(() => readSchema(canonicalise(document)));
    const shape = keywords.get(keyword)!.shape;
    const isMember = below !== "" && !["/type"].includes(below) && shape.startsWith("schema");
    const isPattern = keyword === "patternProperties" && below === "/(";
    expect(error.code).toBe(
      (isMember && !isPattern) || (shape === "schema" && below === "") ? "not-a-schema" : "malformed-keyword",
    );
    expect(error.pointer).toBe(`/$defs/X~1Y/properties/p/${keyword}${below}`);
    expect(error.message).toMatch(/^expected .*, got /);
  });
});

describe("keywords it does not know", () => {
  test.each([
    ...refused,
    "additionalItems",
    "dependencies",
    "propertis",
    "nullable",
    "constructor",
    "toString",
    "__proto__",
    "hasOwnProperty",
  ])("%s is named with its place", (keyword) => {
    const document = JSON.parse(
      `{"$defs":{"A":{"properties":{"b/c":{${JSON.stringify(keyword)}:1}}}}}`,
    ) as JsonObject;
    const error = errorOf(() => readSchema(canonicalise(document)));
    expect(error.code).toBe("unsupported-keyword");
    expect(error.pointer).toBe(`/$defs/A/properties/b~1c/${keyword}`);
    expect(error.message).toContain(JSON.stringify(keyword));
    expect(error.candidates).toContain("properties");
  });

  test("those that start with x- are ignored", () => {
    expect(nodeOf({ "x-own": { any: "thing" } })).toEqual({ pointer: "/$defs/X" });
  });
});

describe("references", () => {
  const refOf = (definitions: JsonObject): string => read(definitions).definitions.get("X")!.node.ref!;

  test.each([
    ["an escaped name", "a/b~c", "#/$defs/a~1b~0c"],
    ["a percent-encoded name", "a b%", "#/$defs/a%20b%25"],
    ["an empty name", "", "#/$defs/"],
    ["__proto__", "__proto__", "#/$defs/__proto__"],
    ["a name with a keyword's letters", "items", "#/$defs/items"],
  ])("to %s", (_, name, reference) => {
    const definitions = JSON.parse(`{${JSON.stringify(name)}:true}`) as JsonObject;
    expect(refOf({ ...definitions, X: { $ref: reference } })).toBe(name);
  });

  test("to the document make it a definition", () => {
    const schema = readSchema(
      canonicalise({ type: "object", properties: { next: { $ref: "#" } }, $defs: { X: { $ref: "#" } } }),
    );
    expect(schema.definitions.get("X")!.node.ref).toBe("#");
    expect(schema.definitions.get("#")!.node.properties!.get("next")!.ref).toBe("#");
    expect(schema.root?.types).toEqual(["object"]);
  });

  test("to inner places make those definitions, also from one another", () => {
    const schema = read({
      A: { properties: { p: { items: { $ref: "#/$defs/B/anyOf/0" } } } },
      B: { anyOf: [{ type: "array", items: { type: "null" } }, { type: "string" }] },
      C: { $ref: "#/$defs/A/properties/p" },
      D: { $ref: "#/$defs/A/properties/p/items" },
    });
    expect(schema.definitions.get("D")!.node.ref).toBe("A/p/");
    expect(schema.definitions.get("C")!.node.ref).toBe("A/p");
    expect(schema.definitions.get("A/p")!.node.items!.ref).toBe("B/0");
    expect(schema.definitions.get("B/0")!.node.types).toEqual(["array"]);
    for (const node of schema.definitions.values()) {
      for (const { ref } of descendants(node.node)) {
        if (ref !== undefined) expect(schema.definitions.has(ref), ref).toBe(true);
      }
    }
  });

  test("to inner places never take the name of a definition, nor of each other", () => {
    const schema = read({
      "A/p": { type: "null" },
      A: { properties: { p: { type: "string" } }, patternProperties: { p: { type: "number" } } },
      X: {
        properties: { a: { $ref: "#/$defs/A/properties/p" }, b: { $ref: "#/$defs/A/patternProperties/p" } },
      },
    });
    const { properties } = schema.definitions.get("X")!.node;
    const typeOf = (key: string) => schema.definitions.get(properties!.get(key)!.ref!)!.node.types;
    expect([typeOf("a"), typeOf("b")]).toEqual([["string"], ["number"]]);
    expect(schema.definitions.get("A/p")!.node.types).toEqual(["null"]);
  });

  test.each<[string, string, string, string]>([
    ["that leads nowhere", "#/$defs/Missing", "unresolved-reference", "Missing"],
    ["into nothing", "#/$defs/X/items/0", "unresolved-reference", "/$defs/X/items/0"],
    ["to what is no schema", "#/$defs/X/properties", "unresolved-reference", "/$defs/X/properties"],
    ["to the prototype", "#/$defs/toString", "unresolved-reference", "toString"],
    ["to another document", "https://example.com/schema.json", "remote-reference", "https://example.com"],
    ["to a file", "other.json#/$defs/X", "remote-reference", "other.json"],
    ["to an anchor", "#anchor", "unsupported-keyword", "#anchor"],
  ])("%s is refused", (_, reference, code, named) => {
    const error = errorOf(() => read({ X: { properties: { p: { $ref: reference } } } }));
    expect(error).toMatchObject({ code, pointer: "/$defs/X/properties/p/$ref" });
    expect(error.message).toContain(named);
  });

  test("without a target is refused with the available names", () => {
    expect(errorOf(() => read({ Known: true, X: { $ref: "#/$defs/Knwon" } })).candidates).toEqual([
      "Known",
      "X",
    ]);
  });

  test.each<[string, JsonObject]>([
    ["itself", { A: { $ref: "#/$defs/A" } }],
    ["another", { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } }],
    [
      "anyOf",
      { A: { anyOf: [{ type: "null" }, { $ref: "#/$defs/B" }] }, B: { anyOf: [{ $ref: "#/$defs/A" }] } },
    ],
    ["allOf", { A: { allOf: [{ not: { $ref: "#/$defs/A" } }] } }],
    ["an inner place", { A: { anyOf: [{ $ref: "#/$defs/A" }, true] } }],
    [
      "a promoted place",
      {
        A: { if: { $ref: "#/$defs/A/if/then", then: true }, then: true },
        B: { items: { allOf: [{ $ref: "#/$defs/B/items" }] } },
      },
    ],
  ])("back to itself through %s without stepping into the value is refused", (_, definitions) => {
    const error = errorOf(() => read(definitions));
    expect(error.code).toBe("circular-reference");
    expect(error.pointer).toMatch(/^\/\$defs\/[AB]/);
    expect(error.message).toContain("→");
  });

  test("back to itself through members and items is fine", () => {
    const schema = read({ A: { properties: { a: { $ref: "#/$defs/A" } }, items: { $ref: "#/$defs/A" } } });
    expect(schema.definitions.get("A")!.node.items!.ref).toBe("A");
  });

  test("in a circle of thousands are refused in a message that can be read", () => {
    const size = 5000;
    const circle = Object.fromEntries(
      Array.from({ length: size }, (_, i) => [`D${i}`, { $ref: `#/$defs/D${(i + 1) % size}` }]),
    );
    const error = errorOf(() => read(circle));
    expect(error.code).toBe("circular-reference");
    expect(error.message.length).toBeLessThan(200);
  });

  test("in a chain of 15,000 are followed without overflow", () => {
    const size = 15_000;
    const chain = Object.fromEntries(
      Array.from({ length: size }, (_, i): [string, JsonValue] => [
        `D${i}`,
        i % 2 ? { anyOf: [{ $ref: `#/$defs/D${i + 1}` }, { type: "null" }] } : { $ref: `#/$defs/D${i + 1}` },
      ]),
    );
    expect(read({ ...chain, [`D${size}`]: true }).definitions.size).toBe(size + 1);
  });

  test("to thousands of inner places are followed in time that grows with their number", () => {
    const size = 15_000;
    const definitions = Object.fromEntries(
      Array.from({ length: size }, (_, i): [string, JsonValue] => [
        `D${i}`,
        { properties: { p: true, q: { $ref: `#/$defs/D${(i + 1) % size}/properties/p` } } },
      ]),
    );
    // Quadratic work takes minutes here, and the runner's own limit is half a minute.
    expect(read(definitions).definitions.size).toBe(2 * size);
  });
});

describe("remarks beside the schema", () => {
  const document = canonicalise({
    $defs: { X: { description: "own", properties: { a: true, b: {} } }, Y: {} },
  });

  test("are added to the nodes; the schema's own take precedence", () => {
    const schema = readSchema(document, {
      nodeRemarks: (at) => ({ description: `beside ${at}`, ...(at.endsWith("/b") && { open: true }) }),
      definitionRemarks: (name) => (name === "X" ? { see: ["page"] } : undefined),
    });
    expect(schema.definitions.get("X")!.see).toEqual(["page"]);
    expect(schema.definitions.get("X")!.node.description).toBe("own");
    expect(schema.definitions.get("X")!.node.properties!.get("b")).toEqual({
      pointer: "/$defs/X/properties/b",
      description: "beside /$defs/X/properties/b",
      open: true,
    });
    expect(schema.definitions.get("Y")!.node.description).toBe("beside /$defs/Y");
  });
});

test("boolean schemas differ from empty ones", () => {
  expect(nodeOf(true)).toEqual({ pointer: "/$defs/X", always: true });
  expect(nodeOf(false)).toEqual({ pointer: "/$defs/X", never: true });
  expect(nodeOf({})).toEqual({ pointer: "/$defs/X" });
});

test("a root without keywords about instances does not count as a schema", () => {
  expect(readSchema(canonicalise({ title: "t", $comment: "c", $id: "i", $defs: {} })).root).toBeUndefined();
  expect(readSchema(canonicalise({ type: "string" })).root?.types).toEqual(["string"]);
});

test("$defs that is not an object is refused even if the document is not canonical", () => {
  expect(errorOf(() => readSchema({ $defs: [] }))).toMatchObject({
    code: "malformed-keyword",
    pointer: "/$defs",
  });
});

describe.each(revisions)("revision %s", (revision) => {
  const document = documentOf(revision);
  const schema = readSchema(document);

  test("every definition is there, in natural order, at its pointer", () => {
    const names = Object.keys(document["$defs"] as JsonObject);
    expect([...schema.definitions.keys()]).toEqual(names.sort(naturalCompare));
    for (const [name, { node }] of schema.definitions) expect(node.pointer).toBe(`/$defs/${name}`);
  });

  test("every schema object of the document became a node with its own pointer", () => {
    const pointers = [...schema.definitions.values()].flatMap(({ node }) =>
      [...descendants(node)].map((n) => n.pointer),
    );
    expect(new Set(pointers).size).toBe(pointers.length);
    const references = JSON.stringify(document).match(/"\$ref":/g) ?? [];
    const refs = [...schema.definitions.values()].flatMap(({ node }) =>
      [...descendants(node)].filter((n) => n.ref !== undefined),
    );
    expect(refs).toHaveLength(references.length);
  });
});
