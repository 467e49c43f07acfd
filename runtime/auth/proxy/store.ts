import { BoundedMap } from "@mcpgen/base";
import { AuthError } from "../shared/errors.js";

/** The store for logins, such as a database, shared by all nodes. The proxy encrypts the values. */
export interface ProxyStore {
  /** Returns the value, unless it is absent or expired. */
  get(key: string): Promise<string | undefined>;
  /**
   * Sets a value, or removes it if `undefined`, but only if the present value is `expected` (`undefined` means absent). The
   * operation is atomic across nodes.
   *
   * @param expiresAt milliseconds since 1970 after which the value counts as absent
   * @param owner pseudonym of the user or client of the value, so that a bounded store can limit the share of each owner
   * @returns whether the value was set
   * @throws {Error} the value was not set for a reason other than `expected`; an `AuthError` `auth-unavailable` is answered
   *   with status 503
   */
  put(
    key: string,
    value: string | undefined,
    expected: string | undefined,
    expiresAt: number,
    owner?: string,
  ): Promise<boolean>;
}

/** Maximum number of values, and of bytes of keys and values including overhead. One owner may use at most half. */
const bounds = { count: 100_000, bytes: 256_000_000 };

/** Bytes of an entry in addition to its characters. */
const overhead = 300;

/**
 * Makes a store in the memory of this process: logins end with the process, and other nodes do not see them. It has room
 * for 100,000 values and 256 MB.
 */
export function memoryStore(): ProxyStore & { readonly size: number } {
  const entries = new BoundedMap<string, string>({ ...bounds, full: "refuse", now: () => Date.now() });
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
      // Encrypted texts are ASCII: one byte for each character.
      const bytes = key.length + value.length + overhead;
      const entry = {
        bytes,
        lifeMs: expiresAt - Date.now(),
        ...(owner !== undefined && { principal: owner }),
      };
      if (entries.set(key, value, entry)) return true;
      throw new AuthError("auth-unavailable", "the memory for logins is full: try again later");
    },
  };
}
