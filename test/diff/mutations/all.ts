import type { JsonValue } from "@mcpgen/engine";
import { limitChanges } from "./limits.js";
import { type Make, object, tagged } from "./mutation.js";
import { objectChanges } from "./objects.js";
import { itemChanges, typeChanges, unionChanges } from "./types.js";

/** Mutations of every construct of a schema. */
export const mutations: readonly Make[] = [
  ...typeChanges,
  ...itemChanges,
  ...unionChanges,
  ...limitChanges,
  ...objectChanges,
];

/** Schemas around a value's schema that do not affect how a change of it is classified. */
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
