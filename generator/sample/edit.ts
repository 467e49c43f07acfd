import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { plainObject } from "./members.js";
import type { Path } from "./places.js";

/** `root` with the value at `path` replaced; what lies beside the path is shared, not copied. */
export function replaced(root: JsonValue, path: Path, value: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root)) {
    const copy = [...root];
    copy[key as number] = replaced(root[key as number]!, rest, value);
    return copy;
  }
  if (!isJsonObject(root)) return root;
  return plainObject(
    Object.entries(root).map(([name, member]) => [
      name,
      name === key ? replaced(member, rest, value) : member,
    ]),
  );
}

/** `object` without the member `key`. */
export function without(object: JsonObject, key: string): JsonObject {
  return plainObject(Object.entries(object).filter(([name]) => name !== key));
}

/** `object` with the member `key` called `name`, in the same position. */
export function renamed(object: JsonObject, key: string, name: string): JsonObject {
  return plainObject(Object.entries(object).map(([each, value]) => [each === key ? name : each, value]));
}

/** `object` with a member more, last. */
export function extended(object: JsonObject, key: string, value: JsonValue): JsonObject {
  return plainObject([...Object.entries(object).filter(([name]) => name !== key), [key, value]]);
}
