import { type SchemaNode, type TypeName, canonicalText } from "@mcpgen/engine";
import { assertions } from "./assertions.js";
import { type Shapes, kindOfType } from "./shape.js";

/**
 * Drops arms of a union if the schema proves that another arm accepts all their values. The result of
 * validation is the same, with fewer arms to try.
 */
export function withoutCovered(shapes: Shapes, arms: readonly SchemaNode[]): readonly SchemaNode[] {
  if (arms.length > mostCompared) return withoutRepeated(shapes, arms);
  const kept: SchemaNode[] = [];
  for (const [index, arm] of arms.entries()) {
    const covered =
      kept.some((other) => covers(shapes, other, arm)) ||
      arms.slice(index + 1).some((other) => covers(shapes, other, arm) && !covers(shapes, arm, other));
    if (!covered) kept.push(arm);
  }
  return kept;
}

/** Maximum number of arms that are compared pairwise; with more, only duplicates are found. */
const mostCompared = 128;

function withoutRepeated(shapes: Shapes, arms: readonly SchemaNode[]): SchemaNode[] {
  const different = new Map<string, SchemaNode>();
  for (const arm of arms) {
    const key = keyOf(shapes, arm);
    if (!different.has(key)) different.set(key, arm);
  }
  return [...different.values()];
}

/** Whether `wide` certainly accepts all values that `narrow` accepts. */
export function covers(shapes: Shapes, wide: SchemaNode, narrow: SchemaNode): boolean {
  const target = throughAlias(shapes, wide);
  if (target === throughAlias(shapes, narrow) || shapes.isTrivial(target)) return true;
  if (shapes.isOpen(target)) return false;
  const parts = shapes.conjuncts(narrow);
  if (parts.some((part) => shapes.isOpen(part))) return false;
  const keys = assertions(target);
  if (keys.every((key) => key === "types")) return coversTypes(shapes, target.types!, narrow);
  if (keys.every((key) => key === "types" || key === "properties" || key === "required")) {
    return coversObject(shapes, target, narrow, parts);
  }
  return (
    haveSameKeys(keys, assertions(throughAlias(shapes, narrow))) &&
    keyOf(shapes, target) === keyOf(shapes, narrow)
  );
}

function coversTypes(shapes: Shapes, types: readonly TypeName[], narrow: SchemaNode): boolean {
  const integersOnly = types.includes("integer") && !types.includes("number");
  const kinds = shapes.kindsOf(narrow);
  if (integersOnly && kinds.has("number") && !narrow.types?.every((type) => type !== "number")) return false;
  const allowed = new Set(types.map(kindOfType));
  return [...kinds].every((kind) => allowed.has(kind));
}

function coversObject(
  shapes: Shapes,
  wide: SchemaNode,
  narrow: SchemaNode,
  parts: readonly SchemaNode[],
): boolean {
  if (!shapes.isOnly("object", narrow)) return false;
  if (wide.types && !wide.types.includes("object")) return false;
  const required = shapes.requiredBy(narrow);
  if (!(wide.required ?? []).every((name) => required.has(name))) return false;
  return [...(wide.properties ?? [])].every(
    ([name, child]) =>
      shapes.isTrivial(child) ||
      parts.some((part) => {
        const own = part.properties?.get(name);
        return own !== undefined && covers(shapes, child, own);
      }),
  );
}

/** A cheap test first: most nodes that differ have different keywords. */
function haveSameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}

/** The node itself, or the definition it refers to if it has no other keyword. */
function throughAlias(shapes: Shapes, node: SchemaNode): SchemaNode {
  let current = node;
  while (current.ref !== undefined && assertions(current).length === 1)
    current = shapes.definition(current.ref);
  return current;
}

/** A text that is equal for nodes with the same schema. References are compared by name. */
function keyOf(shapes: Shapes, node: SchemaNode): string {
  return JSON.stringify(plain(shapes, throughAlias(shapes, node)));
}

function plain(shapes: Shapes, value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, child]) => [key, plain(shapes, child)]);
  if (Array.isArray(value)) return value.map((item) => plain(shapes, item));
  if (typeof value !== "object" || value === null) return value;
  const node = value as SchemaNode;
  // Unevaluated parts also depend on keywords that accept every value, so such nodes are never equal.
  if (node.unevaluatedProperties ?? node.unevaluatedItems) return ["only", node.pointer];
  const stated = assertions(node).map((key) => {
    if (key === "const") return [key, canonicalText(node.const!.value)];
    if (key === "enum") return [key, canonicalText([...node.enum!])];
    return [key, plain(shapes, node[key])];
  });
  return shapes.isOpen(node) ? ["open", ...stated] : stated;
}
