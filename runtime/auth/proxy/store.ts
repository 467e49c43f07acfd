/**
 * Where a proxy keeps logins: shared by all nodes, for example a database. Values are encrypted by the proxy.
 */
export interface ProxyStore {
  /** The value, unless it is absent or expired. */
  get(key: string): Promise<string | undefined>;
  /**
   * Sets a value, or removes it with `undefined`, only if the present value is `expected`; `undefined` means absent. It is
   * one step, also for several nodes.
   *
   * @param expiresAt milliseconds since 1970, after which the value is absent
   * @returns whether the value was set
   */
  put(
    key: string,
    value: string | undefined,
    expected: string | undefined,
    expiresAt: number,
  ): Promise<boolean>;
}

/** Puts between two removals of expired values. */
const sweepEvery = 1000;

/** Keeps logins in the memory of this process: they end with it, and no other node sees them. */
export function memoryStore(now: () => number = Date.now): ProxyStore & { readonly size: number } {
  const entries = new Map<string, { readonly value: string; readonly expiresAt: number }>();
  let puts = 0;
  const current = (key: string): string | undefined => {
    const entry = entries.get(key);
    if (!entry || entry.expiresAt > now()) return entry?.value;
    entries.delete(key);
    return undefined;
  };
  const sweep = (): void => {
    for (const [key, { expiresAt }] of entries) if (expiresAt <= now()) entries.delete(key);
  };
  return {
    get size() {
      return entries.size;
    },
    get: (key) => Promise.resolve(current(key)),
    put: (key, value, expected, expiresAt) => {
      if (current(key) !== expected) return Promise.resolve(false);
      if (value === undefined) entries.delete(key);
      else entries.set(key, { value, expiresAt });
      puts += 1;
      if (puts % sweepEvery === 0) sweep();
      return Promise.resolve(true);
    },
  };
}
