import type { Judge } from "@mcpgen/protocol/model";
import { ValidatorTrace } from "./locate.js";
import { inside } from "./words.js";

/** Most members that one search reads, over all runs of the validator: it runs again for each null. */
const mostReads = 200_000;

/**
 * The value without the members whose `null` the validator refuses. The validator may refuse the remaining value for another
 * reason.
 */
export function withoutWrongNulls(accepts: Judge, value: unknown): unknown {
  const search = new ValidatorTrace(accepts, value, mostReads);
  const nulls = new Map<string, undefined>();
  for (;;) {
    const reading = search.read(nulls);
    if (!reading || reading.taken) break;
    // A null counts as absent only where the member is optional.
    nulls.delete(reading.place);
    if (reading.found !== null || reading.isItem) break;
    nulls.set(reading.place, undefined);
  }
  return nulls.size === 0 ? value : without(value, "", nulls);
}

function without(value: unknown, at: string, left: ReadonlyMap<string, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => without(item, inside(at, index), left));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !left.has(inside(at, key)))
      .map(([key, member]) => [key, without(member, inside(at, key), left)]),
  );
}
