import type { JsonValue } from "@mcpgen/engine";
import { type Make, anyValue, both, object, scalars, tagged, two, twoSchemas } from "./mutation.js";

export const typeChanges: readonly Make[] = [
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

export const itemChanges: readonly Make[] = [
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

export const unionChanges: readonly Make[] = [
  (random) => {
    const arms = [tagged("a"), tagged("b", { text: { type: "string" } })];
    const added = tagged("c", random.chance(0.5) ? { more: anyValue(random) } : {});
    return {
      old: { anyOf: arms },
      new: { anyOf: [...arms, added] },
      rule: "union-member-added",
      when: "a tag identifies it",
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
