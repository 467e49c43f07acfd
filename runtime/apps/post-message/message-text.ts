import type { Params } from "@mcpgen/runtime";
import { classify } from "@mcpgen/base";

/**
 * Returns the JSON text of a message or a batch; an empty text for other values. The value may have cycles, or numbers
 * that JSON cannot represent.
 *
 * @param limit maximum length of the text in UTF-16 units
 * @returns `undefined` if the text is longer. Such a text is usually not made: a small value may refer to one part many
 *   times, and an empty array may have any length.
 */
export function messageText(data: unknown, limit: number): string | undefined {
  try {
    if (!holdsMessage(data, limit)) return "";
    if (unitsLeft(data, limit) < 0) return undefined;
    const text = JSON.stringify(data);
    return text.length > limit ? undefined : text;
  } catch {
    return "";
  }
}

function holdsMessage(data: unknown, limit: number): boolean {
  // Accept an id that is null: only the receiver knows whether the method is a notification.
  const isMessage = (part: unknown): boolean =>
    !Array.isArray(part) &&
    typeof classify((part as Params | null)?.["id"] === null ? { ...(part as object), id: 0 } : part) ===
      "string";
  return Array.isArray(data) ? data.length <= limit && data.some(isMessage) : isMessage(data);
}

/**
 * Returns an upper bound of the units of `limit` that remain after the text of a value; negative if the text is too
 * long.
 */
function unitsLeft(value: unknown, limit: number): number {
  if (typeof value === "string") return limit - value.length - 2;
  if (typeof value !== "object" || value === null) return limit - 1;
  if (kindOf(value) === "[object String]") return limit - String(value).length - 2;
  // A typed array becomes an object: each number has a key and a value.
  if (ArrayBuffer.isView(value)) return limit - 6 * ((value as { readonly length?: number }).length ?? 0);
  if (!Array.isArray(value)) return unitsOfMembers(value, limit - 2);
  let left = limit - 2 - value.length;
  for (let index = 0; index < value.length && left >= 0; index++) left = unitsLeft(value[index], left);
  return left;
}

function unitsOfMembers(value: object, limit: number): number {
  let left = limit;
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) left = unitsLeft(member, left - key.length - 3);
    if (left < 0) break;
  }
  return left;
}

const kindOf = (value: object): string => Object.prototype.toString.call(value);
