/** Maximum number of levels of arrays and objects in a message. */
export const mostLevels = 512;

/** Maximum bytes of memory for the description and the subscriptions of one client. */
export const mostReserved = 262_144;

/** Estimated bytes of an object, array, string or member without its content. */
const overhead = 32;

/**
 * Estimates the bytes of a JSON value in memory.
 *
 * @param most counting stops above this number of bytes: the result is then greater than `most`
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
