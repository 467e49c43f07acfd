import { type JsonValue, jsonEqual } from "@mcpgen/engine";
import { type Conjunction, type ShapeType, shapeTypes } from "./form.js";

/** The types that all nodes let through; `integer` counts as a number with a limit. */
export function allowedTypes(nodes: Conjunction): ShapeType[] {
  if (nodes.some(({ never }) => never)) return [];
  return shapeTypes.filter((type) =>
    nodes.every(
      ({ types }) => !types || types.includes(type) || (type === "number" && types.includes("integer")),
    ),
  );
}

/** The values that constants and enumerations leave, or `undefined` where there are none of these. */
export function allowedValues(nodes: Conjunction): JsonValue[] | undefined {
  let left: JsonValue[] | undefined;
  for (const { const: constant, enum: listed } of nodes) {
    const allowed = constant ? [constant.value] : listed;
    if (!allowed) continue;
    left = left ? left.filter((value) => allowed.some((other) => jsonEqual(value, other))) : [...allowed];
  }
  return left;
}
