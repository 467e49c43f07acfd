import type { Issue, Judge } from "@mcpgen/protocol/model";
import { alternatives, inside, placeText, valueText } from "./words.js";

/** Members that the search for a place reads, in all its readings: a few milliseconds. */
const mostReads = 20_000;

/** The same of the search for nulls, which reads the value again for each of them. */
const mostReadsForNulls = 200_000;

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
  const search = new Search(accepts, value, mostReads);
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
  if (types.length === 0) return found === undefined ? "a value" : "another value";
  const type = found === null ? "null" : Array.isArray(found) ? "array" : typeof found;
  const isAllowed = types.some((each) => each === type || (each === "integer" && Number.isInteger(found)));
  // Where nearly all types would do, it is not the type that is wrong.
  return isAllowed || types.length > 3 ? `another ${type}` : alternatives(types);
}

/**
 * The value without the nulls that it is refused for: those that a validator would rather not see. What is left may be
 * refused for something else.
 */
export function withoutWrongNulls(accepts: Judge, value: unknown): unknown {
  const search = new Search(accepts, value, mostReadsForNulls);
  const nulls = new Map<string, undefined>();
  for (;;) {
    const reading = search.read(nulls);
    if (!reading || reading.taken) break;
    // Null stands for nothing only where nothing may stand.
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

/** How far a validator came with a value. */
interface Reading {
  readonly taken: boolean;
  /** JSON Pointer of what was read last, and what stands there. */
  readonly place: string;
  readonly found: unknown;
  readonly isItem: boolean;
}

/** Readings of one value by one validator, bounded in all. */
class Search {
  private readonly accepts: Judge;
  private readonly value: unknown;
  /** Members that may yet be read. */
  private left: number;
  private place = "";
  private found: unknown;
  private isItem = false;
  /** Keys of a list that the engine still asks for one by one. */
  private listing = 0;
  private instead: ReadonlyMap<string, unknown> = new Map();

  constructor(accepts: Judge, value: unknown, reads: number) {
    this.accepts = accepts;
    this.value = value;
    this.left = reads;
  }

  /**
   * @param instead what stands at some places in place of what does
   * @returns `undefined` where it takes too much
   */
  read(instead: ReadonlyMap<string, unknown>): Reading | undefined {
    this.instead = instead;
    try {
      const taken = this.accepts(this.see("", this.value, false));
      return { taken, place: this.place, found: this.found, isItem: this.isItem };
    } catch (error) {
      if (error === tooMuch) return undefined;
      throw error;
    }
  }

  /** Notes that the place is read; objects are given as views. */
  private see(place: string, value: unknown, isItem: boolean): unknown {
    if (--this.left < 0) throw tooMuch;
    const seen = this.instead.has(place) ? this.instead.get(place) : value;
    this.place = place;
    this.found = seen;
    this.isItem = isItem;
    return typeof seen === "object" && seen !== null ? this.view(place, seen) : seen;
  }

  private view(place: string, object: object): unknown {
    // A trap must not contradict a frozen target, and applications freeze what they send: so the target is a copy.
    return Array.isArray(object)
      ? new Proxy([...(object as unknown[])], {
          get: (items, key) =>
            typeof key === "string" && /^\d+$/.test(key)
              ? this.see(inside(place, key), items[Number(key)], true)
              : this.all(place, object, Reflect.get(items, key)),
        })
      : new Proxy({ ...object } as { [key: string]: unknown }, {
          get: (members, key) => this.see(inside(place, String(key)), members[String(key)], false),
          ownKeys: (members) => {
            const keys = Object.keys(members).filter((key) => !this.hides(inside(place, key)));
            this.listing = keys.length;
            return this.all(place, object, keys);
          },
          getOwnPropertyDescriptor: (members, key) => {
            const at = inside(place, String(key));
            const own = Reflect.getOwnPropertyDescriptor(members, key);
            if (this.listing > 0) this.listing--;
            else this.see(at, own?.value, false);
            if (!this.instead.has(at)) return own;
            const value = this.instead.get(at);
            return value === undefined ? undefined : { ...shown, value };
          },
        });
  }

  private hides(place: string): boolean {
    return this.instead.has(place) && this.instead.get(place) === undefined;
  }

  /** Notes that something is asked of all members together. */
  private all<Answer>(place: string, object: object, answer: Answer): Answer {
    this.place = place;
    this.found = object;
    this.isItem = false;
    return answer;
  }
}

/** What a trap may say of a member that the target does not have. */
const shown = { configurable: true, enumerable: true, writable: true };

const tooMuch = Symbol("too much");
