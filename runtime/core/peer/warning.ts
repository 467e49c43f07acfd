/**
 * Writes a warning to standard error, on one line. It may quote the peer: control characters, bidirectional and invisible
 * ones, which a terminal obeys or hides, are shown as `\u{…}`.
 */
export function printWarning(message: string): void {
  console.error(message.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, escaped));
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
