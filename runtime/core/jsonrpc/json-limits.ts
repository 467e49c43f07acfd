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

/** Bytes of memory for one client: its description and its subscriptions. */
export const mostReserved = 262_144;

/** A rough figure of the bytes that an object, array, string or member takes beside its content. */
const overhead = 32;

/**
 * A rough figure of the bytes that a JSON value takes in memory.
 *
 * @param most bytes at which counting stops: the result is then greater than `most`
 */
export function weightOf(value: unknown, most: number): number {
  let weight = 0;
  const pending = [value];
  while (pending.length > 0 && weight <= most) {
    const each = pending.pop();
    weight += overhead;
    if (typeof each === "string") weight += 2 * each.length;
    else if (Array.isArray(each)) for (const item of each as unknown[]) pending.push(item);
    else if (typeof each === "object" && each !== null)
      for (const key in each) {
        weight += overhead + 2 * key.length;
        pending.push((each as Record<string, unknown>)[key]);
      }
  }
  return weight;
}
