import { readFileSync } from "node:fs";
import { type JsonObject, type JsonValue, keywords } from "@mcpgen/engine";
import { describe, expect, test } from "vitest";
import type { Contract, ContractTool } from "../../generator/contract/contract.js";
import { lintContract, toolCosts, lintRules } from "../../generator/lint/lint-contract.js";
import { lintManual } from "../../scripts/lint-manual.js";
import { everydayProfiles, profiles } from "../../generator/lint/rule.js";
import { ruleIds } from "../../generator/diff/rules/table.js";
import { corpus } from "../support/lint-corpus.js";

const contract = (...tools: readonly Partial<ContractTool>[]): Contract => ({
  name: "n",
  version: "v",
  tools: tools.map((tool) => ({
    name: "tool",
    description: "Does it.",
    inputSchema: { type: "object", properties: {} },
    ...tool,
  })),
});

test.each(corpus)("$what: refused by $refusedBy", ({ refusedBy, rule, ...tool }) => {
  const refused = (profile: (typeof profiles)[number]): readonly string[] =>
    lintContract(contract(tool), [profile])
      .filter((problem) => problem.level === "error")
      .map((problem) => problem.rule.id);
  expect(profiles.filter((profile) => refused(profile).length > 0)).toEqual(refusedBy);
  if (rule !== undefined) expect(profiles.flatMap(refused)).toContain(rule);
});

test("every rule that refuses has a tool in test/support/lint-corpus.ts", () => {
  const met = new Set(
    corpus.flatMap((tool) => lintContract(contract(tool), profiles).map(({ rule }) => rule.id)),
  );
  const missing = lintRules.filter(({ id, level }) => level === "error" && !met.has(id));
  expect(missing.map(({ id }) => id)).toEqual([]);
});

const found = (tool: Partial<ContractTool>, id: string): readonly string[] =>
  lintContract(contract(tool), profiles)
    .filter(({ rule }) => rule.id === id)
    .map(({ pointer }) => pointer);
const value = (schema: JsonObject): Partial<ContractTool> => ({
  inputSchema: { type: "object", properties: { value: schema } },
});

describe("warnings", () => {
  test("descriptions: none, long ones, and hidden characters", () => {
    expect(found({ description: " " }, "no-description")).toEqual(["/tools/0"]);
    expect(found({ description: "a".repeat(1025) }, "long-description")).toEqual(["/tools/0/description"]);
    expect(found({ description: "a".repeat(4096) }, "cut-description")).toEqual([]);
    expect(found({ description: "a".repeat(4097) }, "cut-description")).toEqual(["/tools/0/description"]);
    expect(found({ description: "a\u202eb" }, "hidden-characters")).toEqual(["/tools/0/description"]);
    expect(found({ description: "a\u{e0041}b" }, "hidden-characters")).toEqual(["/tools/0/description"]);
    expect(found({ description: "👩‍💻 codes,\n\tin lines" }, "hidden-characters")).toEqual([]);
  });

  test("scopes: almost the same ones, those of the login, and one twice", () => {
    const scoped = (...all: string[][]): Contract =>
      contract(...all.map((scopes, index) => ({ name: `tool_${index}`, scopes })));
    const of = (given: Contract): string[] =>
      lintContract(given, profiles)
        .filter(({ rule }) => rule.id.startsWith("scope"))
        .map(({ rule, pointer, message }) => `${rule.id} ${pointer}: ${message}`);
    expect(of(scoped(["files:read"], ["file:read"], ["files_read"]))).toEqual([
      'scopes-alike /tools/0/scopes/0: the scope "files:read", almost "file:read", "files_read"',
      'scopes-alike /tools/1/scopes/0: the scope "file:read", almost "files:read"',
      'scopes-alike /tools/2/scopes/0: the scope "files_read", almost "files:read"',
    ]);
    expect(of(scoped(["files:read", "files:write"], ["a:r", "a:w"], ["level:10", "level:11"]))).toEqual([]);
    expect(of(scoped(["openid", "a", "a"]))).toEqual([
      'scope-of-login /tools/0/scopes/0: the scope "openid"',
      'scope-twice /tools/0/scopes/2: the scope "a" twice',
    ]);
  });

  test("unreferenced definitions are reported, without other findings inside them", () => {
    const $ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
    const map = { type: "object" };
    const $defs = {
      a: { anyOf: [$ref("b/c"), { type: "null" }] },
      "b/c": map,
      d: $ref("e"),
      e: map,
      f: $ref("f"),
    };
    const tool = (more: JsonObject): Partial<ContractTool> => ({
      inputSchema: { type: "object", properties: { value: $ref("a") }, $defs, ...more },
    });
    const [a, ...others] = ["a", "d", "e", "f"].map((name) => `/tools/0/inputSchema/$defs/${name}`);
    $defs.a.anyOf[0] = $ref("b~1c");
    expect(found(tool({}), "unused-definition")).toEqual(others);
    expect(found(tool({}), "object-without-properties")).toEqual(["/tools/0/inputSchema/$defs/b~1c"]);
    expect(found(tool({ properties: {} }), "unused-definition")).toContain(a);
    expect(found(tool({ properties: {}, not: { $ref: "#named" } }), "unused-definition")).toEqual([]);
    expect(found(tool({ properties: {} }), "object-without-properties")).toEqual([]);
    expect(found(tool({ properties: {} }), "gemini-reference")).not.toEqual([]);
  });

  test("names that are almost the same", () => {
    const names = ["get_weather", "getWeather", "get_wind"].map((name) => ({ name }));
    const problems = lintContract(contract(...names), ["claude"]).filter(
      ({ rule }) => rule.id === "tool-names-alike",
    );
    expect(problems.map(({ tool, message }) => `${tool}: ${message}`)).toEqual([
      'get_weather: almost the name of "getWeather"',
      'getWeather: almost the name of "get_weather"',
    ]);
  });

  test("arguments without a type, objects without properties, and deeply nested schemas", () => {
    expect(found(value({ description: "what?" }), "untyped")).toEqual([
      "/tools/0/inputSchema/properties/value",
    ]);
    expect(found(value({ type: "object" }), "object-without-properties").length).toBe(1);
    let schema: JsonObject = { type: "object", properties: {} };
    for (let depth = 0; depth < 5000; depth++) schema = { type: "object", properties: { a: schema } };
    expect(found({ inputSchema: schema }, "strict-depth").length).toBe(1);
  });
});

test("enums that strict mode refuses: the largest if all together have too many values, and each with too many characters", () => {
  const values = (size: number, width: number): { readonly enum: string[] } => ({
    enum: Array.from({ length: size }, (_, index) => String(index).padStart(width, "0")),
  });
  const problems = (properties: JsonObject, more: JsonObject = {}): readonly string[] =>
    lintContract(contract({ inputSchema: { type: "object", properties, ...more } }), profiles)
      .filter(({ rule }) => rule.id === "strict-enum-size")
      .map(({ pointer, message }) => `${pointer.replace("/tools/0/inputSchema", "")}: ${message}`);
  expect(problems({ a: values(400, 5), list: { type: "array", items: values(700, 5) } })).toEqual([
    "/properties/list/items/enum: 1100 values in 2 enums",
  ]);
  expect(problems({ a: values(1, 5) }, { $defs: { Code: values(1001, 20) } })).toEqual([
    "/$defs/Code/enum: 1002 values in 2 enums",
    "/$defs/Code/enum: 20020 characters in an enum of 1001 values",
  ]);
  expect(problems({ a: { enum: [...values(250, 61).enum, null] } })).toEqual([
    "/properties/a/enum: 15250 characters in an enum of 251 values",
  ]);
  expect(problems({ a: { enum: "a" }, enum: { type: "string", examples: values(1001, 5).enum } })).toEqual(
    [],
  );
});

describe("unions of which two arms can be the same value", () => {
  const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    ...more,
  });
  const text = { type: "string" };
  test.each<[string, JsonObject[], boolean]>([
    ["texts and numbers", [text, { type: "number" }], false],
    ["integers and numbers", [{ type: "integer" }, { type: "number" }], true],
    ["two texts", [text, { type: "string", description: "another" }], true],
    ["texts of two patterns", [{ ...text, pattern: "^a" }, text], false],
    ["constants", [{ const: "a" }, { const: "b" }], false],
    ["lists of constants that share one", [{ enum: ["a", "b"] }, { enum: ["b"] }], true],
    [
      "objects with a discriminator",
      [object({ kind: { const: "a" } }), object({ kind: { const: "b" } })],
      false,
    ],
    ["objects without one", [object({ a: text }), object({ b: text })], true],
    ["closed objects", [object({ a: text }, { additionalProperties: false }), object({ b: text })], false],
    ["objects of another type inside", [object({ a: text }), object({ a: { type: "number" } })], false],
    ["required members alone", [{ required: ["a"] }, { required: ["b"] }], false],
    ["references", [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/A" }], true],
    ["nothing said", [{}, text], false],
  ])("%s", (_, anyOf, ambiguous) => {
    const tool = {
      inputSchema: { ...value({ anyOf }).inputSchema, $defs: { A: object({ a: text }) } } as JsonObject,
    };
    expect(found(tool, "ambiguous-union")).toEqual(
      ambiguous ? ["/tools/0/inputSchema/properties/value/anyOf/1"] : [],
    );
  });
});

test("data is not read as a schema: values and examples are ignored, properties may have any name", () => {
  const data = { oneOf: [{ $ref: "nowhere" }], exclusiveMinimum: true };
  const problems = lintContract(
    contract(value({ type: "string", enum: ["a"], default: data, examples: [data] }), {
      name: "other",
      inputSchema: { type: "object", properties: { oneOf: { type: "string" }, $ref: { type: "string" } } },
    }),
    ["openai", "gemini"],
  );
  expect(problems.map(({ rule, pointer }) => [rule.id, pointer])).toEqual([
    ["default-does-not-fit", "/tools/0/inputSchema/properties/value/default"],
  ]);
});

const names = ["name", ...keywords.keys(), "definitions", "dependencies"];
const noSchemas: readonly JsonValue[] = ["string", 5, ["a"], null];
const fine = { type: "string" };
const members = [...noSchemas, fine, { type: "int" }, { maxLength: "3" }];
const maps = ["properties", "patternProperties", "dependentSchemas", "dependentRequired"];

test.each(maps.flatMap((map) => members.map((member) => [map, member] as const)))(
  "in %s, %j is judged alike under the name of each keyword",
  (map, member) => {
    const tools = names.map((name) => {
      const schema = { type: "object", properties: { v: { [map]: { [name]: member } } } };
      return { name: `tool_${name.replace("$", "s_")}`, inputSchema: schema, outputSchema: schema };
    });
    const problems = lintContract(contract(...tools), everydayProfiles).filter(
      ({ rule }) => rule.id !== "tool-names-alike",
    );
    const rulesOf = (index: number): readonly string[] =>
      problems
        .filter(({ tool }) => tool === tools[index]!.name)
        .map(({ rule, level, profiles: concerned, pointer }) =>
          [
            rule.id,
            level,
            concerned.join(),
            pointer.replace(/^\/tools\/\d+/, "").replace(`/${map}/${names[index]!}`, "/NAME"),
          ].join(" "),
        );
    for (const [index, name] of names.entries()) expect([name, rulesOf(index)]).toEqual([name, rulesOf(0)]);
    const found = rulesOf(0).map((each) => each.split(" ")[0]);
    const isNoSchema = map !== "dependentRequired" && noSchemas.includes(member);
    if (isNoSchema)
      expect(found).toEqual(expect.arrayContaining(["invalid-schema", "result-invalid-schema"]));
    if (map !== "dependentRequired" && member === fine) expect(found).not.toContain("invalid-schema");
  },
);

test.each<[string, JsonObject, readonly string[]]>([
  ["default-does-not-fit", { type: "integer", default: "1" }, ["/default"]],
  ["default-does-not-fit", { enum: ["a", "b"], default: "c" }, ["/default"]],
  ["default-does-not-fit", { type: "string", default: null }, ["/default"]],
  ["default-does-not-fit", { type: "integer", default: 1.0 }, []],
  ["default-does-not-fit", { type: ["string", "null"], default: null }, []],
  ["default-does-not-fit", { $ref: "#/$defs/Short", default: "long" }, ["/default"]],
  ["default-does-not-fit", { $ref: "#/$defs/Gone", default: "long" }, []],
  ["default-does-not-fit", { type: "object", properties: { default: { type: "string" } } }, []],
  ["default-does-not-fit", { $ref: "#", default: 3 }, ["/default"]],
  ["default-does-not-fit", { $ref: "#", default: {} }, []],
  ["default-does-not-fit", { $ref: "#/properties/other", default: "x" }, ["/default"]],
  ["default-does-not-fit", { allOf: [{ minLength: 2 }, { type: "string", default: "x" }] }, []],
  ["default-does-not-fit", { minLength: 2, allOf: [{ type: "string" }], default: "x" }, ["/default"]],
  ["default-does-not-fit", { pattern: "(", type: "integer", default: "x" }, ["/default"]],
  [
    "default-does-not-fit",
    { type: "array", items: { anyOf: [{ type: "integer", default: "x" }, { const: "x" }] } },
    ["/items/anyOf/0/default"],
  ],
  [
    "default-does-not-fit",
    { additionalProperties: { enum: [1], default: 2 } },
    ["/additionalProperties/default"],
  ],
  ["choice-does-not-fit", { type: "integer", enum: ["1", "2"] }, ["/enum", "/enum"]],
  ["choice-does-not-fit", { type: "string", enum: ["a", null] }, ["/enum"]],
  ["choice-does-not-fit", { type: ["string", "null"], enum: ["a", null] }, []],
  ["choice-does-not-fit", { type: "string", const: 7 }, ["/const"]],
  ["choice-does-not-fit", { type: "array", const: ["a"] }, []],
  ["choice-does-not-fit", { $ref: "#/$defs/Short", enum: ["ab", "long"] }, ["/enum"]],
  ["choice-does-not-fit", { items: { anyOf: [{ pattern: "^a", const: "b" }] } }, ["/items/anyOf/0/const"]],
  ["choice-does-not-fit", { enum: ["a", 1, null], const: 1 }, ["/enum", "/enum"]],
  ["choice-does-not-fit", { type: "object", properties: { enum: { type: "array" } } }, []],
  ["empty-enum", { enum: [] }, ["/enum"]],
  ["empty-enum", { items: { anyOf: [{ enum: [] }] } }, ["/items/anyOf/0/enum"]],
  ["empty-enum", { type: "object", properties: { enum: { type: "array" } } }, []],
  ["empty-range", { minimum: 2, maximum: 1 }, [""]],
  ["empty-range", { exclusiveMinimum: 1, maximum: 1 }, [""]],
  ["empty-range", { minimum: 1, maximum: 1, minLength: 0, maxLength: 0 }, []],
  ["empty-range", { minItems: 3, maxItems: 2 }, [""]],
  ["empty-range", { items: { minLength: 3, maxLength: 2 } }, ["/items"]],
  ["empty-range", { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 2 }, [""]],
  ["empty-range", { type: "number", exclusiveMinimum: 1, exclusiveMaximum: 2 }, []],
  ["empty-range", { type: "integer", minimum: 1.2, maximum: 1.8 }, [""]],
  ["empty-range", { type: "integer", minimum: 1, maximum: 1 }, []],
  ["empty-range", { contains: {}, minContains: 2, maxContains: 1 }, [""]],
  // Limits of another type, and limits without the keyword to which they belong, exclude no values.
  ["empty-range", { type: "string", minimum: 2, maximum: 1 }, []],
  ["empty-range", { type: "object", minItems: 2, maxItems: 1 }, []],
  ["empty-range", { minContains: 2, maxContains: 1 }, []],
  ["nullable", { type: "string", nullable: true }, ["/nullable"]],
  ["nullable", { type: ["string", "null"], nullable: true }, []],
  ["nullable", { anyOf: [{ type: "string" }, { type: "null" }], nullable: true }, []],
  ["nullable", { enum: ["a", null], nullable: true }, []],
  ["nullable", { $ref: "#/$defs/Short", nullable: true }, ["/nullable"]],
  ["nullable", { nullable: true }, []],
  ["nullable", { type: "array", items: { type: "integer", nullable: true } }, ["/items/nullable"]],
  ["nullable", { type: "string", nullable: false }, []],
  ["nullable", { type: "object", properties: { nullable: { type: "boolean" } } }, []],
  ["pattern-of-another-language", { pattern: "(?i)yes|no" }, ["/pattern"]],
  ["pattern-of-another-language", { pattern: "(?P<year>\\d+)" }, ["/pattern"]],
  ["pattern-of-another-language", { pattern: "\\A\\d+\\Z" }, ["/pattern"]],
  ["pattern-of-another-language", { pattern: "(?<year>\\d+)[(?i)]\\(?i\\)" }, []],
  ["pattern-of-another-language", { pattern: "a++" }, ["/pattern"]],
  ["pattern-of-another-language", { pattern: "^\\h+$" }, ["/pattern"]],
  ["pattern-of-another-language", { pattern: "[\\w-.]" }, ["/pattern"]],
  ["pattern-of-another-language", { items: { not: { pattern: "(?>a)" } } }, ["/items/not/pattern"]],
  ["pattern-of-another-language", { propertyNames: { pattern: "(?#x)" } }, ["/propertyNames/pattern"]],
  ["pattern-of-another-language", { pattern: "\\p{L}[\\p{Lu}\\d]\\u{1F600}(?<=a)" }, []],
  ["pattern-of-another-language", { patternProperties: { "(?i)^x": {} } }, ["/patternProperties/(?i)^x"]],
  ["required-without-property", { type: "object", required: ["a"], allOf: [{ properties: { a: {} } }] }, []],
  ["required-without-property", { properties: { a: {} }, required: ["a", "b"] }, ["/required/1"]],
  [
    "required-without-property",
    { type: "object", required: ["a", "b"], allOf: [{ properties: { a: {} } }] },
    ["/required/1"],
  ],
  ["required-without-property", { type: "object", required: ["x"], patternProperties: { "^x": {} } }, []],
  [
    "required-without-property",
    { type: "object", required: ["y"], patternProperties: { "^x": {} } },
    ["/required/0"],
  ],
  ["required-without-property", { type: "object", required: ["value"], $ref: "#" }, []],
  ["required-without-property", { type: "object", required: ["a"], $ref: "#/$defs/Gone" }, []],
  [
    "required-without-property",
    {
      properties: { a: {} },
      anyOf: [
        { type: "object", required: ["a"] },
        { type: "object", required: ["b"] },
      ],
    },
    ["/anyOf/1/required/0"],
  ],
  [
    "required-without-property",
    { properties: { a: {} }, if: { type: "object", required: ["a"] }, then: {} },
    [],
  ],
  ["required-without-property", { not: { type: "object", required: ["a"] } }, []],
  [
    "required-without-property",
    { properties: { not: { type: "object", required: ["a"] } } },
    ["/properties/not/required/0"],
  ],
  ["required-without-property", { items: { type: "object", required: ["a"] } }, ["/items/required/0"]],
  ["reference-to-nothing", { items: { $ref: "#/$defs/Short/items" } }, ["/items/$ref"]],
  ["reference-to-nothing", { $ref: "#/$defs/Sh%6Frt" }, []],
  ["reference-to-nothing", { $ref: "#anchor" }, ["/$ref"]],
  ["pattern-lookaround", { additionalProperties: { pattern: "(?!a)" } }, ["/additionalProperties/pattern"]],
  ["pattern-lookaround", { patternProperties: { "^(?=a)": {} } }, ["/patternProperties/^(?=a)"]],
  ["pattern-unicode-property", { prefixItems: [{ pattern: "[\\P{L}]" }] }, ["/prefixItems/0/pattern"]],
])("%s: %j at %j", (id, schema, pointers) => {
  const inputSchema = {
    type: "object",
    properties: { value: schema, other: { type: "integer" } },
    $defs: { Short: { type: "string", maxLength: 2 } },
  };
  expect(found({ inputSchema }, id)).toEqual(
    pointers.map((each) => `/tools/0/inputSchema/properties/value${each}`),
  );
});

test.each<[string, JsonObject, readonly string[]]>([
  [
    "result-reference-to-nothing",
    { a: { items: { $ref: "#/$defs/X" } }, b: { $ref: "#/$defs/Y" } },
    ["/a/items/$ref", "/b/$ref"],
  ],
  ["choice-does-not-fit", { a: { type: "boolean", enum: ["yes"] } }, ["/a/enum"]],
  ["empty-enum", { a: { enum: [] } }, ["/a/enum"]],
  ["empty-range", { a: { items: { minimum: 2, maximum: 1 } } }, ["/a/items"]],
  ["nullable", { a: { type: "string", nullable: true } }, ["/a/nullable"]],
  ["result-pattern", { a: { anyOf: [{ pattern: "\\A" }] } }, ["/a/anyOf/0/pattern"]],
  ["pattern-of-another-language", { a: { pattern: "\\A" } }, []],
  ["result-invalid-schema", { a: { exclusiveMaximum: true } }, ["/a/exclusiveMaximum"]],
  ["result-tuple-items", { a: { items: [{}] } }, ["/a/items"]],
  ["result-invalid-schema", { a: { items: [{}] } }, []],
  ["result-invalid-schema", { a: { type: "any" } }, ["/a/type"]],
  // Models do not receive output schemas, so rules for models and their interfaces do not apply.
  ["default-does-not-fit", { a: { type: "string", default: 1 } }, []],
  ["pattern-lookaround", { a: { pattern: "(?=a)" } }, []],
  ["gemini-enum", { a: { enum: [1] } }, []],
])("%s in results: %j at %j", (id, properties, pointers) => {
  const outputSchema = { type: "object", properties };
  expect(found({ outputSchema }, id)).toEqual(
    pointers.map((each) => `/tools/0/outputSchema/properties${each}`),
  );
});

test("results that are not objects, and results without a type", () => {
  const rulesAt = (outputSchema: JsonObject): readonly string[] =>
    lintContract(contract({ outputSchema }), ["claude"]).map(({ rule, pointer }) => `${rule.id} ${pointer}`);
  expect(rulesAt({ type: "array" })).toEqual(["result-not-object /tools/0/outputSchema"]);
  expect(rulesAt({ type: ["string", "null"] })).toEqual(["result-not-object /tools/0/outputSchema"]);
  expect(rulesAt({ oneOf: [{ type: "object" }] })).toEqual(["result-without-type /tools/0/outputSchema"]);
  expect(rulesAt({ type: ["object", "null"] })).toEqual(["result-without-type /tools/0/outputSchema"]);
  expect(rulesAt({ type: "object" })).toEqual([]);
});

test("definitions that `dependencies` of older drafts refer to count as used", () => {
  const inputSchema = {
    type: "object",
    dependencies: { a: { $ref: "#/$defs/A" }, b: ["a"] },
    $defs: { A: { type: "object" } },
  };
  expect(found({ inputSchema }, "unused-definition")).toEqual([]);
});

test("three rules are warnings for Gemini, and errors for its older field", () => {
  const of = (chosen: readonly (typeof profiles)[number][]): string[] =>
    lintContract(contract(value({ type: ["string", "null"] })), chosen).map(
      ({ rule, level, profiles: concerned }) => `${rule.id} ${level} ${concerned.join()}`,
    );
  expect(of(["gemini"])).toEqual(["gemini-type-list warning gemini"]);
  expect(of(["gemini", "gemini-parameters"])).toEqual(["gemini-type-list error gemini,gemini-parameters"]);
});

test("the cost of a tool is the cost of its entry in the list", () => {
  const [cost] = toolCosts(contract({ name: "größe" }));
  const bytes = new TextEncoder().encode(JSON.stringify(contract({ name: "größe" }).tools![0])).length;
  expect(cost).toEqual({ tool: "größe", pointer: "/tools/0", bytes, tokens: Math.ceil(bytes / 4) });
});

test("5,000 tools and unions of 2,000 arms are checked quickly", () => {
  const many = Array.from({ length: 5000 }, (_, index) => ({ name: `tool_${index}` }));
  expect(lintContract(contract(...many), ["claude", "openai", "gemini"]).length).toBe(0);
  const arms = Array.from({ length: 2000 }, (_, index) => ({ const: index }));
  expect(found(value({ anyOf: arms }), "ambiguous-union")).toEqual([]);
});

test("ids are unique, also among the ids of diff", () => {
  const ids = lintRules.map(({ id }) => id);
  expect(new Set([...ids, ...ruleIds]).size).toBe(ids.length + ruleIds.length);
});

test.each(lintRules)("the reason and the fix of $id are sentences", ({ reason, fix }) => {
  for (const each of [reason, fix]) expect(each).toMatch(/^[A-Z`].*[.`)]$/);
});

test("docs/lint.md is up to date (node scripts/run-ts.mjs scripts/lint-rules.ts)", () => {
  expect(readFileSync("docs/lint.md", "utf8")).toBe(lintManual());
});
