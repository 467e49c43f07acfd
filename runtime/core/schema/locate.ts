import type { Judge, Issue } from "@mcpgen/protocol/model";
import { inside, keysOf, alternatives, placeText, valueText } from "./words.js";

/** The result of one run of a validator. */
export interface Reading {
  readonly taken: boolean;
  /** JSON Pointer of the last member read, and its value. */
  readonly place: string;
  readonly found: unknown;
  readonly isItem: boolean;
}

/** Runs of one validator on one value. The number of members read is bounded over all runs. */
export class ValidatorTrace {
  readonly #accepts: Judge;
  readonly #value: unknown;
  /** Members that may still be read. */
  #left: number;
  #place = "";
  #found: unknown;
  #isItem = false;
  /** Keys of the last `ownKeys` whose descriptors the engine has not read yet. */
  #listing = 0;
  #instead: ReadonlyMap<string, unknown> = new Map();

  constructor(accepts: Judge, value: unknown, reads: number) {
    this.#accepts = accepts;
    this.#value = value;
    this.#left = reads;
  }

  /**
   * @param instead values by place that replace those of the value
   * @returns `undefined` if the run reads too many members
   */
  read(instead: ReadonlyMap<string, unknown>): Reading | undefined {
    this.#instead = instead;
    try {
      const taken = this.#accepts(this.#see("", this.#value, false));
      return { taken, place: this.#place, found: this.#found, isItem: this.#isItem };
    } catch (error) {
      if (error === tooMuch) return undefined;
      throw error;
    }
  }

  /** Records that a place is read. Returns a view of an object, and any other value unchanged. */
  #see(place: string, value: unknown, isItem: boolean): unknown {
    if (--this.#left < 0) throw tooMuch;
    const seen = this.#instead.has(place) ? this.#instead.get(place) : value;
    this.#place = place;
    this.#found = seen;
    this.#isItem = isItem;
    return typeof seen === "object" && seen !== null ? this.#view(place, seen) : seen;
  }

  #view(place: string, object: object): unknown {
    // A trap must not contradict a frozen target, and applications freeze what they send: so the target is a copy.
    return Array.isArray(object)
      ? new Proxy([...(object as unknown[])], {
          get: (items, key) =>
            typeof key === "string" && /^\d+$/.test(key)
              ? this.#see(inside(place, key), items[Number(key)], true)
              : this.#all(place, object, Reflect.get(items, key)),
        })
      : new Proxy({ ...object } as { [key: string]: unknown }, {
          get: (members, key) => this.#see(inside(place, String(key)), members[String(key)], false),
          ownKeys: (members) => {
            const keys = Object.keys(members);
            this.#listing = keys.length;
            return this.#all(place, object, keys);
          },
          getOwnPropertyDescriptor: (members, key) => {
            const at = inside(place, String(key));
            const own = Reflect.getOwnPropertyDescriptor(members, key);
            if (this.#listing > 0) this.#listing--;
            else this.#see(at, own?.value, false);
            return this.#instead.has(at) ? { ...shown, value: this.#instead.get(at) } : own;
          },
        });
  }

  /** Records that the object is read as a whole. */
  #all<Answer>(place: string, object: object, answer: Answer): Answer {
    this.#place = place;
    this.#found = object;
    this.#isItem = false;
    return answer;
  }
}

/** A descriptor that a proxy may return for a member that its target lacks. */
const shown = { configurable: true, enumerable: true, writable: true };

const tooMuch = Symbol("too much");

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
  // If nearly all types are accepted, the type is not the reason.
  return isAllowed || types.length > 3 ? `another ${type}` : alternatives(types);
}

/** Most members that a search for nulls reads, over all runs of the validator: it runs again for each null. */
const mostNullReads = 200_000;

/**
 * The value without the members whose `null` the validator refuses, and their places (JSON Pointers). The validator may refuse
 * the remaining value for another reason.
 */
export function withoutWrongNulls(
  accepts: Judge,
  given: unknown,
): { readonly value: unknown; readonly places: readonly string[] } {
  const value: unknown = structuredClone(given);
  const search = new ValidatorTrace(accepts, value, mostNullReads);
  const places: string[] = [];
  for (;;) {
    const reading = search.read(new Map());
    if (!reading || reading.taken) break;
    const { place, found, isItem } = reading;
    // A null counts as absent only where the member is optional.
    const isRequired = place === places.at(-1);
    if (!isRequired && (found !== null || isItem || place === "")) break;
    const keys = keysOf(place);
    const last = keys.pop()!;
    const owner = keys.reduce((inner, key) => inner[key] as Members, value as Members);
    if (isRequired) {
      owner[last] = null;
      places.pop();
      break;
    }
    delete owner[last];
    places.push(place);
  }
  return { value, places };
}

type Members = { [key: string]: unknown };
