/** A connection to Redis or Valkey that only subscribes. */
export type RedisSubscriber = EmittingSubscriber | CallbackSubscriber;

/** `Redis` of `ioredis` or `iovalkey`, or `Cluster` of `ioredis` with the option `shardedSubscribers`. */
export interface EmittingSubscriber {
  ssubscribe(channel: string): Promise<unknown>;
  sunsubscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (...args: string[]) => void): unknown;
  off(event: string, listener: (...args: string[]) => void): unknown;
}

/** The client that `createClient` or `createCluster` of `redis` returns. */
export interface CallbackSubscriber {
  sSubscribe(channel: string, listener: (message: string, channel: string) => void): Promise<void>;
  sUnsubscribe(channel: string): Promise<void>;
  on(event: string, listener: (...args: string[]) => void): unknown;
  off(event: string, listener: (...args: string[]) => void): unknown;
}

/** Sharded channels, each of which belongs to one slot of a cluster. */
export interface ShardedChannels {
  open(channel: string): Promise<void>;
  close(channel: string): Promise<void>;
  /** Removes the listeners from the connection. */
  end(): void;
}

/** Events after which the connection, or one of a cluster's connections, is a new one. */
const renewed = ["ready", "+subscriber", "subscribersReady", "sharded-channel-moved"];

/**
 * @param message receives the messages of all channels
 * @param isNew called when the connection may have been lost and is back
 */
export function shardedChannels(
  subscriber: RedisSubscriber,
  message: (channel: string, message: string) => void,
  isNew: () => void,
): ShardedChannels {
  for (const event of renewed) subscriber.on(event, isNew);
  const off = (): void => {
    for (const event of renewed) subscriber.off(event, isNew);
  };
  if ("sSubscribe" in subscriber) {
    const listener = (text: string, channel: string): void => message(channel, text);
    return {
      open: (channel) => subscriber.sSubscribe(channel, listener),
      close: (channel) => subscriber.sUnsubscribe(channel),
      end: off,
    };
  }
  subscriber.on("smessage", message);
  return {
    open: async (channel) => void (await subscriber.ssubscribe(channel)),
    close: async (channel) => void (await subscriber.sunsubscribe(channel)),
    end: () => {
      off();
      subscriber.off("smessage", message);
    },
  };
}
