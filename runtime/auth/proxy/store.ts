import { BoundedMap } from "@mcpgen/base";
import { AuthError } from "../shared/errors.js";

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
   * @param owner names the user or client that the value is for, without saying who that is: a store with bounds gives each
   *   owner a share
   * @returns whether the value was set
   * @throws {Error} the value was not set, for another reason than the present one; `AuthError` `auth-unavailable` is
   *   answered with status 503
   */
  put(
    key: string,
    value: string | undefined,
    expected: string | undefined,
    expiresAt: number,
    owner?: string,
  ): Promise<boolean>;
}

/** Values, and bytes of keys and values, with what a map takes; one owner gets at most half. */
const bounds = { count: 100_000, bytes: 256_000_000 };

/** Bytes that an entry takes beside its characters. */
const overhead = 300;

/**
 * Keeps logins in the memory of this process: they end with it, and no other node sees them. It has room for 100,000 values
 * and 256 MB.
 */
export function memoryStore(now: () => number = Date.now): ProxyStore & { readonly size: number } {
  const entries = new BoundedMap<string, string>({ ...bounds, full: "refuse", now });
  return {
    get size() {
      return entries.size;
    },
    get: (key) => Promise.resolve(entries.get(key)),
    async put(key, value, expected, expiresAt, owner) {
      if (entries.get(key) !== expected) return false;
      if (value === undefined) {
        entries.delete(key);
        return true;
      }
      // Sealed texts are ASCII: a byte a character.
      const bytes = key.length + value.length + overhead;
      const entry = { bytes, lifeMs: expiresAt - now(), ...(owner !== undefined && { principal: owner }) };
      if (entries.set(key, value, entry)) return true;
      throw new AuthError("auth-unavailable", "the memory for logins is full: try again later");
    },
  };
}
