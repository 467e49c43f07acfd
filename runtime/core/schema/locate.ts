import type { Issue, Judge } from "@mcpgen/protocol/model";
import { ValidatorTrace } from "./validator-trace.js";
import { alternatives, placeText, valueText } from "./words.js";

/** Most members that one search reads, over all runs of the validator: a few milliseconds. */
const mostReads = 20_000;

/** One value of each type, to find the types that a place accepts. */
const samples: readonly (readonly [type: string, value: unknown])[] = [
  ["string", "a"],
  ["integer", 1],
  ["number", 0.5],
  ["boolean", true],
  ["array", []],
  ["object", {}],
  ["null", null],
];

/**
 * The place where a validator refuses a value, and the types that the validator would accept there. A validator stops at the
 * first wrong member. It runs again on a view of the value that records the last member read. Only the validator is
 * needed, not the schema.
 *
 * @returns `undefined` if the validator accepts the value, or if the value is too large to search
 */
export function locateIssue(accepts: Judge, value: unknown): Issue | undefined {
  const search = new ValidatorTrace(accepts, value, mostReads);
  const first = search.read(new Map());
  if (!first || first.taken) return undefined;
  const { place: pointer, found } = first;
  const types = samples
    .filter(([, sample]) => {
      const reading = search.read(new Map([[pointer, sample]]));
      return reading && (reading.taken || reading.place !== pointer);
    })
    .map(([type]) => type)
    .filter((type, _, all) => type !== "integer" || !all.includes("number"));
  const expected = expectation(types, found);
  const got = valueText(found);
  const where = pointer === "" ? "" : `${placeText(pointer)}: `;
  return { pointer, expected, got, message: `${where}expected ${expected}, got ${got}` };
}

function expectation(types: readonly string[], found: unknown): string {
  if (types.length === 0 || (found === undefined && types.length > 3))
    return found === undefined ? "a value" : "another value";
  const type = found === null ? "null" : Array.isArray(found) ? "array" : typeof found;
  const isAllowed = types.some((each) => each === type || (each === "integer" && Number.isInteger(found)));
  // If nearly all types are accepted, the type is not what is wrong.
  return isAllowed || types.length > 3 ? `another ${type}` : alternatives(types);
}
