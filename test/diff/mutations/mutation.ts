import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Random } from "../../../generator/sample/values.js";

/** One change of a value's schema, and the row of the rule table that must classify it. */
export interface Mutation {
  readonly old: JsonValue;
  readonly new: JsonValue;
  readonly rule: string;
  readonly when?: string;
}

export type Make = (random: Random) => Mutation;

export const scalars = ["string", "boolean", "number"] as const;

export const object = (
  properties: JsonObject,
  required: string[] = Object.keys(properties),
  more: JsonObject = {},
): JsonObject => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
  ...more,
});

export const tagged = (tag: string, more: JsonObject = {}, key = "type"): JsonObject =>
  object({ [key]: { type: "string", const: tag }, ...more });

export const word = (random: Random): string =>
  random.pick(["alpha", "beta", "gamma", "delta", "_meta", "a/b~c", "io.example/key"]);

/** Two different members of a list. */
export function two<T>(values: readonly T[], random: Random): [T, T] {
  const first = random.pick(values);
  return [first, random.pick(values.filter((value) => value !== first))];
}

/** Two different members of a list, each as a schema. */
export function twoSchemas<T>(
  values: readonly T[],
  random: Random,
  schema: (value: T) => JsonValue,
): [JsonValue, JsonValue] {
  const [first, second] = two(values, random);
  return [schema(first), schema(second)];
}

/** A change and its mirror. */
export function both(
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

export const anyValue = (random: Random): JsonObject =>
  random.pick<JsonObject>([
    { type: "string" },
    { type: "number" },
    { type: "array", items: { type: "string" } },
    object({ inner: { type: "boolean" } }),
  ]);
