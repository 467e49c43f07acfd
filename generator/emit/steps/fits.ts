import { type SchemaNode, ValueSet } from "@mcpgen/engine";
import { boundsFit } from "../../compare/shape/bounds.js";
import type { Bounds, Conjunction, Form, ShapeArm, Scalar } from "../../compare/shape/form.js";

/** Whether every scalar of `source` may stand where `target` describes. */
export function scalarsFit(source: Form, target: Form): boolean {
  return [...source.scalars].every(([type, scalar]) => {
    const other = target.scalars.get(type);
    return other !== undefined && scalarFits(scalar, other);
  });
}

function scalarFits(source: Scalar, target: Scalar): boolean {
  const fitsFree = (bounds: Bounds): boolean => target.free.some((limits) => boundsFit(bounds, limits));
  const listed = new ValueSet(target.values);
  return (
    source.free.every(fitsFree) && source.values.every((value) => listed.has(value) || fitsFree(new Map()))
  );
}

/** Keywords that describe parts of objects and arrays, each of which has its own plan. */
const ofParts = [
  "properties",
  "required",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
] as const;

/** What an arm says of a value besides what its parts are. */
export function limitsOf({ nodes }: ShapeArm): Conjunction {
  return nodes.map((node) => {
    const rest: { -readonly [K in keyof SchemaNode]: SchemaNode[K] } = { ...node };
    // Which keys a pattern leaves to others only these keywords together say.
    if (!node.patternProperties) for (const keyword of ofParts) delete rest[keyword];
    return rest;
  });
}
