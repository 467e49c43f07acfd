/** A cache of values by pattern. Drops the least recently used value when full. */
export class Memory<V> {
  private readonly values = new Map<string, V>();
  private readonly most: number;

  /** @param most maximum number of values */
  constructor(most: number) {
    this.most = most;
  }

  get(pattern: string): V | undefined {
    const value = this.values.get(pattern);
    if (value === undefined) return undefined;
    this.values.delete(pattern);
    this.values.set(pattern, value);
    return value;
  }

  /** Stores a value, unless the pattern is very long. */
  set(pattern: string, value: V): void {
    if (pattern.length > maxPatternLength) return;
    this.values.delete(pattern);
    if (this.values.size >= this.most) this.values.delete(this.values.keys().next().value!);
    this.values.set(pattern, value);
  }
}

/** In UTF-16 units. */
const maxPatternLength = 10_000;
