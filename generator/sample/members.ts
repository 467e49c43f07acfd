import type { JsonObject, JsonValue } from "@mcpgen/engine";

/**
 * Sets an own member, `__proto__` too, as `JSON.parse` does. Samples are plain objects and not the
 * engine's prototype-less ones, because validators must cope with what `JSON.parse` gives.
 */
export function setMember(object: JsonObject, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}

/** A plain object of `entries`, in their order. */
export function plainObject(entries: Iterable<readonly [string, JsonValue]>): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of entries) setMember(object, key, value);
  return object;
}
