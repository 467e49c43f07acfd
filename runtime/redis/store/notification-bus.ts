import { Breaker, checkOptions, gone, jsonOr, malformedMember, type Rules, text } from "@mcpgen/base";
import type { Change, NotificationBus } from "@mcpgen/runtime";
import { type RedisClient, send } from "./client.js";
import { ownTimeout } from "./keys.js";

export interface RedisNotificationBusOptions {
  /** The key of the stream. Default: `mcpgen-changes-v1`, where 1 is the version of the layout. */
  readonly key?: string;
  /**
   * Receives the errors of Redis. Where an error may lose changes, subscribers are notified of a gap. Default: errors are
   * ignored.
   */
  readonly onError?: (error: unknown) => void;
}

/** A bus that can be closed. */
export interface RedisNotificationBus extends NotificationBus {
  /** Stops reading. The caller closes the connections. */
  close(): void;
}

const rules: Rules<RedisNotificationBusOptions, "timeoutMs" | "maxChanges"> = {
  key: text,
  timeoutMs: gone(ownTimeout),
  onError: "function",
  maxChanges: gone("Leave it out: the stream keeps the newest 10,000 changes, approximately."),
};

/** Approximate number of changes that the stream keeps for slow processes. */
const maxChanges = 10_000;

/** Maximum time for which a read waits for changes, in milliseconds. */
const blockMs = 5000;
/** Maximum number of changes of one read. */
const mostRead = 100;
/** Milliseconds before a failed command is repeated. */
const retryMs = 250;
/** An id before the first entry. */
const none = "0-0";

/** An entry of the stream. */
type Entry = readonly [id: string, fields: readonly string[]];

/**
 * Sends changes between processes over one stream of Redis or Valkey. After a broken connection, a process continues with
 * the first change that it has not read. If changes are gone, because the stream was trimmed or lost, subscribers are
 * notified of a gap.
 *
 * @param client a connection for commands
 * @param reader another connection; the bus blocks it, so nothing else may use it
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function redisNotificationBus(
  client: RedisClient,
  reader: RedisClient,
  options: RedisNotificationBusOptions = {},
): RedisNotificationBus {
  checkOptions(options, rules, "redisNotificationBus: ");
  const { key = "mcpgen-changes-v1", onError = () => {} } = options;
  const listeners = new Map<(change: Change) => void, (() => void) | undefined>();
  const writing = new Breaker("Redis");
  const reading = new Breaker("Redis", blockMs);
  const state = { isClosed: false };
  let retry: ReturnType<typeof setTimeout> | undefined;

  /** Adds an entry to the stream. An empty text means that changes were lost. */
  const append = (text: string): Promise<unknown> =>
    writing.run(() => send(client, "XADD", key, "MAXLEN", "~", `${maxChanges}`, "*", "change", text));
  const fault = (error: unknown): void => {
    if (!state.isClosed) onError(error);
  };
  // Other processes cannot know about a change that was not written. They are notified of a gap as soon as Redis is back.
  const lost = (error: unknown): void => {
    fault(error);
    if (retry !== undefined || state.isClosed) return;
    retry = setTimeout(() => {
      retry = undefined;
      append("").catch(lost);
    }, retryMs);
    retry.unref();
  };
  const each = (call: (listener: (change: Change) => void, onGap?: () => void) => void): void => {
    for (const [listener, onGap] of listeners)
      try {
        call(listener, onGap);
      } catch (error) {
        fault(error);
      }
  };
  const gap = (): void => each((_, onGap) => onGap?.());

  const ask = (...args: [command: string, ...args: string[]]): Promise<unknown> =>
    reading.run(() => send(reader, ...args));
  const newest = async (): Promise<string> =>
    ((await ask("XREVRANGE", key, "+", "-", "COUNT", "1")) as Entry[])[0]?.[0] ?? none;
  const holds = async (id: string): Promise<boolean> =>
    ((await ask("XRANGE", key, id, id)) as Entry[]).length > 0;
  /** Reads the changes after an id. @returns the id to continue after */
  const readAfter = async (last: string): Promise<string> => {
    const limits = ["COUNT", `${mostRead}`, "BLOCK", `${blockMs}`];
    const entries = entriesOf(await ask("XREAD", ...limits, "STREAMS", key, last));
    // Redis trims the oldest entries. If it still has the last entry that was read, it has all later ones.
    const isWhole = last === none ? entries.length < mostRead : await holds(last);
    if (state.isClosed) return last;
    if (!isWhole) gap();
    for (const [, [, text = ""]] of entries) {
      const change = changeOf(text);
      if (change) each((listener) => listener(change));
      else gap();
    }
    const next = entries.at(-1)?.[0] ?? last;
    if (isWhole || entries.length > 0) return next;
    // Redis has lost the stream. Ids in the new stream may be lower.
    const first = await newest();
    return isBefore(first, last) ? first : last;
  };
  const follow = async (): Promise<void> => {
    let last: string | undefined;
    while (!state.isClosed)
      try {
        if (last === undefined) {
          last = await newest();
          // Changes published before the start are not read.
          if (!state.isClosed) gap();
        }
        last = await readAfter(last);
      } catch (error) {
        fault(error);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
  };
  void follow();

  return {
    publish: (change) => void append(JSON.stringify(change)).catch(lost),
    subscribe: (listener, onGap) => {
      // A wrapper makes each subscription distinct: the same function may subscribe twice.
      const own = (change: Change): void => listener(change);
      listeners.set(own, onGap);
      return () => void listeners.delete(own);
    },
    close: () => {
      state.isClosed = true;
      clearTimeout(retry);
      listeners.clear();
    },
  };
}

/**
 * Returns the entries in a reply to XREAD of one stream. RESP2 has a list of pairs, RESP3 a map, which drivers represent in
 * different ways.
 */
function entriesOf(reply: unknown): readonly Entry[] {
  if (reply === null || reply === undefined) return [];
  if (reply instanceof Map) return [...(reply as Map<unknown, readonly Entry[]>).values()].flat();
  if (!Array.isArray(reply)) return Object.values(reply as Record<string, readonly Entry[]>).flat();
  const [first] = reply as readonly unknown[];
  return (Array.isArray(first) ? first[1] : reply[1]) as readonly Entry[];
}

/** Parses the change in an entry; `undefined` if the entry means lost changes, or another program wrote it. */
function changeOf(text: string): Change | undefined {
  const found = jsonOr(text);
  const isChange =
    typeof found === "object" &&
    found !== null &&
    malformedMember(found, { method: "text", uri: "string", params: "object" }, ["method"]) === undefined;
  return isChange ? (found as Change) : undefined;
}

function isBefore(one: string, other: string): boolean {
  const [[ms, number], [otherMs, otherNumber]] = [partsOf(one), partsOf(other)];
  return ms === otherMs ? number < otherNumber : ms < otherMs;
}

function partsOf(id: string): readonly [bigint, bigint] {
  const [ms = "0", number = "0"] = id.split("-");
  return [BigInt(ms), BigInt(number)];
}
