/** Keeps tokens and registrations as texts. They are secrets, and one store holds those of one user. */
export interface TokenStore {
  get(key: string): Promise<string | undefined>;
  /**
   * Replaces a value, if it still is what was read before.
   *
   * @param value `undefined` removes the key
   * @param expected the value that `get` returned; `undefined`: the key must be absent
   * @returns whether the value was replaced
   */
  put(key: string, value: string | undefined, expected?: string): Promise<boolean>;
  /** Waits for a lock that one process holds at a time; resolves with the function that ends it. */
  lock?(key: string, signal: AbortSignal): Promise<() => Promise<void>>;
}

/** A store that ends with the process. */
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

/** A key made of parts that may hold any character. */
export const storeKey = (...parts: readonly string[]): string => JSON.stringify(parts);
