import { messageOf } from "./errors.js";

/**
 * Writes a warning to standard error, on one line. It may quote the peer: control, bidirectional and invisible characters
 * are written as `\u{…}`, because terminals obey or hide them.
 */
export function printWarning(message: string): void {
  console.error(message.replace(unprintable, escaped));
}

/** Writes an error with its stack and causes to standard error. Each line is escaped as by `printWarning`. */
export function printError(place: string, thrown: unknown): void {
  const lines = `${place}: ${stackOf(thrown, 0)}`.split("\n");
  console.error(lines.map((line) => line.replace(unprintable, escaped)).join("\n"));
}

const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Causes that are printed: an error may be its own cause. */
const mostCauses = 4;

function stackOf(thrown: unknown, depth: number): string {
  try {
    if (!(thrown instanceof Error)) return messageOf(thrown);
    const { stack = messageOf(thrown), cause } = thrown;
    if (cause === undefined || depth === mostCauses) return stack;
    return `${stack}\n[cause]: ${stackOf(cause, depth + 1)}`;
  } catch {
    return messageOf(thrown);
  }
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
