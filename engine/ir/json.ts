/** Any value that JSON text can hold. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. Objects the engine builds have no prototype, so that `__proto__` is a key like any other. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Whether `value` is a JSON object (not null, not an array). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Makes an object without prototype from `entries`, in their order. */
export function jsonObject(entries: Iterable<readonly [string, JsonValue]> = []): JsonObject {
  const object = Object.create(null) as JsonObject;
  for (const [key, value] of entries) object[key] = value;
  return object;
}

/**
 * Compares in natural order: runs of digits as numbers, all else by UTF-16 code unit, so that `item2` comes before
 * `item10`. The order is total and independent of the locale, as reproducible output requires.
 *
 * @returns a negative number, zero (only for equal strings) or a positive number.
 */
export function naturalCompare(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const codeA = a.charCodeAt(i);
    const codeB = b.charCodeAt(j);
    if (isDigit(codeA) && isDigit(codeB)) {
      const endA = digitsEnd(a, i);
      const endB = digitsEnd(b, j);
      const difference = compareDigits(a.slice(i, endA), b.slice(j, endB));
      if (difference !== 0) return difference;
      i = endA;
      j = endB;
    } else if (codeA !== codeB) {
      return codeA - codeB;
    } else {
      i++;
      j++;
    }
  }
  // One string has ended: the shorter rest comes first. Code units decide between numbers with leading zeros (`1`, `01`).
  return a.length - i - (b.length - j) || (a < b ? -1 : a > b ? 1 : 0);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function digitsEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isDigit(text.charCodeAt(end))) end++;
  return end;
}

/** Compares runs of digits by their value. Compares runs that are too long for a number digit by digit. */
function compareDigits(a: string, b: string): number {
  if (a.length <= 15 && b.length <= 15) return Number(a) - Number(b);
  const left = a.replace(/^0+/, "");
  const right = b.replace(/^0+/, "");
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}

/** Groups items by a key, in the order of the first item of each group, as `Map.groupBy` of later Node.js does. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Appends `tokens` to a JSON Pointer (RFC 6901), with `~` and `/` escaped. */
export function pointer(base: string, ...tokens: readonly (string | number)[]): string {
  let result = base;
  for (const token of tokens) result += "/" + escapeToken(String(token));
  return result;
}

/** One reference token in its escaped form (RFC 6901, section 3). */
export function escapeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The unescaped reference tokens of a JSON Pointer; the empty pointer has none. */
export function pointerTokens(text: string): string[] {
  return text
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value at the JSON Pointer `text` in `root`; `undefined` if there is none. */
export function atPointer(root: JsonValue, text: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const token of pointerTokens(text)) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
    else if (isJsonObject(value)) value = Object.hasOwn(value, token) ? value[token] : undefined;
    else return undefined;
  }
  return value;
}

/** Returns `value` as JSON text with object keys in natural order and no white space. Equal values have equal texts. */
export function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort(naturalCompare)
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key]!)}`);
  return `{${members.join(",")}}`;
}

/** Whether two values are equal in JSON Schema: the order of keys does not matter, and `1` equals `1.0`. */
export function jsonEqual(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]!));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key]!, b[key]!))
  );
}
