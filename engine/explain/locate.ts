// Locates the problem of a value by its validator, without the schema.
import type { Issue } from "../emitted/issue.js";
import { pointer as inside, pointerTokens } from "../ir/json.js";
import { alternatives, placeOf, sentence, valueText } from "./text.js";

/** A validator: whether a value is valid. */
export type Judge = (value: unknown) => boolean;

/** The result of one run of a validator. */
export interface Reading {
  readonly taken: boolean;
  /** JSON Pointer of the last member read, and its value. */
  readonly place: string;
  readonly found: unknown;
}

/** Returns the value to read at a place: the value itself, another value, or `undefined` to hide a member. */
type Instead = (place: string, value: unknown, isItem: boolean) => unknown;

/**
 * Runs of one validator on one value. The number of members read over all runs is limited: a run beyond the limit
 * returns `undefined`.
 */
function runsOf(accepts: Judge, value: unknown, reads: number): (instead?: Instead) => Reading | undefined {
  let left = reads;
  let instead: Instead;
  let last: Omit<Reading, "taken">;
  /** Keys of the last `ownKeys` whose descriptors the engine has not read yet. */
  let listing = 0;
  /** Records that a place is read. Returns a view of an object, and any other value unchanged. */
  const see = (place: string, own: unknown, isItem = false): unknown => {
    if (--left < 0) throw tooMuch;
    const found = instead(place, own, isItem);
    last = { place, found };
    return typeof found === "object" && found !== null ? view(place, found) : found;
  };
  const view = (place: string, found: object): unknown => {
    /** Records that the object is read as a whole. */
    const whole = <Answer>(answer: Answer): Answer => {
      last = { place, found };
      return answer;
    };
    // The target is a copy, because a trap must not contradict a frozen target, and applications may freeze values.
    const isList = Array.isArray(found);
    const get = (target: object, key: string | symbol): unknown =>
      isList && !/^\d+$/.test(String(key))
        ? whole(Reflect.get(target, key))
        : see(inside(place, String(key)), Reflect.get(target, key), isList);
    if (isList) return new Proxy([...(found as unknown[])], { get });
    return new Proxy({ ...found } as Members, {
      get,
      ownKeys: (members) => {
        const keys = Object.keys(members);
        listing = keys.length;
        return whole(keys);
      },
      getOwnPropertyDescriptor: (members, key) => {
        const at = inside(place, String(key));
        const own: unknown = Reflect.getOwnPropertyDescriptor(members, key)?.value;
        if (listing > 0) listing--;
        else see(at, own);
        const value = instead(at, own, false);
        return value === undefined ? value : { value, configurable: true, enumerable: true, writable: true };
      },
    });
  };
  return (by = (_, own) => own) => {
    instead = by;
    try {
      return { taken: accepts(see("", value)), ...last };
    } catch (error) {
      if (error === tooMuch) return undefined;
      throw error;
    }
  };
}

type Members = { [key: string]: unknown };

const tooMuch = Symbol("too much");

/** Maximum number of members that one search reads over all runs of the validator; takes a few milliseconds. */
const mostReads = 20_000;

/** One value of each type, to find the types that a place accepts. */
const samples = { string: "a", integer: 1, number: 0.5, boolean: true, array: [], object: {}, null: null };

/**
 * The place where a validator refuses a value, and the types that the validator would accept there. A validator stops at the
 * first wrong member. It runs again on a view of the value that records the last member read. Only the validator is
 * needed, not the schema.
 *
 * @param value one that the validator refuses
 * @returns the issue of the whole value, if it is too large to search
 */
export function locateIssue(accepts: Judge, value: unknown): Issue {
  const read = runsOf(accepts, value, mostReads);
  const { place: pointer, found } = read() ?? { place: "", found: value };
  const types = Object.entries(samples)
    .filter(([, sample]) => {
      const reading = read((place, own) => (place === pointer ? sample : own));
      return reading && (reading.taken || reading.place !== pointer);
    })
    .map(([type]) => type)
    .filter((type, _, all) => type !== "integer" || !all.includes("number"));
  const expected = expectation(types, found);
  const got = valueText(found);
  return { pointer, expected, got, message: sentence(placeOf(pointer), expected, got) };
}

function expectation(types: readonly string[], found: unknown): string {
  if (types.length === 0 || (found === undefined && types.length > 3))
    return found === undefined ? "a value" : "another value";
  const type = found === null ? "null" : Array.isArray(found) ? "array" : typeof found;
  const isAllowed = types.some((each) => each === type || (each === "integer" && Number.isInteger(found)));
  // If nearly all types are accepted, the type is not the reason.
  return isAllowed || types.length > 3 ? `another ${type}` : alternatives(types);
}

/** Every platform has this function, but the engine is compiled without platform types. */
declare function structuredClone(value: unknown): unknown;

/**
 * Maximum number of members that a search for nulls reads over all runs of the validator, which runs again for each
 * null.
 */
const mostNullReads = 200_000;

/**
 * The value without the members whose `null` the validator refuses, and their places (JSON Pointers). The validator may refuse
 * the remaining value for another reason.
 */
export function withoutWrongNulls(
  accepts: Judge,
  given: unknown,
): { readonly value: unknown; readonly places: readonly string[] } {
  const run = runsOf(accepts, given, mostNullReads);
  /** Places of members whose null is kept as a value. All items of a list share a place. */
  const kept = new Set<string>();
  /** Members that the last run read as absent, with their shared places. */
  const hidden = new Map<unknown, string>();
  /**
   * Runs the validator with all other nulls absent: `true` if it accepts the value, otherwise the place that it
   * refuses.
   */
  const verdict = (): unknown => {
    hidden.clear();
    const reading = run((place, own, isItem) => {
      if (own !== null || isItem) return own;
      const ofAll = place.replace(/\/\d+(?=\/)/g, "/0");
      if (kept.has(ofAll)) return own;
      hidden.set(place, ofAll);
      return undefined;
    });
    return reading?.taken || reading?.place;
  };
  let wanted = verdict();
  // A required member cannot be absent, so its null is kept.
  for (; hidden.has(wanted); wanted = verdict()) kept.add(hidden.get(wanted)!);
  // A null that does not change the verdict is kept.
  for (const ofAll of new Set(hidden.values())) {
    kept.add(ofAll);
    if (verdict() !== wanted) kept.delete(ofAll);
  }
  verdict();
  const value = structuredClone(given);
  const places = [...hidden.keys()] as string[];
  for (const place of places) {
    const keys = pointerTokens(place);
    const last = keys.pop()!;
    delete keys.reduce((inner, key) => inner[key] as Members, value as Members)[last];
  }
  return { value, places };
}
