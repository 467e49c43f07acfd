import { textOf } from "../emitted/shared-checks.js";
import { type JsonValue, jsonEqual } from "../ir/json.js";

/** Up to this many objects and arrays are compared one by one, since a comparison ends at the first difference. */
const fewest = 8;

/**
 * A set of JSON values with the equality of JSON Schema: the order of keys does not matter, `1` equals `1.0`, and `-0` equals
 * `0` (2020-12, core, section 4.2.2). The time of a look-up depends on the size of the value, not on the number of values in
 * the set.
 */
export class ValueSet {
  readonly #scalars = new Set<JsonValue>();
  readonly #others: JsonValue[] = [];
  #texts: Set<string> | undefined;

  constructor(values: Iterable<JsonValue> = []) {
    for (const value of values) this.add(value);
  }

  add(value: JsonValue): void {
    if (typeof value !== "object" || value === null) this.#scalars.add(value);
    else {
      this.#others.push(value);
      this.#texts?.add(textOf(value));
    }
  }

  has(value: JsonValue): boolean {
    if (typeof value !== "object" || value === null) return this.#scalars.has(value);
    if (this.#others.length <= fewest) return this.#others.some((other) => jsonEqual(other, value));
    this.#texts ??= new Set(this.#others.map(textOf));
    return this.#texts.has(textOf(value));
  }
}
