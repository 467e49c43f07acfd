/** Stores tokens and registrations as texts. They are secrets. A store is for one user. */
export interface TokenStore {
  get(key: string): Promise<string | undefined>;
  /**
   * Replaces a value if it is still the expected one.
   *
   * @param value `undefined` removes the key
   * @param expected the value that `get` returned; `undefined` if the key must be absent
   * @returns whether the value was replaced
   */
  put(key: string, value: string | undefined, expected?: string): Promise<boolean>;
  /** Takes a lock that only one process holds at a time. Resolves with the function that releases it. */
  lock?(key: string, signal: AbortSignal): Promise<() => Promise<void>>;
}

/** Makes a store in memory, which ends with the process. */
export function memoryStore(): TokenStore {
  const values = new Map<string, string>();
  return {
    get: async (key) => values.get(key),
    put: async (key, value, expected) => {
      if (values.get(key) !== expected) return false;
      if (value === undefined) values.delete(key);
      else values.set(key, value);
      return true;
    },
  };
}

/** Makes a key from parts with any characters. */
export const storeKey = (...parts: readonly string[]): string => JSON.stringify(parts);
