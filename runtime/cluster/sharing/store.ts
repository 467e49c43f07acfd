import type { MissedEvents } from "@mcpgen/runtime/extending";

/**
 * What processes that serve the same sessions share. Names (sessions, channels, keys, nodes) are compared character by
 * character. Texts are well-formed Unicode without NUL, as JSON texts are. Each function rejects with an `McpError` of the code
 * `store-failed` while the engine does not answer, and after `close`; the engine may still execute what failed here.
 */
export interface ClusterStore {
  readonly log: ClusterLog;
  /**
   * Sends a message to all subscribers of a channel, in all processes. Resolves with their number, as far as the engine knows
   * it: 0 if there is none. A message to a process that is not connected is lost.
   */
  publish(channel: string, message: string): Promise<number>;
  /**
   * Subscribes to a channel. Resolves when each later message arrives; messages of one publisher keep their order.
   *
   * @param listener gets the messages; it must not throw
   * @param lost called when messages may have been lost, because the connection was
   * @returns a function that ends the subscription: the listener is not called after it was called
   */
  subscribe(
    channel: string,
    listener: (message: string) => void,
    lost?: () => void,
  ): Promise<() => Promise<void>>;
  /** Adds or replaces a value, for `ttlMs` milliseconds. */
  put(key: string, value: string, ttlMs: number): Promise<void>;
  get(key: string): Promise<string | undefined>;
  /** Returns a value and removes it: of several calls at once, one gets it. */
  take(key: string): Promise<string | undefined>;
  /** Adds a value if the key has none. Returns whether it did: of several calls at once, one does. */
  claim(key: string, value: string, ttlMs: number): Promise<boolean>;
  /** Says that a process is alive, for `ttlMs` milliseconds. */
  heartbeat(node: string, ttlMs: number): Promise<void>;
  /** Whether the time of the last heartbeat of a process is not over. */
  alive(node: string): Promise<boolean>;
  /** Ends all subscriptions. Connections are the caller's. */
  close(): Promise<void>;
}

/** Limits of a log for one session. The newest event is kept, however long it is. */
export const logLimits = {
  events: 256,
  /** UTF-16 code units of `data`, with `overhead` for each event. */
  characters: 1_048_576,
  overhead: 128,
} as const;

/** Keeps the last events of each session for its processes. */
export interface ClusterLog {
  /**
   * Adds an event, and removes the oldest ones above the limits (`logLimits`). Events of calls from one process keep the order
   * of the calls, also before the promise for the last one is settled.
   *
   * @param data empty if the event is never sent again: a client can continue after it
   * @param ttlMs milliseconds after which all events of the session may be dropped, unless `append` follows
   * @param follow a channel that gets the event, too: the JSON of a `FollowedEvent`. It costs no other command if its name
   *   contains the session in braces.
   * @returns the id of the event, which no other session has: ASCII letters, digits, `-`, `_` and `.`
   */
  append(session: string, stream: string, data: string, ttlMs: number, follow?: string): Promise<string>;
  /**
   * Returns the stream of an event and the later events of that stream that have data. Returns `undefined` if the event was
   * never appended to the session, or is gone. `event` may be any text: a client sent it.
   */
  after(session: string, event: string): Promise<MissedEvents | undefined>;
  /** Deletes all events of a session. */
  drop(session: string): Promise<void>;
}

/** An event that a channel gets. */
export interface FollowedEvent {
  readonly id: string;
  readonly stream: string;
  readonly data: string;
}

/** Options of `cluster`. */
export interface ClusterOptions {
  /** What the processes share. It stays open when the endpoint closes. */
  readonly store: ClusterStore;
  /**
   * Secrets that authenticate the ids of requests to clients: the current one first, then earlier ones. All processes of one
   * server have the same secrets. Each has 32 characters or more.
   */
  readonly keys: readonly string[];
  /** A name of this process for operators, at most 32 letters, digits, `-` and `_`. Random characters follow it. */
  readonly node?: string;
  /**
   * Milliseconds for which the store keeps the events of a session after the last one, and its log level, subscriptions and end;
   * the latter three for as long as `sealedSessions` can open the session, if that is more. Default: one day.
   */
  readonly ttlMs?: number;
}
