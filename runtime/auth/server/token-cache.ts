/** The entries of a cache that forgets the one that was used least recently. */
export class TokenCache<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();
  readonly #most: number;

  /** @param most number of entries */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @param key digest of a token, never the token */
  get(key: string): Value | undefined {
    const entries = this.#entries;
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until <= Date.now()) {
      entries.delete(key);
      return undefined;
    }
    // A map keeps its order of insertion: the last one was used last.
    if (entries.size * 2 > this.#most) {
      entries.delete(key);
      entries.set(key, entry);
    }
    return entry.value;
  }

  /** @param until milliseconds since 1970 */
  set(key: string, value: Value, until: number): void {
    if (this.#most === 0 || until <= Date.now()) return;
    this.#entries.delete(key);
    if (this.#entries.size >= this.#most) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, { value, until });
  }
}
