/** Bytes that are kept for one client: what it says of itself, and what it wants to hear of. */
export const mostReserved = 262_144;

/** Bytes that platforms take for an object, a list, a string or a member beside what is in it; a rough figure. */
const overhead = 32;

/**
 * About how many bytes a value out of JSON takes in memory.
 *
 * @param most bytes, from which on it is not looked at further: the result is more than that, then
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
