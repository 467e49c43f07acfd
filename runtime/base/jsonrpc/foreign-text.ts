// Shortens names, ids, headers and messages of the peer, which may be as long as a whole message, before an error, a
// log, a span or a terminal quotes them.
export { visible } from "@mcpgen/engine/explain";

/** Maximum number of shown characters of a name, a method or an id. */
export const longestName = 80;

/** Maximum number of shown characters of a message. */
export const longestText = 1000;

/** Maximum number of characters of an error's message, which may quote several names and text of the application. */
export const longestMessage = 16_384;

/** The JSON of a name or an id of any type, shortened. */
export function shortText(value: unknown): string {
  return shortened(JSON.stringify(value) ?? "undefined", longestName);
}

/** The beginning of a text that has more than `most` characters, with `…` at its end. */
export function shortened(text: string, most: number): string {
  // Removes half a surrogate pair at the end.
  return text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…` : text;
}
