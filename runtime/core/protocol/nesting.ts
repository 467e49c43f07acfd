/** Levels of arrays and objects a body may have. */
export const mostLevels = 512;

const quote = 0x22;
const backslash = 0x5c;

/** Whether a JSON text nests deeper than `most` levels; strings, which are most of a long text, are skipped over. */
export function nestsDeeper(text: string, most: number): boolean {
  // Each level takes a bracket at either end.
  if (text.length <= 2 * most) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    // [ and { differ from ] and } in the same two bits, and are alike in the others.
    else if ((code | 0x20) === 0x7b) {
      if (++depth > most) return true;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return false;
}

/** Where the string that opens at `start` ends, or the text, if it does not. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text.charCodeAt(first - 1) === backslash) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
}
