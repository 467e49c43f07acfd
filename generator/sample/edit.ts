import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { Path } from "./places.js";

// Spreads, computed keys and `fromEntries` define members, `__proto__` too, as `JSON.parse` does; plain
// assignment would not. The objects are ordinary ones, because validators must cope with what it gives.

/** `root` with the value at `path` replaced; what lies beside the path is shared, not copied. */
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

/** `object` with a member more, or another in its place. */
export function extended(object: JsonObject, key: string, value: JsonValue): JsonObject {
  return { ...object, [key]: value };
}
