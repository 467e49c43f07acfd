/** Most levels of arrays and objects in a message. */
export const mostLevels = 512;

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
