/** Values by pattern, of the patterns that were asked for last. */
export class Memory<V> {
  private readonly values = new Map<string, V>();
  private readonly most: number;

  /** @param most values that are kept; the one that was not asked for longest makes room */
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

  /** Long patterns are not kept. */
  set(pattern: string, value: V): void {
    if (pattern.length > maxPatternLength) return;
    this.values.delete(pattern);
    if (this.values.size >= this.most) this.values.delete(this.values.keys().next().value!);
    this.values.set(pattern, value);
  }
}

/** In UTF-16 units. */
const maxPatternLength = 10_000;
