import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Contract, ContractTool } from "../../../generator/contract/contract.js";
import { diffContracts } from "../../../generator/diff/contract/diff-contracts.js";
import { changeText, subjectText } from "../../../generator/diff/finding.js";

const inputSchema: JsonObject = {
  type: "object",
  properties: {
    city: { type: "string", description: "Where." },
    unit: { enum: ["celsius", "fahrenheit"] },
    days: { type: "integer", minimum: 1, maximum: 7 },
    at: { $ref: "#/$defs/Point" },
  },
  required: ["city"],
  $defs: { Point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } },
};
const outputSchema: JsonObject = {
  type: "object",
  properties: { celsius: { type: "number" }, sky: { enum: ["clear", "rain"] } },
  required: ["celsius", "sky"],
};
const tool: ContractTool = {
  name: "get_weather",
  description: "The weather.",
  inputSchema,
  outputSchema,
  annotations: { readOnlyHint: true },
};
const base: Contract = {
  name: "weather",
  version: "1.0.0",
  capabilities: { tools: { listChanged: true }, logging: {} },
  tools: [tool],
  resources: [{ name: "stations", uri: "weather://stations", mimeType: "application/json" }],
  resourceTemplates: [{ name: "station", uriTemplate: "weather://{city}" }],
  prompts: [{ name: "pack", arguments: [{ name: "city", required: true }] }],
};

/** Findings in short: rule, subject, client's and server's level. */
function reported(old: Contract, next: Contract): string[] {
  return diffContracts(old, next).map(
    ({ rule, subject, level }) => `${rule} ${subjectText(subject)} ${level.client}/${level.server}`,
  );
}

/** Any part of a tool, for tests to change. */
// oxlint-disable-next-line typescript/no-explicit-any
type Draft = any;

function withTool(change: (tool: Draft) => void): Contract {
  const changed: Draft = structuredClone(tool);
  change(changed);
  return { ...base, tools: [changed] };
}

describe("one change is one finding, with the level for each role", () => {
  test.each<[string, Contract, string]>([
    ["a tool goes", { ...base, tools: [] }, "tool-removed tools/get_weather breaking/safe"],
    [
      "a tool comes",
      { ...base, tools: [tool, { ...tool, name: "more" }] },
      "tool-added tools/more safe/dangerous",
    ],
    ["a prompt goes", { ...base, prompts: [] }, "prompt-removed prompts/pack breaking/safe"],
    [
      "a resource goes",
      { ...base, resources: [] },
      "resource-removed resources/weather://stations dangerous/safe",
    ],
    [
      "a template goes",
      { ...base, resourceTemplates: [] },
      "resource-template-removed resourceTemplates/weather://{city} breaking/safe",
    ],
    [
      "an argument is required",
      withTool(({ inputSchema: schema }) => schema.required.push("unit")),
      "property-became-required tools/get_weather.arguments.unit breaking/safe",
    ],
    [
      "an argument is new and required",
      withTool(({ inputSchema: schema }) => {
        schema.properties.token = { type: "string" };
        schema.required.push("token");
      }),
      "property-added-required tools/get_weather.arguments.token breaking/safe",
    ],
    [
      "an argument is new",
      withTool(({ inputSchema: schema }) => (schema.properties.hint = { type: "string" })),
      "property-added-optional tools/get_weather.arguments.hint safe/safe",
    ],
    [
      "a choice of an argument goes",
      withTool(({ inputSchema: schema }) => schema.properties.unit.enum.pop()),
      "enum-value-removed tools/get_weather.arguments.unit breaking/safe",
    ],
    [
      "a definition's member has another type",
      withTool(({ inputSchema: schema }) => (schema.$defs.Point.properties.x.type = "string")),
      "type-changed tools/get_weather.arguments.$defs/Point.x breaking/breaking",
    ],
    [
      "a result may be missing",
      withTool(({ outputSchema: schema }) => schema.required.pop()),
      "property-became-optional tools/get_weather.result.sky breaking/safe",
    ],
    [
      "a result has a value more",
      withTool(({ outputSchema: schema }) => schema.properties.sky.enum.push("mist")),
      "enum-value-added tools/get_weather.result.sky dangerous/safe",
    ],
    [
      "no result is promised",
      withTool((changed) => delete changed.outputSchema),
      "output-schema-removed tools/get_weather.result breaking/safe",
    ],
    [
      "the tool may write",
      withTool((changed) => (changed.annotations = {})),
      "hint-weakened tools/get_weather.annotations.readOnlyHint dangerous/safe",
    ],
    [
      "the tool destroys nothing",
      withTool((changed) => (changed.annotations.destructiveHint = false)),
      "hint-strengthened tools/get_weather.annotations.destructiveHint safe/safe",
    ],
    [
      "the description is another",
      withTool((changed) => (changed.description += " Ask for it first.")),
      "text-changed tools/get_weather.description safe/safe",
    ],
    [
      "an argument is described otherwise",
      withTool(({ inputSchema: schema }) => (schema.properties.city.description = "MUST be a city.")),
      "text-changed tools/get_weather.arguments.city safe/safe",
    ],
    [
      "an argument is described for the first time",
      withTool(({ inputSchema: schema }) => (schema.properties.days.description = "How many.")),
      "text-changed tools/get_weather.arguments.days safe/safe",
    ],
    [
      "the schema says the same in other words",
      withTool(({ inputSchema: schema }) => (schema.properties.unit.enum = ["fahrenheit", "celsius"])),
      "schema-rewritten tools/get_weather.arguments safe/safe",
    ],
    [
      "an argument of a prompt may be left out",
      { ...base, prompts: [{ name: "pack", arguments: [{ name: "city" }] }] },
      "property-became-optional prompts/pack.arguments.city safe/breaking",
    ],
    [
      "a capability goes",
      { ...base, capabilities: { tools: { listChanged: false }, logging: {} } },
      "capability-removed server.capabilities.tools.listChanged dangerous/safe",
    ],
    [
      "the instructions are others",
      { ...base, instructions: "Use it." },
      "text-changed server.instructions safe/safe",
    ],
    [
      "a number gets a format",
      withTool(({ inputSchema: { properties } }: Draft) => (properties.days.format = "int32")),
      "bound-tightened tools/get_weather.arguments.days dangerous/safe",
    ],
    [
      "the content is of another kind",
      { ...base, resources: [{ ...base.resources![0]!, mimeType: "text/csv" }] },
      "media-type-changed resources/weather://stations.mimeType dangerous/safe",
    ],
  ])("%s", (_, next, finding) => {
    expect(reported(base, next)).toEqual([finding]);
  });
});

describe("support for tasks", () => {
  const calls = (taskSupport?: string, more: object = {}): Contract =>
    withTool((draft) => (draft.execution = { ...(taskSupport && { taskSupport }), ...more }));
  test.each([
    [undefined, "required", "task-call-required", "breaking/dangerous"],
    ["forbidden", "required", "task-call-required", "breaking/dangerous"],
    ["optional", "required", "task-call-required", "breaking/safe"],
    ["required", "forbidden", "task-call-forbidden", "breaking/dangerous"],
    ["required", undefined, "task-call-forbidden", "breaking/dangerous"],
    ["optional", undefined, "task-call-forbidden", "dangerous/safe"],
    [undefined, "optional", "task-call-optional", "safe/dangerous"],
    ["required", "optional", "task-call-optional", "safe/dangerous"],
    [undefined, "forbidden", "listing-changed", "safe/safe"],
    ["optional", "sometimes", "listing-changed", "safe/safe"],
  ])("from %s to %s: %s", (old, next, rule, levels) => {
    expect(reported(calls(old), calls(next))).toEqual([
      `${rule} tools/get_weather.execution.taskSupport ${levels}`,
    ]);
  });

  test("an added object is one finding, beside findings about its members", () => {
    expect(reported(base, calls("required", { priority: 1 }))).toEqual([
      "task-call-required tools/get_weather.execution.taskSupport breaking/dangerous",
      "listing-changed tools/get_weather.execution.priority safe/safe",
    ]);
  });
});

describe("a header that repeats an argument", () => {
  const header = (city?: string, more: (schema: Draft) => unknown = () => {}): Contract =>
    withTool(({ inputSchema: schema }) => {
      if (city !== undefined) schema.properties.city["x-mcp-header"] = city;
      more(schema);
    });
  test.each([
    ["is added", undefined, "City", ["header-added tools/get_weather.arguments.city breaking/safe"]],
    ["is removed", "City", undefined, ["header-removed tools/get_weather.arguments.city safe/breaking"]],
    ["is renamed", "City", "Town", ["header-renamed tools/get_weather.arguments.city breaking/breaking"]],
    ["only changes its case", "City", "CITY", ["schema-rewritten tools/get_weather.arguments safe/safe"]],
  ])("%s", (_, old, next, findings) => {
    expect(reported(header(old), header(next))).toEqual(findings);
  });

  test("is reported at the place of a member, but not separately for a new argument", () => {
    const nested = (more: object): Contract =>
      header(undefined, ({ properties }) => {
        properties.place = { type: "object", properties: { zone: { type: "string", ...more } } };
      });
    expect(reported(nested({}), nested({ "x-mcp-header": "Zone" }))).toEqual([
      "header-added tools/get_weather.arguments.place.zone breaking/safe",
    ]);
    const region = header(undefined, ({ properties }) => {
      properties.region = { type: "string", "x-mcp-header": "Region" };
    });
    expect(reported(base, region)).toEqual([
      "property-added-optional tools/get_weather.arguments.region safe/safe",
    ]);
  });
});

test("a contract does not differ from itself, whatever its order", () => {
  expect(reported(base, structuredClone(base))).toEqual([]);
  const turned = JSON.parse(JSON.stringify(base), (_, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).reverse())
      : value,
  ) as Contract;
  expect(reported(base, turned)).toEqual([]);
  const two = { ...base, tools: [tool, { ...tool, name: "more" }] };
  expect(reported(two, { ...two, tools: two.tools.toReversed() })).toEqual([]);
});

test("a breaking change has a counterexample: arguments that only one contract accepts", () => {
  const next = withTool(({ inputSchema: schema }) => (schema.properties.days.maximum = 5));
  const [finding] = diffContracts(base, next);
  expect(finding).toMatchObject({ rule: "bound-tightened", writers: ["client"], methods: ["tools/call"] });
  const { value, valid } = finding!.counterexample!;
  expect(valid).toEqual({ old: true, new: false });
  expect((value as { days: number }).days).toBeGreaterThan(5);
  expect(finding!.pointers.new).toBe("/tools/0/inputSchema/properties/days");
});

test("the same change of two tools has two fingerprints, one group, and stays the same when tools move", () => {
  const two = (schema: JsonObject, names: readonly string[]): Contract => ({
    ...base,
    tools: names.map((name) => ({ ...tool, name, inputSchema: schema })),
  });
  const changed = { ...inputSchema, required: ["city", "unit"] };
  const prints = (names: readonly string[]): string[] =>
    diffContracts(two(inputSchema, names), two(changed, names)).map(({ fingerprint }) => fingerprint);
  expect(new Set(prints(["a", "b"])).size).toBe(2);
  expect(prints(["b", "a"]).sort()).toEqual(prints(["a", "b"]).sort());
});

test("a schema that cannot be read is reported, and hides no other finding", () => {
  const next = withTool((changed) => {
    changed.inputSchema = { type: "object", $ref: "https://example.com/elsewhere" };
    changed.description = "Other.";
  });
  expect(reported(base, next)).toEqual([
    "schema-not-compared tools/get_weather.arguments dangerous/dangerous",
    "text-changed tools/get_weather.description safe/safe",
  ]);
  for (const [old, new_, side] of [
    [base, next, "new"],
    [next, base, "old"],
  ] as const) {
    const finding = diffContracts(old, new_).find(({ rule }) => rule === "schema-not-compared")!;
    expect(changeText(finding)).toMatch(
      new RegExp(`^the ${side} one cannot be read: .*https://example.com/elsewhere`),
    );
    expect(finding.advice).toBe(`Correct the ${side} schema: it cannot be read here.`);
  }
});

describe("a part that cannot be read in one schema hides no change of another part", () => {
  const old = { type: "string" };
  test.each<[string, JsonValue, JsonValue, string]>([
    ["a pattern", { ...old, pattern: "[\\w-.]" }, { ...old, pattern: "[\\w-.]" }, "p"],
    ["a pattern that was mended", { ...old, pattern: "(?i)a" }, { ...old, pattern: "a" }, "p"],
    ["a pattern that was spoilt", { ...old, pattern: "a" }, { ...old, pattern: "(" }, "p"],
    ["an annotation", { ...old, title: null }, { ...old, title: 5 }, "p"],
    ["a reference to nothing", { $ref: "#/$defs/Nope" }, old, "p"],
    ["a type that is none", old, { type: "any" }, "p"],
    ["a part that is no schema", old, null, "p"],
    [
      "a pattern of names beside others",
      { type: "object", patternProperties: { "(": { ...old }, a: { ...old } } },
      { type: "object", patternProperties: { "(": { ...old }, b: { ...old } } },
      "p{}",
    ],
    ["an item", { type: "array", items: [old] }, { type: "array", items: old }, "p[]"],
    ["an arm", { oneOf: [old, { minLength: "1" }] }, { oneOf: [old, { minLength: 1 }] }, "p"],
    [
      "a pattern of names",
      { type: "object", patternProperties: { "(": old } },
      { type: "object", patternProperties: { "()": old } },
      "p{}",
    ],
  ])("%s", (_, before, after, place) => {
    const offering = (p: JsonValue, a: string) => ({
      ...base,
      tools: [{ name: "t", inputSchema: { type: "object", properties: { p, a: { type: a } } } }],
    });
    expect(reported(offering(before, "string"), offering(after, "number"))).toEqual([
      "type-changed tools/t.arguments.a breaking/breaking",
      `schema-not-compared tools/t.arguments.${place} dangerous/dangerous`,
    ]);
  });
});

test("a method of the client that calls another tool is reported", () => {
  const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
  const offering = (...names: string[]) => ({ ...base, tools: names.map(tool) });
  expect(reported(offering("get-user", "list"), offering("list", "get-user", "get_user"))).toEqual([
    "tool-added tools/get_user safe/dangerous",
    "method-moved client.tools.getUser dangerous/safe",
  ]);
  expect(reported(offering("get_user", "get-user"), offering("get-user", "get_user"))).toEqual([]);
});

test("severities of the configuration hold for rules of contracts", () => {
  const policy = {
    readers: "open",
    severities: { "text-changed": "dangerous", "tool-removed": "off" },
  } as const;
  const next = { ...base, instructions: "x", tools: [] };
  expect(diffContracts(base, next, policy)).toMatchObject([{ rule: "text-changed" }]);
  expect(diffContracts(base, next, policy)[0]!.level).toEqual({ client: "dangerous", server: "dangerous" });
});

test("a list implies its capability, whether or not a contract declares it", () => {
  const { capabilities: _, ...undeclared } = base;
  const declared = { ...base, capabilities: { tools: {}, resources: {}, prompts: {} } };
  expect(reported(undeclared, declared)).toEqual([]);
  expect(reported(declared, undeclared)).toEqual([]);
  const completing = { ...declared, capabilities: { ...declared.capabilities, completions: {} } };
  expect(reported(undeclared, completing)).toEqual([
    "capability-added server.capabilities.completions safe/safe",
  ]);
  const { resources: __, resourceTemplates: ___, ...few } = undeclared;
  expect(
    reported({ ...few, capabilities: { tools: {} } }, { ...few, capabilities: { resources: {} } }),
  ).toEqual(["capability-added server.capabilities.resources safe/safe"]);
});

test.each<[string, readonly JsonObject[], readonly JsonObject[], readonly string[]]>([
  [
    "one arm changes",
    [{ maxLength: 2 }, { format: "date" }],
    [{ format: "date" }, { maxLength: 1 }],
    ["bound-tightened maxLength 2 → maxLength 1"],
  ],
  [
    "each arm changes",
    [{ maxLength: 2 }, { minLength: 10 }],
    [{ maxLength: 1 }, { minLength: 12 }],
    ["bound-tightened maxLength 2 or minLength 10 → maxLength 1 or minLength 12"],
  ],
  [
    "an arm goes",
    [{ maxLength: 2 }, { minLength: 10 }, { pattern: "^abc$" }],
    [{ pattern: "^abc$" }, { maxLength: 2 }],
    ['bound-tightened maxLength 2 or minLength 10 or pattern "^abc$" → maxLength 2 or pattern "^abc$"'],
  ],
  [
    "arms change their order",
    [{ maxLength: 2 }, { minLength: 9 }],
    [{ minLength: 9 }, { maxLength: 2 }],
    ["schema-rewritten null → null"],
  ],
  [
    "arms are limited by schemas",
    [{ not: { const: "a" } }, { maxLength: 1, not: { const: "b" } }],
    [{ not: { const: "c" } }, { maxLength: 1, not: { const: "b" } }],
    [
      'bound-tightened not {"const":"a"} → not {"const":"c"}',
      'bound-loosened not {"const":"a"} → not {"const":"c"}',
    ],
  ],
])("arms of one type differ in their limits: %s", (_name, old, next, found) => {
  const contract = (arms: readonly JsonObject[]): Contract =>
    withTool((changed) => {
      changed.inputSchema.properties.city = { anyOf: arms.map((arm) => ({ type: "string", ...arm })) };
    });
  const findings = diffContracts(contract(old), contract(next));
  expect(findings.map(({ rule, old: before, new: after }) => `${rule} ${before} → ${after}`)).toEqual(found);
});

describe("a value proves a tightened limit", () => {
  const starting = { type: "string", pattern: "^t" };
  const short = { type: "string", maxLength: 2 };
  const long = { type: "string", minLength: 10 };
  const [few, many] = [
    { type: "integer", exclusiveMinimum: 2, maximum: 4 },
    { type: "integer", minimum: 1000 },
  ];

  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      "of an arm that went, beyond those that are left",
      { anyOf: [starting, short] },
      { anyOf: [{ type: "boolean" }, short] },
      {},
    ],
    ["of an arm with a pattern", { anyOf: [starting, long] }, { anyOf: [long] }, {}],
    [
      "between two ends",
      { exclusiveMinimum: 0, anyOf: [few, { type: "integer", maximum: 0 }] },
      {
        exclusiveMinimum: 0,
        anyOf: [
          { ...few, exclusiveMinimum: 3 },
          { type: "integer", maximum: 0 },
        ],
      },
      {},
    ],
    [
      "beside members whose first arm takes nothing",
      { type: "integer", maximum: 600 },
      { type: "integer", maximum: 500 },
      {
        height: { exclusiveMinimum: 0, anyOf: [{ type: "integer", maximum: 0 }, many] },
        date: { pattern: "^\\d{4}-\\d{2}$", anyOf: [short, { type: "string", minLength: 4 }] },
      },
    ],
  ])("%s", (_, before, after, beside) => {
    const contractOf = (width: JsonObject): Contract => {
      const properties = { width, ...beside };
      const inputSchema = { type: "object", properties, required: Object.keys(properties) };
      return { ...base, tools: [{ name: "t", inputSchema }] };
    };
    const findings = diffContracts(contractOf(before), contractOf(after)).filter(
      ({ rule }) => rule === "bound-tightened",
    );
    expect(findings).toMatchObject([{ level: { client: "breaking" }, counterexample: expect.anything() }]);
  });
});

test("removing a member breaks its writers, even if its first arm accepts no value", () => {
  const width: JsonObject = {
    exclusiveMinimum: 0,
    anyOf: [
      { type: "integer", maximum: 0 },
      { type: "integer", minimum: 1000 },
    ],
  };
  const contractOf = (properties: JsonObject): Contract => {
    const inputSchema = {
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    };
    return { ...base, tools: [{ name: "t", inputSchema }] };
  };
  const height = { type: "integer" };
  const findings = diffContracts(contractOf({ width, height }), contractOf({ height }));
  expect(findings).toMatchObject([
    { rule: "property-removed", level: { client: "breaking", server: "breaking" } },
  ]);
});

describe("values of an enum beside other arms of a union, or inside an arm", () => {
  const listed = { type: "string", enum: ["day", "week"] };
  const dates = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" };
  const [short, long] = [
    { type: "string", maxLength: 3 },
    { type: "string", minLength: 10 },
  ];

  test.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ["its arm goes", { anyOf: [listed, dates] }, dates, ["removed day", "removed week"]],
    ["its arm comes", dates, { anyOf: [listed, dates] }, ["added day", "added week"]],
    [
      "its arm goes, and another one takes a value",
      { anyOf: [listed, dates] },
      { anyOf: [short, dates] },
      ["removed week"],
    ],
    [
      "the arms around it change",
      { ...listed, anyOf: [short, long] },
      { ...listed, anyOf: [long] },
      ["removed day"],
    ],
    ["an arm takes all of its values", { anyOf: [listed, { type: "string" }] }, { type: "string" }, []],
  ])("%s", (_, before, after, expected) => {
    const contractOf = (span: JsonObject): Contract => ({
      ...base,
      tools: [{ name: "t", inputSchema: { type: "object", properties: { span } } }],
    });
    const findings = diffContracts(contractOf(before), contractOf(after)).filter(({ rule }) =>
      rule.startsWith("enum-value"),
    );
    expect(
      findings.map((each) => `${each.rule.slice(11)} ${JSON.parse(each.old ?? each.new!)}`).sort(),
    ).toEqual(expected);
    for (const { rule, level, counterexample } of findings) {
      if (rule === "enum-value-removed") expect(counterexample).toBeDefined();
      expect(rule === "enum-value-removed" ? level.client : level.server).not.toBe("safe");
    }
  });
});

test("a number of an arm that becomes whole has a counterexample within its limits", () => {
  const contractOf = (first: JsonObject): Contract => ({
    ...base,
    tools: [
      {
        name: "t",
        inputSchema: {
          type: "object",
          properties: { n: { anyOf: [first, { type: "number", maximum: 0.4 }] } },
        },
      },
    ],
  });
  const [finding] = diffContracts(
    contractOf({ type: "number", minimum: 1000 }),
    contractOf({ type: "integer", minimum: 1000 }),
  );
  expect(finding).toMatchObject({ rule: "number-to-integer", level: { client: "breaking" } });
});

describe("for incomplete lists, only entries in both are compared", () => {
  const two: Contract = { ...base, tools: [tool, { ...tool, name: "only_old" }] };
  const changed: Draft = structuredClone(tool);
  changed.inputSchema.required = ["city", "unit"];
  const other: Contract = { ...base, tools: [changed, { ...tool, name: "only_new" }] };
  const partial = { complete: false, asked: { tools: [{}] } };
  const stricter = "property-became-required tools/get_weather.arguments.unit";
  const removed = "tool-removed tools/only_old";
  const added = "tool-added tools/only_new";

  test.each<[string, object, object, string[]]>([
    ["both are complete", {}, {}, [stricter, removed, added]],
    ["the old one is incomplete", partial, {}, [stricter, removed]],
    ["the new one is incomplete", {}, partial, [stricter, added]],
    ["both are incomplete", partial, partial, [stricter]],
  ])("%s", (_, old, next, expected) => {
    const found = reported({ ...two, ...old }, { ...other, ...next });
    expect(found.map((each) => each.split(" ").slice(0, 2).join(" ")).sort()).toEqual([...expected].sort());
  });

  test("a method of the client does not move because its entry is not listed", () => {
    const named = (...names: string[]): Contract => ({
      ...base,
      tools: names.map((name) => ({ ...tool, name })),
    });
    const old = named("get_weather", "get-weather");
    expect(reported(old, named("get-weather")).join()).toContain("method-moved");
    expect(reported(old, { ...named("get-weather"), ...partial })).toEqual([]);
  });
});

test("removing an open arm breaks callers, although another arm accepts its smallest value", () => {
  const closed = { type: "object", properties: { text: { type: "string" } }, additionalProperties: false };
  const place = (...arms: JsonObject[]) =>
    withTool((draft) => (draft.inputSchema.properties.place = { anyOf: arms }));
  const open = { type: "object" };
  const narrower = { type: "object", properties: { added: {} }, required: ["added"] };
  const findings = reported(
    place(closed, { type: "string" }, open),
    place({ ...closed, type: ["object", "null"] }, { type: "string" }, narrower),
  );
  expect(findings).toContainEqual(expect.stringMatching(/ breaking\/\w+$/));
});
