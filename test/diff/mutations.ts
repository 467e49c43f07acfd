import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Random } from "../../generator/sample/random.js";

/** One change of a value's schema, and the row of the rule table that it must be classed by. */
export interface Mutation {
  readonly old: JsonValue;
  readonly new: JsonValue;
  readonly rule: string;
  readonly when?: string;
}

type Make = (random: Random) => Mutation;

const scalars = ["string", "boolean", "number"] as const;

const object = (
  properties: JsonObject,
  required: string[] = Object.keys(properties),
  more: JsonObject = {},
): JsonObject => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
  ...more,
});

const tagged = (tag: string, more: JsonObject = {}, key = "type"): JsonObject =>
  object({ [key]: { type: "string", const: tag }, ...more });

const word = (random: Random): string =>
  random.pick(["alpha", "beta", "gamma", "delta", "_meta", "a/b~c", "io.example/key"]);

/** Two different members of a list. */
function two<T>(values: readonly T[], random: Random): [T, T] {
  const first = random.pick(values);
  return [first, random.pick(values.filter((value) => value !== first))];
}

/** Two different members of a list, each as a schema. */
function twoSchemas<T>(
  values: readonly T[],
  random: Random,
  schema: (value: T) => JsonValue,
): [JsonValue, JsonValue] {
  const [first, second] = two(values, random);
  return [schema(first), schema(second)];
}

/** A change and its mirror. */
function both(
  rule: string,
  mirror: string,
  make: (random: Random) => readonly [JsonValue, JsonValue],
): Make[] {
  return [
    (random) => {
      const [old, next] = make(random);
      return { old, new: next, rule };
    },
    (random) => {
      const [next, old] = make(random);
      return { old, new: next, rule: mirror };
    },
  ];
}

const anyValue = (random: Random): JsonObject =>
  random.pick<JsonObject>([
    { type: "string" },
    { type: "number" },
    { type: "array", items: { type: "string" } },
    object({ inner: { type: "boolean" } }),
  ]);

const typeChanges: readonly Make[] = [
  ...both("type-widened", "type-narrowed", (random) => {
    const [one, other] = two(scalars, random);
    return random.chance(0.5)
      ? [{ type: one }, { type: [one, other] }]
      : [{ type: one }, { anyOf: [{ type: one }, { type: other }] }];
  }),
  ...both("type-widened", "type-narrowed", (random) => [
    anyValue(random),
    random.pick<JsonValue>([{}, true]),
  ]),
  ...both("type-changed", "type-changed", (random) =>
    twoSchemas([...scalars, "array", "object"], random, (type) => ({ type })),
  ),
  ...both("nullable-added", "nullable-removed", (random) => {
    const value = anyValue(random);
    const isScalar = value["type"] === "string" || value["type"] === "number";
    return isScalar && random.chance(0.5)
      ? [value, { type: [value["type"]!, "null"] }]
      : [value, { anyOf: [value, { type: "null" }] }];
  }),
  ...both("integer-to-number", "number-to-integer", () => [{ type: "integer" }, { type: "number" }]),
  ...both("enum-value-added", "enum-value-removed", (random) => {
    const values = ["a", "b", "c", "d"].slice(0, 1 + random.below(3));
    return [
      { type: "string", enum: values },
      { type: "string", enum: [...values, "new"] },
    ];
  }),
  ...both("enum-value-added", "enum-value-removed", () => [{ enum: [1, 2] }, { enum: [1, 2, 3] }]),
  ...both("enum-opened", "enum-closed", (random) => [
    { type: "string", enum: ["a", "b"] },
    random.chance(0.5) ? { type: "string" } : { anyOf: [{ enum: ["a", "b"] }, { type: "string" }] },
  ]),
  ...both("const-removed", "const-added", (random) => [
    random.pick<JsonValue>([{ const: "a" }, { type: "string", const: "a" }, { enum: ["a"] }]),
    { type: "string" },
  ]),
  ...both("const-changed", "const-changed", (random) =>
    twoSchemas(["2.0", "1.0", "x", ""], random, (value) => ({ const: value })),
  ),
];

const itemChanges: readonly Make[] = [
  ...both("type-changed", "type-changed", (random) => {
    const last = random.chance(0.5) ? { items: false } : {};
    return [
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], ...last },
      { type: "array", prefixItems: [{ type: "string" }, { type: "boolean" }], ...last },
    ];
  }),
  ...both("type-narrowed", "type-widened", () => [
    { type: "array", prefixItems: [{ type: "string" }] },
    { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
  ]),
  ...both("const-changed", "const-changed", () => [{ const: { a: 1 } }, { const: { a: 2 } }]),
  ...both("enum-value-added", "enum-value-removed", () => [
    { enum: [{ a: 1 }, [1]] },
    { enum: [{ a: 1 }, { b: 2 }, [1]] },
  ]),
  ...both("type-changed", "type-changed", () => [
    { type: ["string", "object"], properties: { a: { type: "string" } }, required: ["a"] },
    { type: ["string", "object"], properties: { a: { type: "number" } }, required: ["a"] },
  ]),
];

const unionChanges: readonly Make[] = [
  (random) => {
    const arms = [tagged("a"), tagged("b", { text: { type: "string" } })];
    const added = tagged("c", random.chance(0.5) ? { more: anyValue(random) } : {});
    return {
      old: { anyOf: arms },
      new: { anyOf: [...arms, added] },
      rule: "union-member-added",
      when: "a tag tells it apart",
    };
  },
  (random) => {
    const arms = [tagged("a"), tagged("b"), tagged("c", { more: anyValue(random) })];
    return { old: { anyOf: arms }, new: { anyOf: arms.slice(0, 2) }, rule: "union-member-removed" };
  },
  ...both("union-member-added", "union-member-removed", (random) => {
    const arms = [tagged("a"), tagged("b")];
    const added = random.pick<JsonValue>([{ type: "string" }, { type: "array", items: tagged("a") }]);
    return [{ anyOf: arms }, { anyOf: [...arms, added] }];
  }),
  ...both("became-union", "union-collapsed", (random) => {
    const one = object({ text: { type: "string" } });
    const other = random.pick<JsonValue>([
      object({ uri: { type: "string" }, size: { type: "number" } }),
      { type: "string" },
      { type: "array", items: one },
    ]);
    return [one, { anyOf: random.chance(0.5) ? [one, other] : [other, one] }];
  }),
  ...both("discriminator-changed", "discriminator-changed", () => {
    const arms = (key: string): JsonValue => ({ anyOf: [tagged("a", {}, key), tagged("b", {}, key)] });
    return [arms("type"), arms("kind")];
  }),
];

/** A limit, tighter than another. */
const limits: readonly ((random: Random) => readonly [JsonValue, JsonValue])[] = [
  (random) => [
    { type: "number" },
    {
      type: "number",
      [random.pick(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])]: random.below(50),
    },
  ],
  () => [
    { type: "integer", minimum: 0 },
    { type: "integer", minimum: 1 },
  ],
  () => [
    { type: "number", maximum: 10 },
    { type: "number", maximum: 9 },
  ],
  () => [
    { type: "number", multipleOf: 2 },
    { type: "number", multipleOf: 4 },
  ],
  (random) => [{ type: "string" }, { type: "string", minLength: 1 + random.below(5) }],
  () => [
    { type: "string", maxLength: 20 },
    { type: "string", maxLength: 5 },
  ],
  (random) => [{ type: "string" }, { type: "string", pattern: random.pick(["^[a-z]+$", "^\\d+$", "^x"]) }],
  (random) => [
    { type: "array", items: { type: "string" } },
    { type: "array", items: { type: "string" }, maxItems: random.below(4) },
  ],
  () => [
    { type: "array", minItems: 1 },
    { type: "array", minItems: 2 },
  ],
  () => [
    { type: "array", items: { type: "string" } },
    { type: "array", items: { type: "string" }, uniqueItems: true },
  ],
  () => [{ type: "object" }, { type: "object", minProperties: 1 }],
  () => [
    { type: "object", maxProperties: 5 },
    { type: "object", maxProperties: 2 },
  ],
];

const text = { type: "string" };

/** Limits that depend on what else is there, or on the keys. */
const conditions: readonly ((random: Random) => readonly [JsonValue, JsonValue])[] = [
  () => [text, { type: "string", not: { const: "text" } }],
  () => [
    { type: "array", items: text },
    { type: "array", items: text, contains: { const: "x" } },
  ],
  () => [
    { type: "array", contains: text, minContains: 1 },
    { type: "array", contains: text, minContains: 2 },
  ],
  ...[
    { dependentRequired: { a: ["b"] } },
    { dependentSchemas: { a: { required: ["b"] } } },
    { if: { required: ["a"] }, then: { required: ["b"] } },
    { patternProperties: { "^x-": text } },
    { propertyNames: { pattern: "^[a-z]+$" } },
  ].map((more): ((random: Random) => readonly [JsonValue, JsonValue]) => () => {
    const properties = { a: text, b: text };
    return [object(properties, []), object(properties, [], more as JsonObject)];
  }),
  () => {
    const arms: JsonValue = [text, { type: ["string", "number"] }];
    return [{ anyOf: arms }, { oneOf: arms }];
  },
];

const limitChanges: readonly Make[] = [
  ...conditions.flatMap((limit) => both("bound-tightened", "bound-loosened", limit)),
  ...limits.flatMap((limit) => both("bound-tightened", "bound-loosened", limit)),
  () => ({
    old: { type: "string" },
    new: { type: "string", format: "uri" },
    rule: "bound-tightened",
    when: "the limit is a format",
  }),
  () => ({ old: { type: "string", format: "uri" }, new: { type: "string" }, rule: "bound-loosened" }),
];

const closed: JsonObject = { additionalProperties: false };

/** Properties that come, go, or change whether they must be there. */
function propertyChanges(): Make[] {
  const makes: Make[] = [];
  for (const isClosed of [false, true]) {
    for (const required of [false, true]) {
      const more = isClosed ? closed : {};
      const pair = (random: Random): readonly [JsonValue, JsonValue] => {
        const key = word(random);
        const without = object({ kept: { type: "string" } }, ["kept"], more);
        const withIt = object(
          { kept: { type: "string" }, [key]: anyValue(random) },
          required ? ["kept", key] : ["kept"],
          more,
        );
        return [without, withIt];
      };
      makes.push((random) => {
        const [old, next] = pair(random);
        const rule = required ? "property-added-required" : "property-added-optional";
        return { old, new: next, rule, ...(isClosed && { when: "the old object is closed" }) };
      });
      makes.push((random) => {
        const [next, old] = pair(random);
        const when = `it was ${required ? "required" : "optional"}${isClosed ? ", and the new object is closed" : ""}`;
        return { old, new: next, rule: "property-removed", when };
      });
    }
  }
  return makes;
}

const objectChanges: readonly Make[] = [
  ...propertyChanges(),
  ...both("property-became-required", "property-became-optional", (random) => {
    const key = word(random);
    const value = anyValue(random);
    return [object({ [key]: value }, []), object({ [key]: value })];
  }),
  ...both("object-closed", "object-opened", (random) => {
    const properties = { kept: anyValue(random) };
    return [
      object(properties, [], random.chance(0.5) ? { additionalProperties: {} } : {}),
      object(properties, [], closed),
    ];
  }),
  ...both("map-value-widened", "map-value-narrowed", (random) => {
    const [one, other] = two(scalars, random);
    return [
      { type: "object", additionalProperties: { type: one } },
      {
        type: "object",
        additionalProperties: random.pick<JsonValue>([
          { type: [one, other] },
          {},
          { anyOf: [{ type: one }, { type: "array" }] },
        ]),
      },
    ];
  }),
  ...both("default-added", "default-removed", (random) => {
    const [value] = two([1, 2, 3], random);
    return [{ type: "number" }, { type: "number", default: value }];
  }),
  ...both("default-changed", "default-changed", (random) =>
    twoSchemas([1, 2, 3], random, (value) => ({ type: "number", default: value })),
  ),
  ...both("deprecated-added", "deprecated-removed", (random) => {
    const value = anyValue(random);
    return [value, { ...value, deprecated: true }];
  }),
];

/** Every construct that a value's schema can change in. */
export const mutations: readonly Make[] = [
  ...typeChanges,
  ...itemChanges,
  ...unionChanges,
  ...limitChanges,
  ...objectChanges,
];

/** Schemas around a value's schema that neither hide nor change what happens to it. */
export const surroundings: readonly ((value: JsonValue) => JsonValue)[] = [
  (value) => object({ value }),
  (value) => object({ value }, []),
  (value) => object({ value: { type: "array", items: value } }),
  (value) => object({ outer: object({ value }, []) }),
  (value) => ({ allOf: [object({ value }), object({ other: { type: "string" } })] }),
  (value) => object({ either: { anyOf: [tagged("here", { value }), tagged("there")] } }),
  (value) => object({ list: { type: "array", items: object({ value }) } }),
  (value) => object({ map: { type: "object", additionalProperties: object({ value }) } }),
  (value) => object({ value: { $ref: "#/$defs/Named" }, named: value }),
];
