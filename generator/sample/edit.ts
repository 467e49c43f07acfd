import { type JsonObject, type JsonValue, type Schema, type SchemaNode, isJsonObject } from "@mcpgen/engine";
import { memberNodes } from "./build.js";

// Spreads, computed keys and `fromEntries` define members like `JSON.parse`, even `__proto__`; plain
// assignment would not. The results are ordinary objects, because validators must handle those.

/** `root` with the value at `path` replaced. Parts beside the path are shared, not copied. */
export function replaced(root: JsonValue, path: Path, value: JsonValue, depth = 0): JsonValue {
  const key = path[depth];
  if (key === undefined) return value;
  if (Array.isArray(root))
    return root.with(key as number, replaced(root[key as number]!, path, value, depth + 1));
  if (!isJsonObject(root)) return root;
  return { ...root, [key]: replaced(root[key]!, path, value, depth + 1) };
}

/** `object` without the member `key`. */
export function without(object: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = object;
  return rest;
}

/** `object` with the member `key` called `name`, in the same position. */
export function renamed(object: JsonObject, key: string, name: string): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([each, value]) => [each === key ? name : each, value]),
  );
}

/** `object` with a member added or replaced. */
export function extended(object: JsonObject, key: string, value: JsonValue): JsonObject {
  return { ...object, [key]: value };
}

export type Path = readonly (string | number)[];

/** A place inside an instance, and all schemas for it, including those in every union arm. */
export interface Place {
  readonly path: Path;
  readonly value: JsonValue;
  readonly nodes: readonly SchemaNode[];
}

/** All places of `value`, parents first. Omits places that no node describes. */
export function placesOf(schema: Schema, node: SchemaNode, value: JsonValue): Place[] {
  const places: Place[] = [];
  const visit = (path: Path, current: JsonValue, roots: readonly SchemaNode[]): void => {
    const nodes = applicable(schema, roots);
    places.push({ path, value: current, nodes });
    const descend = (key: string | number, child: JsonValue): void => {
      const below =
        typeof key === "number" ? itemNodes(nodes, key) : nodes.flatMap((each) => memberNodes(each, key));
      if (below.length > 0) visit([...path, key], child, below);
    };
    if (Array.isArray(current)) current.forEach((item, index) => descend(index, item));
    else if (isJsonObject(current)) for (const key of Object.keys(current)) descend(key, current[key]!);
  };
  visit([], value, [node]);
  return places;
}

/**
 * The nodes that may constrain one place: `roots`, their references, and every arm of their unions; without
 * duplicates.
 */
export function applicable(schema: Schema, roots: readonly SchemaNode[]): readonly SchemaNode[] {
  if (roots.every(isAlone)) return roots;
  const found = new Set<SchemaNode>(roots);
  // Iterating over a Set includes elements added during the loop.
  for (const node of found) {
    if (node.ref !== undefined) found.add(schema.definitions.get(node.ref)!.node);
    for (const arms of [node.allOf, node.anyOf, node.oneOf]) for (const arm of arms ?? []) found.add(arm);
    if (node.then) found.add(node.then);
    if (node.else) found.add(node.else);
  }
  return [...found];
}

/** Whether no other node constrains the same place as `node`. */
function isAlone({ ref, allOf, anyOf, oneOf, if: condition }: SchemaNode): boolean {
  return (ref ?? allOf ?? anyOf ?? oneOf ?? condition) === undefined;
}

function itemNodes(nodes: readonly SchemaNode[], index: number): SchemaNode[] {
  return nodes.map((node) => node.prefixItems?.[index] ?? node.items).filter((node) => node !== undefined);
}
