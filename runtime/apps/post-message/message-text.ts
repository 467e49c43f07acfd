import type { Params } from "@mcpgen/runtime";
import { classify } from "@mcpgen/base";

/**
 * The JSON text of a message or a batch; empty for other values. A value may have cycles, or numbers that JSON has not.
 *
 * @param limit UTF-16 units of the text
 * @returns `undefined` if the text is longer. It is not made then: a small value may refer to one part many times, and
 *   an empty array may have any length.
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
  // The receiver decides about an id that is null: it knows whether the method is that of a notification.
  const isMessage = (part: unknown): boolean =>
    !Array.isArray(part) &&
    typeof classify((part as Params | null)?.["id"] === null ? { ...(part as object), id: 0 } : part) ===
      "string";
  return Array.isArray(data) ? data.length <= limit && data.some(isMessage) : isMessage(data);
}

/** The units of `limit` that the text of a value leaves, or more; negative once it leaves none. */
function unitsLeft(value: unknown, limit: number): number {
  if (typeof value === "string") return limit - value.length - 2;
  if (typeof value !== "object" || value === null) return limit - 1;
  if (kindOf(value) === "[object String]") return limit - String(value).length - 2;
  // Each number of it has a key and a value.
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
