import type { MissedEvents } from "@mcpgen/runtime/extending";

/**
 * The store that processes with the same sessions share. Names (sessions, channels, keys, nodes) are compared character by
 * character. Texts are well-formed Unicode without NUL. Each function rejects with an `McpError` with the code `store-failed`
 * while the engine does not answer, and after `close`. The engine may still execute a call that failed here.
 */
export interface ClusterStore {
  readonly log: ClusterLog;
  /**
   * Sends a message to all subscribers of a channel, in all processes. Resolves with the number of subscribers, as far as the
   * engine knows it; 0 if there are none. A message to a process that is not connected is lost.
   */
  publish(channel: string, message: string): Promise<number>;
  /**
   * Subscribes to a channel. Every message that is sent after the promise resolves arrives. Messages of one publisher keep
   * their order.
   *
   * @param listener gets the messages; it must not throw
   * @param lost called when messages may have been lost, because the connection broke
   * @returns a function that ends the subscription: after its call, the listener is not called
   */
  subscribe(
    channel: string,
    listener: (message: string) => void,
    lost?: () => void,
  ): Promise<() => Promise<void>>;
  /** Adds or replaces a value, for `ttlMs` milliseconds. */
  put(key: string, value: string, ttlMs: number): Promise<void>;
  get(key: string): Promise<string | undefined>;
  /** Returns a value and removes it. Only one of several concurrent calls gets it. */
  take(key: string): Promise<string | undefined>;
  /** Adds a value if the key has none. Returns whether it did; only one of several concurrent calls does. */
  claim(key: string, value: string, ttlMs: number): Promise<boolean>;
  /** Records that a process is alive, for `ttlMs` milliseconds. */
  heartbeat(node: string, ttlMs: number): Promise<void>;
  /** Whether the last heartbeat of a process is still valid. */
  alive(node: string): Promise<boolean>;
  /** Ends all subscriptions. The caller closes the connections. */
  close(): Promise<void>;
}

/** Limits of the log of one session. The newest event is always kept, even if it exceeds them. */
export const logLimits = {
  events: 256,
  /** UTF-16 code units of all `data`, plus `overhead` for each event. */
  characters: 1_048_576,
  overhead: 128,
} as const;

/** The log of the latest events of each session. */
export interface ClusterLog {
  /**
   * Adds an event, and removes the oldest events above the limits (`logLimits`). Events of one process keep the order of the
   * calls, even if a call does not wait for the previous one.
   *
   * @param data empty if the event is never sent again; it only marks a place from which a client can continue
   * @param ttlMs milliseconds after which all events of the session may be dropped, unless `append` follows
   * @param follow a channel that also gets the event, as JSON of a `FollowedEvent`. If its name contains the session in
   *   braces, this needs no further command.
   * @returns the id of the event, unique among all sessions: ASCII letters, digits, `-`, `_` and `.`
   */
  append(session: string, stream: string, data: string, ttlMs: number, follow?: string): Promise<string>;
  /**
   * Returns the stream of an event, and the later events of that stream with data; `undefined` if the session's log does not
   * have the event, or no longer. `event` may be any text, because a client sent it.
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
  /** The shared store. It stays open when the endpoint closes. */
  readonly store: ClusterStore;
  /**
   * Secrets that authenticate the ids of requests to clients, and the requests that processes pass to one another: the current
   * one first, then earlier ones. All processes of one server have the same secrets. Each has 32 characters or more.
   */
  readonly keys: readonly string[];
}
