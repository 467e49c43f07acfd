import type { Finding } from "../diagnostics/finding.js";

/** The command line again, with more words. */
export function repeatedWith(words: readonly string[], more: readonly string[]): string {
  return ["mcpgen", ...words.filter((word) => !presentation.test(word)), ...more].map(quoted).join(" ");
}

/** The command line again as one of `command`, without some words. */
export function repeatedWithout(
  words: readonly string[],
  without: readonly string[],
  command: string,
): string {
  const kept = words.filter((word) => !without.includes(word) && !presentation.test(word));
  const place = kept.findIndex((word) => !word.startsWith("-"));
  return ["mcpgen", ...kept.map((word, index) => (index === place ? command : word))].map(quoted).join(" ");
}

/** The command that brings back files that are never edited. */
export function restoring(findings: readonly Finding[]): string {
  const files = findings.map(({ place }) => place?.file).filter((file) => file !== undefined);
  return ["git", "restore", ...files].map(quoted).join(" ");
}

/** Options that say how to print, which the mending command need not repeat. */
const presentation = /^(?:-v|--(?:json|quiet|verbose|format=.*|color=.*))$/;

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w./:=,@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
