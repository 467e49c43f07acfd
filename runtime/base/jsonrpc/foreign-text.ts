// Names, ids, headers and messages that a peer sends may be as long as a message. What quotes them shortens them here, before it
// goes to an error, a log, a span or a terminal.
export { visible } from "@mcpgen/engine/explain";

/** Characters that are shown of a name, a method or an id. */
export const longestName = 80;

/** Characters that are shown of a message. */
export const longestText = 1000;

/** Characters of the message of an error. It may quote several names, and text of the application. */
export const longestMessage = 16_384;

/** The JSON of a name or an id of any type, shortened. */
export function shortText(value: unknown): string {
  return shortened(JSON.stringify(value) ?? "undefined", longestName);
}

/** The beginning of a text that has more than `most` characters, with `…` at its end. */
export function shortened(text: string, most: number): string {
  // No half of a pair is left at the end.
  return text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…` : text;
}
