import type { Members } from "@mcpgen/runtime/extending";
import type { Grant } from "./grant.js";
import { jsonObject } from "../shared/json-object.js";

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

const judges = () => import("./stored-record.js");

/**
 * The JSON object of a key, and its text. A value that is no such record counts as absent: the user logs in again.
 *
 * @param members what the members of the record must be
 * @param required those that it must have
 */
export async function readRecord<T extends object>(
  store: TokenStore,
  key: string,
  members: Members = {},
  required: readonly string[] = [],
): Promise<{ readonly text: string | undefined; readonly value: T | undefined }> {
  const text = await store.get(key);
  const found = text === undefined ? undefined : jsonObject(text);
  const isWhole = found && (await judges()).isRecord(found, members, required);
  return { text, value: isWhole ? (found as T) : undefined };
}

/** Which login a server has. */
interface Pointer {
  readonly issuer: string;
  readonly resource?: string;
}

/** The pointer of a key to the login of a server. */
export async function readPointer(store: TokenStore, key: string): Promise<Pointer | undefined> {
  return (await readRecord<Pointer>(store, key, { issuer: "text", resource: "text" }, ["issuer"])).value;
}

/** The grant of a key. */
export async function readGrant(store: TokenStore, key: string): Promise<Grant | undefined> {
  const { value } = await readRecord<Grant>(store, key);
  return value && (await judges()).isGrant(value) ? value : undefined;
}

/** Writes a record over whatever is there. */
export async function writeRecord(store: TokenStore, key: string, value: object | undefined): Promise<void> {
  const text = value && JSON.stringify(value);
  for (let tries = 0; tries < 10; tries++) if (await store.put(key, text, await store.get(key))) return;
}
