import { oddTexts } from "./rule-checks.mjs";

/** Longer than a test takes, in milliseconds. */
export const longTtlMs = 600_000;
export const shortTtlMs = 50;

/** Names that databases and their drivers tend to fold, cut off or take for syntax. All are visible ASCII. */
export const oddNames = [...oddTexts, "b{a}", ";", "--", "x".repeat(100)];

/** The members of an event from a channel, in a fixed order. */
export function followed(message) {
  const { id, stream, data } = JSON.parse(message);
  return [id, stream, data];
}
