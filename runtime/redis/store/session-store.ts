import { Breaker, checkOptions, gone, type Rules } from "@mcpgen/base";
import type { SessionStore, StoredSession } from "@mcpgen/runtime/http";
import { type RedisClient, send } from "./client.js";
import { digestOf, ownTimeout, prefixRule, timeOf } from "./keys.js";

export interface RedisSessionStoreOptions {
  /** Prefix of the names of all keys of the store. Default: `mcpgen-session-v1`, where 1 is the version of the layout. */
  readonly prefix?: string;
}

const rules: Rules<RedisSessionStoreOptions, "timeoutMs"> = {
  prefix: prefixRule,
  timeoutMs: gone(ownTimeout),
};

/**
 * Makes a store of sessions in Redis or Valkey, with an expiring key for each session. Each function is one command. The
 * name of a key contains a digest of the session id, so that a copy of the database cannot open sessions. A command without an
 * answer fails after 2 seconds, and others then fail at once, until Redis answers.
 *
 * @param client a connection; the store does not close it
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function redisSessionStore(client: RedisClient, options: RedisSessionStoreOptions = {}): SessionStore {
  checkOptions(options, rules, "redisSessionStore: ");
  const { prefix = "mcpgen-session-v1" } = options;
  const breaker = new Breaker("Redis");
  const run = (...args: [command: string, ...args: string[]]): Promise<unknown> =>
    breaker.run(() => send(client, ...args));
  const keyOf = (id: string): string => `${prefix}:{${digestOf(id)}}`;
  return {
    get: async (id) => {
      const text = await run("GET", keyOf(id));
      return typeof text === "string"
        ? { id, ...(JSON.parse(text) as Omit<StoredSession, "id">) }
        : undefined;
    },
    set: async ({ id, ...record }, ttlMs) => {
      await run("SET", keyOf(id), JSON.stringify(record), "PX", timeOf(ttlMs));
    },
    touch: async (id, ttlMs) => Number(await run("PEXPIRE", keyOf(id), timeOf(ttlMs))) === 1,
    delete: async (id) => void (await run("DEL", keyOf(id))),
  };
}
