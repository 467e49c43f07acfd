interface Listener {
  readonly message: (message: string) => void;
  readonly lost: (() => void) | undefined;
}

interface Channel {
  readonly listeners: Set<Listener>;
  /** Settles when the last command about the channel has ended, so that commands run one at a time. */
  work: Promise<void>;
  isOpen: boolean;
}

/** Opens and closes channels at an engine. */
export interface ChannelEngine {
  open(channel: string): Promise<void>;
  close(channel: string): Promise<void>;
}

/**
 * The subscriptions of a process. The engine has one subscription for each channel, regardless of the number
 * of listeners.
 */
export class Subscriptions {
  readonly #channels = new Map<string, Channel>();
  readonly #engine: ChannelEngine;

  constructor(engine: ChannelEngine) {
    this.#engine = engine;
  }

  async subscribe(
    name: string,
    message: (message: string) => void,
    lost: (() => void) | undefined,
  ): Promise<() => Promise<void>> {
    const channel = this.#channels.get(name) ?? {
      listeners: new Set(),
      work: Promise.resolve(),
      isOpen: false,
    };
    this.#channels.set(name, channel);
    const listener = { message, lost };
    channel.listeners.add(listener);
    const end = async (): Promise<void> => {
      if (channel.listeners.delete(listener)) await this.#settle(name, channel);
    };
    try {
      await this.#settle(name, channel);
    } catch (error) {
      await end().catch(() => {});
      throw error;
    }
    return end;
  }

  /** Passes a message to all listeners of a channel. An error in one listener does not affect the others. */
  deliver(name: string, message: string): void {
    for (const listener of this.#channels.get(name)?.listeners ?? []) deliver(listener.message, message);
  }

  /** Calls `lost` of all listeners of a channel. */
  reportLoss(name: string): void {
    for (const { lost } of this.#channels.get(name)?.listeners ?? []) if (lost) deliver(lost);
  }

  /** Called when the connection is back: opens all channels again, and reports that messages may be lost. */
  async reopen(): Promise<void> {
    await Promise.allSettled(
      [...this.#channels].map(async ([name, channel]) => {
        channel.isOpen = channel.listeners.size === 0;
        await this.#settle(name, channel);
        this.reportLoss(name);
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.allSettled(
      [...this.#channels].map(([name, channel]) => {
        channel.listeners.clear();
        return this.#settle(name, channel);
      }),
    );
  }

  #settle(name: string, channel: Channel): Promise<void> {
    const work = channel.work.then(async () => {
      const isWanted = channel.listeners.size > 0;
      if (isWanted !== channel.isOpen) {
        await (isWanted ? this.#engine.open(name) : this.#engine.close(name));
        channel.isOpen = isWanted;
      }
      if (!isWanted && channel.listeners.size === 0) this.#channels.delete(name);
    });
    channel.work = work.catch(() => {});
    return work;
  }
}

/** Calls a listener. Swallows its errors, so that they end neither the connection nor other listeners. */
export function deliver<Given extends unknown[]>(listener: (...given: Given) => void, ...given: Given): void {
  try {
    listener(...given);
  } catch {
    // Listeners report their errors themselves.
  }
}
