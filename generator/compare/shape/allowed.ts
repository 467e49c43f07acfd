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
