/** Most levels of arrays and objects in a message. */
export const mostLevels = 512;

const quote = 0x22;
const backslash = 0x5c;

/** Whether a JSON text nests deeper than `most` levels. Skips strings, which make up most of a long text. */
export function nestsDeeper(text: string, most: number): boolean {
  // Each level has a bracket at either end.
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

/** The index of the closing quote of the string at `start`, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text.charCodeAt(first - 1) === backslash) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
}
