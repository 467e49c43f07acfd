import { createHash } from "node:crypto";

/** A connection to Redis or Valkey. */
export type RedisClient = CallingClient | SendingClient;

/** `Redis` or `Cluster` of `ioredis` or `iovalkey`. */
export interface CallingClient {
  call(command: string, ...args: string[]): Promise<unknown>;
  /** The nodes of a cluster. */
  nodes?(role: "master"): readonly CallingClient[];
}

/** The client that `createClient` of `redis` returns. */
export interface SendingClient {
  sendCommand(args: string[]): Promise<unknown>;
  /** The nodes of a cluster. */
  nodes?(role: "master"): readonly SendingClient[];
}

/** Sends a command. */
export function send(client: RedisClient, ...args: [command: string, ...args: string[]]): Promise<unknown> {
  return "call" in client ? client.call(...args) : client.sendCommand(args);
}

/** Runs a script with arguments, in one round trip. */
export type Script = (...args: (string | number)[]) => Promise<unknown>;

/**
 * Makes a function that runs a Lua script. Redis runs a script atomically.
 *
 * @param keys all keys that the script uses, in one slot of a cluster
 */
export function scriptOf(client: RedisClient, keys: readonly string[], lua: string): Script {
  const digest = createHash("sha1").update(lua).digest("hex");
  return async (...args) => {
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    try {
      return await send(client, "EVALSHA", digest, ...rest);
    } catch (error) {
      // The server, or this node of a cluster, does not have the script yet: EVAL loads it.
      if (!String((error as Error).message).startsWith("NOSCRIPT")) throw error;
      return send(client, "EVAL", lua, ...rest);
    }
  };
}
