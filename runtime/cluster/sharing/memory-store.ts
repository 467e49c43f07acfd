import { type Clock, McpError } from "@mcpgen/runtime";
import { BoundedMap, systemClock } from "@mcpgen/base";
import { MemoryEventStore } from "@mcpgen/runtime/extending";
import { deliver } from "./subscriptions.js";
import type { ClusterLog, ClusterStore, FollowedEvent } from "./store.js";

interface Subscription {
  readonly owner: MemoryClusterStore;
  readonly listener: (message: string) => void;
}

/** The data that the connections to one memory share. */
class SharedMemory {
  readonly values: BoundedMap<string, string>;
  readonly nodes: BoundedMap<string, true>;
  /** The sessions that have events. */
  readonly logged: BoundedMap<string, true>;
  readonly events = new MemoryEventStore();
  readonly channels = new Map<string, Set<Subscription>>();

  constructor(clock: Clock) {
    // No bound on the number: entries expire.
    const bounds = { full: "refuse", now: () => clock.now() } as const;
    this.values = new BoundedMap(bounds);
    this.nodes = new BoundedMap(bounds);
    this.logged = new BoundedMap({ ...bounds, gone: (session) => this.events.drop(session) });
  }

  publish(channel: string, message: string): number {
    const subscriptions = [...(this.channels.get(channel) ?? [])];
    for (const subscription of subscriptions)
      queueMicrotask(() => {
        if (this.channels.get(channel)?.has(subscription)) deliver(subscription.listener, message);
      });
    return subscriptions.length;
  }

  unsubscribe(channel: string, subscription: Subscription): void {
    const subscriptions = this.channels.get(channel);
    if (subscriptions?.delete(subscription) && subscriptions.size === 0) this.channels.delete(channel);
  }
}

/** A store in the memory of one process: for several endpoints of that process, and for tests. */
export class MemoryClusterStore implements ClusterStore {
  readonly log: ClusterLog;
  readonly #memory: SharedMemory;
  #isClosed = false;

  /** @param memory of another store; only `connect` passes it */
  constructor(clock: Clock = systemClock, memory?: unknown) {
    const shared = memory instanceof SharedMemory ? memory : new SharedMemory(clock);
    this.#memory = shared;
    this.log = {
      append: async (session, stream, data, ttlMs, follow) => {
        this.#assertOpen();
        // Reading drops an expired log, so that the new event is not appended to it.
        shared.logged.get(session);
        shared.logged.set(session, true, { lifeMs: ttlMs });
        const id = shared.events.append(session, stream, data);
        if (follow !== undefined)
          shared.publish(follow, JSON.stringify({ id, stream, data } satisfies FollowedEvent));
        return id;
      },
      after: async (session, event) => {
        this.#assertOpen();
        return shared.logged.get(session) && shared.events.after(session, event);
      },
      drop: async (session) => {
        this.#assertOpen();
        shared.logged.delete(session);
        shared.events.drop(session);
      },
    };
  }

  /** Returns another store over the same memory, for another endpoint. Each store is closed separately. */
  connect(): MemoryClusterStore {
    return new MemoryClusterStore(systemClock, this.#memory);
  }

  async publish(channel: string, message: string): Promise<number> {
    this.#assertOpen();
    return this.#memory.publish(channel, message);
  }

  async subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>> {
    this.#assertOpen();
    const subscription = { owner: this, listener };
    const { channels } = this.#memory;
    channels.set(channel, (channels.get(channel) ?? new Set()).add(subscription));
    return async () => this.#memory.unsubscribe(channel, subscription);
  }

  async put(key: string, value: string, ttlMs: number): Promise<void> {
    this.#assertOpen();
    this.#memory.values.set(key, value, { lifeMs: ttlMs });
  }

  async get(key: string): Promise<string | undefined> {
    this.#assertOpen();
    return this.#memory.values.get(key);
  }

  async take(key: string): Promise<string | undefined> {
    this.#assertOpen();
    const value = this.#memory.values.get(key);
    this.#memory.values.delete(key);
    return value;
  }

  async claim(key: string, value: string, ttlMs: number): Promise<boolean> {
    this.#assertOpen();
    if (this.#memory.values.get(key) !== undefined) return false;
    this.#memory.values.set(key, value, { lifeMs: ttlMs });
    return true;
  }

  async heartbeat(node: string, ttlMs: number): Promise<void> {
    this.#assertOpen();
    this.#memory.nodes.set(node, true, { lifeMs: ttlMs });
  }

  async alive(node: string): Promise<boolean> {
    this.#assertOpen();
    return this.#memory.nodes.get(node) === true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [channel, subscriptions] of this.#memory.channels)
      for (const each of subscriptions) if (each.owner === this) this.#memory.unsubscribe(channel, each);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw closedError();
  }
}

/** The error of a closed store. */
export function closedError(): McpError {
  return new McpError("store-failed", "the store was closed");
}
