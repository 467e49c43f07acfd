import type { Finding } from "../diagnostics/finding.js";
import { operands, shellLine } from "../print/shell-line.js";

/** The command line again, with more words. */
export function repeatedWith(words: readonly string[], more: readonly string[]): string {
  return shellLine(["mcpgen", ...words.filter((word) => !presentation.test(word)), ...more]);
}

/** The command line again as one of `command`, without some words. */
export function repeatedWithout(
  words: readonly string[],
  without: readonly string[],
  command: string,
): string {
  const kept = words.filter((word) => !without.includes(word) && !presentation.test(word));
  const place = kept.findIndex((word) => !word.startsWith("-"));
  return shellLine(["mcpgen", ...kept.map((word, index) => (index === place ? command : word))]);
}

/** The command that brings back files that are never edited. */
export function restoring(findings: readonly Finding[]): string {
  const files = findings.map(({ place }) => place?.file).filter((file) => file !== undefined);
  return shellLine(["git", "restore", ...operands(files)]);
}

/** Options that say how to print, which the mending command need not repeat. */
const presentation = /^(?:-v|--(?:json|quiet|verbose|format=.*|color=.*))$/;
