import { randomBytes } from "node:crypto";
import {
  type ClusterStore,
  EngineCalls,
  EventBatches,
  type FollowedEvent,
  Subscriptions,
  logLimits,
} from "@mcpgen/cluster";
import { BoundedMap, checkOptions, gone, type Rules } from "@mcpgen/base";
import { type RedisClient, send } from "./client.js";
import { ClusterLibrary } from "./cluster-library.js";
import { digestOf, ownTimeout, prefixRule, timeOf } from "./keys.js";
import { type RedisSubscriber, shardedChannels } from "./subscriber.js";

export interface RedisClusterStoreOptions {
  /**
   * Prefix of the names of all keys and channels of the store. Default: `mcpgen-cluster-v1`, where 1 is the version of
   * the layout.
   */
  readonly prefix?: string;
}

const rules: Rules<RedisClusterStoreOptions, "timeoutMs"> = {
  prefix: prefixRule,
  timeoutMs: gone(ownTimeout),
};

/** Maximum number of sessions whose newest event is remembered. */
const mostWritten = 10_000;

/** The id of an event: its number, the writer's counter, and the writer. */
const eventId = /^(\d{1,15})\.(\d{1,15})\.([\w-]{8})$/;

/**
 * Makes the store that processes with the same sessions share, in Redis (7.0 or later) or Valkey. Each function is one
 * command. Names of keys and channels contain digests of sessions, keys and nodes, so that a copy of the database cannot
 * open sessions.
 *
 * @param client a connection for commands; the store does not close it
 * @param subscriber another connection, for subscriptions
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function redisClusterStore(
  client: RedisClient,
  subscriber: RedisSubscriber,
  options: RedisClusterStoreOptions = {},
): ClusterStore {
  checkOptions(options, rules, "redisClusterStore: ");
  const { prefix = "mcpgen-cluster-v1" } = options;
  const calls = new EngineCalls("Redis");
  const library = new ClusterLibrary(client);
  const writer = randomBytes(6).toString("base64url");
  let counter = 0;
  /**
   * For the sessions written to most recently, the newest event: its number, its counter, and the name of the event that
   * began the log. One joined text takes a third of the memory of three texts.
   */
  const newest = new BoundedMap<string, string>({ count: mostWritten, full: "evict" });
  const wrote = (session: string, ...event: readonly string[]): void =>
    void newest.set(session, event.join(" "));

  const inOrder = (call: () => Promise<unknown>): Promise<unknown> => {
    batches.flush();
    return calls.run(call);
  };
  const run = (...args: [command: string, ...args: string[]]): Promise<unknown> =>
    inOrder(() => send(client, ...args));
  const keyOf = (kind: string, name: string): string => `${prefix}:${kind}:{${digestOf(name)}}`;
  /** A channel whose name has a session in braces is in the slot of that session's events. */
  const channelOf = (name: string): string => {
    const session = sessionOf(name);
    return session === undefined ? keyOf("channel", name) : `${keyOf("channel", session)}:${digestOf(name)}`;
  };
  const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

  const engine = new Subscriptions({
    open: (channel) => channels.open(channel),
    close: (channel) => channels.close(channel),
  });
  const channels = shardedChannels(
    subscriber,
    (channel, message) => engine.deliver(channel, messageOf(message)),
    () => void engine.reopen(),
  );

  const batches = new EventBatches(async ({ session, ttlMs, follow, events }) => {
    const names = events.map(() => `${++counter}`);
    const items = events.map(({ stream, data }, index) => {
      const size = data.length + logLimits.overhead;
      return `${names[index]!} ${writer} ${size} ${Buffer.byteLength(stream)} ${stream}${data}`;
    });
    const isNear = follow !== undefined && sessionOf(follow) === session;
    const keys = [keyOf("log", session), ...(isNear ? [channelOf(follow)] : [])];
    const before = newest.get(session)?.split(" ") ?? ["0", "0", ""];
    const written = (await calls.run(() =>
      library.call("append", keys, timeOf(ttlMs), ...before, ...items),
    )) as string;
    const [last, maker] = written.split(" ") as [string, string];
    wrote(session, last, names.at(-1)!, maker);
    const numberOf = (index: number): string => `${Number(last) - events.length + 1 + index}`;
    if (follow !== undefined && !isNear)
      await Promise.all(
        items.map((item, index) => run("SPUBLISH", channelOf(follow), `e${numberOf(index)} ${item}`)),
      );
    return names.map((name, index) => `${numberOf(index)}.${name}.${writer}`);
  });

  return {
    log: {
      append: (...event) => batches.append(...event),
      after: async (session, event) => {
        calls.assertOpen();
        // Reject most invalid ids without a command.
        const [, number, by, name] = event.length < 60 ? (eventId.exec(event) ?? []) : [];
        if (number === undefined) return undefined;
        const found = await inOrder(() => library.call("after", [keyOf("log", session)], number, by!, name!));
        if (!Array.isArray(found)) return undefined;
        const [stream = "", ...rest] = found as readonly string[];
        const events = [];
        for (let index = 0; index < rest.length; index += 2)
          events.push({ id: rest[index]!, data: rest[index + 1]! });
        return { stream, events };
      },
      drop: async (session) => {
        newest.delete(session);
        await run("UNLINK", keyOf("log", session));
      },
    },
    publish: async (channel, message) => Number(await run("SPUBLISH", channelOf(channel), `m${message}`)),
    subscribe: (channel, listener, lost) =>
      calls.open(() => engine.subscribe(channelOf(channel), listener, lost)),
    put: async (key, value, ttlMs) => void (await run("SET", keyOf("key", key), value, "PX", timeOf(ttlMs))),
    get: async (key) => textOf(await run("GET", keyOf("key", key))),
    take: async (key) => textOf(await run("GETDEL", keyOf("key", key))),
    claim: async (key, value, ttlMs) =>
      (await run("SET", keyOf("key", key), value, "PX", timeOf(ttlMs), "NX")) !== null,
    heartbeat: async (node, ttlMs) => void (await run("SET", keyOf("node", node), "", "PX", timeOf(ttlMs))),
    alive: async (node) => Number(await run("EXISTS", keyOf("node", node))) === 1,
    close: async () => {
      if (calls.isClosed) return;
      batches.flush();
      calls.close();
      channels.end();
      await engine.close();
    },
  };
}

/** Returns the session that the name of a channel contains in braces. */
function sessionOf(channel: string): string | undefined {
  return /\{(.*)\}/s.exec(channel)?.[1];
}

/**
 * Decodes a message. Turns an event into JSON here, because the Lua function that sent it cannot write JSON. Returns an
 * unknown text unchanged: other programs may publish on the channel, and the listener checks the text.
 */
function messageOf(message: string): string {
  if (message.startsWith("m")) return message.slice(1);
  const [head, number, counter, writer, , length] = eventHead.exec(message) ?? [];
  if (head === undefined) return message;
  const bytes = Buffer.from(message.slice(head.length));
  const stream = bytes.toString("utf8", 0, Number(length));
  const data = bytes.toString("utf8", Number(length));
  return JSON.stringify({ id: `${number}.${counter}.${writer}`, stream, data } satisfies FollowedEvent);
}

const eventHead = /^e(\d+) (\d+) (\S+) (\d+) (\d+) /;
