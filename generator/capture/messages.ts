import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import { jsonIn } from "../files/json-file.js";

/** The messages in a text: one, those of a batch (2025-03-26), or none. */
export function messagesIn(text: string): JsonObject[] {
  return [jsonIn(text)].flat().filter((each) => isJsonObject(each));
}

/** The text with its messages changed; undefined if none is left. */
export function withMessages(
  text: string,
  change: (message: JsonObject) => JsonObject | undefined,
): string | undefined {
  const parsed = jsonIn(text);
  const before = [parsed].flat();
  const after = before.map((each) => (isJsonObject(each) ? change(each) : each));
  const kept = after.filter((message) => message !== undefined);
  if (kept.length === 0) return undefined;
  const isChanged = after.some((each, index) => each !== before[index]);
  return isChanged ? JSON.stringify(Array.isArray(parsed) ? kept : kept[0]) : text;
}
