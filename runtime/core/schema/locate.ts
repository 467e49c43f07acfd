import type { Issue, Judge } from "@mcpgen/protocol/model";
import { ValidatorTrace } from "./validator-trace.js";
import { alternatives, placeText, valueText } from "./words.js";

/** Members that the search for a place reads, in all its readings: a few milliseconds. */
const mostReads = 20_000;

/** Values that a member may have been meant to be of, by the type that they stand for. */
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
 * Where a validator refuses a value, and which type it would have taken there. A validator compares member by member and
 * ends with the first that is wrong: it is asked again about a view of the value that notes what is read last. So
 * nothing of the definition is needed but its validator.
 *
 * @returns `undefined` where the value is taken, or is too large to find a place in
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
  // Where nearly all types would do, it is not the type that is wrong.
  return isAllowed || types.length > 3 ? `another ${type}` : alternatives(types);
}
