import { Search } from "../explain/refusal.js";
import { pointer as inside } from "../ir/json.js";
import { type WrittenSchema, inPlace, listOf, ofItem, ofMember } from "../ir/subschemas.js";

/** Maximum number of parts of a value that one search reads, over all alternatives. */
const mostParts = 2000;

/** A value without members that were null, and their places as JSON Pointers. */
interface WithoutNulls {
  readonly value: unknown;
  readonly nulls: readonly string[];
}

/**
 * Removes optional members that are null although their schemas do not accept null: models write null for absent
 * members. Searches members in `properties`, in `items`, and in the fitting alternative of a union.
 *
 * @param root the schema, with its references inside it
 * @returns `undefined` if there are no such members
 */
export function withoutOptionalNulls(root: WrittenSchema, value: unknown): WithoutNulls | undefined {
  const search = new NullSearch(root);
  const rest = search.take(value, [root], "");
  return search.nulls.size === 0 || search.isCut ? undefined : { value: rest, nulls: [...search.nulls] };
}

class NullSearch {
  readonly nulls = new Set<string>();
  readonly #root: WrittenSchema;
  readonly #judge: Search;
  #left = mostParts;

  constructor(root: WrittenSchema) {
    this.#root = root;
    this.#judge = new Search(root);
  }

  /** Whether the value was too large to be searched. */
  get isCut(): boolean {
    return this.#left < 0 || this.#judge.isCut;
  }

  /** The value without these nulls. @param schemas schemas that all describe the value */
  take(value: unknown, schemas: readonly unknown[], place: string): unknown {
    if (typeof value !== "object" || value === null) return value;
    const here = this.#applying(schemas, value, place);
    if (Array.isArray(value))
      return value.map((item: unknown, index) => this.take(item, ofItem(here, index), inside(place, index)));
    const members = Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
      const own = ofMember(here, name);
      const there = inside(place, name);
      const isRequired = here.some(({ required }) => listOf(required).includes(name));
      if (member !== null || isRequired || own.every((schema) => this.#takes(null, schema)))
        return [[name, this.take(member, own, there)]];
      this.nulls.add(there);
      return [];
    });
    return Object.fromEntries(members) as unknown;
  }

  /** Whether a subschema accepts a value, by the keywords that the comparison knows. */
  #takes(value: unknown, schema: unknown): boolean {
    this.#judge.found = [];
    this.#judge.compare(value, schema, "", 0);
    return this.#judge.found.length === 0;
  }

  /** The schemas that apply to the same value. If several alternatives fit, only their `required` counts. */
  #applying(schemas: readonly unknown[], value: unknown, place: string): WrittenSchema[] {
    return inPlace(schemas, this.#root).flatMap((schema) => {
      if (--this.#left < 0) return [];
      const { anyOf, oneOf } = schema;
      return [schema, ...[anyOf, oneOf].flatMap((arms) => this.#fitting(listOf(arms), value, place))];
    });
  }

  #fitting(arms: readonly unknown[], value: unknown, place: string): WrittenSchema[] {
    const fitting = arms.filter((arm) => {
      const nulls = [...this.nulls];
      const fits = this.#takes(this.take(value, [arm], place), arm);
      this.nulls.clear();
      for (const each of nulls) this.nulls.add(each);
      return fits;
    });
    const applying = fitting.map((arm) => this.#applying([arm], value, place));
    if (applying.length === 1) return applying[0]!;
    return applying.flat().map(({ required }) => ({ required }));
  }
}
