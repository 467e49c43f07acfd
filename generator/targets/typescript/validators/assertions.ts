import type { SchemaNode } from "@mcpgen/engine";

/** Keywords of a node that do not affect validity. */
const annotations: ReadonlySet<string> = new Set(
  (
    "pointer always open typeText format contentEncoding contentMediaType contentSchema title description default " +
    "examples readOnly writeOnly deprecated"
  ).split(" "),
);

/** The keywords of a node that can reject a value. */
export function assertions(node: SchemaNode): readonly (keyof SchemaNode)[] {
  let keys = asserted.get(node);
  if (!keys) {
    keys = computeAssertions(node);
    if (++count > mostNodes) {
      asserted = new WeakMap();
      count = 1;
    }
    asserted.set(node, keys);
  }
  return keys;
}

/** Number of nodes whose result is cached; nearby nodes are read repeatedly. */
const mostNodes = 4096;
let asserted = new WeakMap<SchemaNode, readonly (keyof SchemaNode)[]>();
let count = 0;

function computeAssertions(node: SchemaNode): (keyof SchemaNode)[] {
  return (Object.keys(node) as (keyof SchemaNode)[]).filter(
    (key) => !annotations.has(key) && !isIdle(node, key),
  );
}

/** Whether a keyword is present but accepts every value. */
function isIdle(node: SchemaNode, key: keyof SchemaNode): boolean {
  const value = node[key];
  if (value === undefined) return true;
  switch (key) {
    case "additionalProperties":
    case "propertyNames":
    case "items":
    case "unevaluatedProperties":
    case "unevaluatedItems":
      return assertions(value as SchemaNode).length === 0;
    case "properties":
    case "patternProperties":
      return (
        [...(value as ReadonlyMap<string, SchemaNode>).values()].every(
          (child) => assertions(child).length === 0,
        ) &&
        // `additionalProperties` does not apply to named members, so both must be idle.
        (node.additionalProperties === undefined || isIdle(node, "additionalProperties"))
      );
    case "prefixItems":
      return (
        (value as readonly SchemaNode[]).every((child) => assertions(child).length === 0) &&
        (node.items === undefined || isIdle(node, "items"))
      );
    case "required":
      return (value as readonly string[]).length === 0;
    case "dependentRequired":
      return [...node.dependentRequired!.values()].every((names) => names.length === 0);
    case "then":
    case "else":
      return node.if === undefined;
    case "if":
      return node.then === undefined && node.else === undefined;
    case "minContains":
    case "maxContains":
      return node.contains === undefined;
    case "minItems":
    case "minLength":
    case "minProperties":
      return value === 0;
    default:
      return false;
  }
}
