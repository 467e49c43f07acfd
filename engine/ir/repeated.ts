import { type JsonValue, isJsonObject } from "./json.js";

/** Whether some item equals an earlier one. The time it takes grows with the size of the items, not its square. */
export function hasRepeated(items: readonly JsonValue[]): boolean {
  const scalars = new Set<JsonValue>();
  const texts = new Set<string>();
  for (const item of items) {
    const before = scalars.size + texts.size;
    if (typeof item === "object" && item !== null) texts.add(equalityKey(item));
    else scalars.add(item);
    if (scalars.size + texts.size === before) return true;
  }
  return false;
}

/** A text that is the same for equal values only. Uses an explicit stack, for values nested to any depth. */
function equalityKey(root: JsonValue): string {
  const pending = [root];
  let text = "";
  while (pending.length > 0) {
    const value = pending.pop()!;
    if (Array.isArray(value)) {
      text += `[${value.length}]`;
      for (const item of value) pending.push(item);
    } else if (isJsonObject(value)) {
      const keys = Object.keys(value).sort();
      text += JSON.stringify(keys);
      for (const key of keys) pending.push(value[key]!);
    } else text += `${typeof value === "string" ? JSON.stringify(value) : String(value)},`;
  }
  return text;
}
