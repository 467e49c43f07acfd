interface Listener {
  readonly message: (message: string) => void;
  readonly lost: (() => void) | undefined;
}

interface Channel {
  readonly listeners: Set<Listener>;
  /** The end of what was begun with the channel: one command at a time. */
  work: Promise<void>;
  isOpen: boolean;
}

/** What opens and closes channels at an engine. */
export interface ChannelEngine {
  open(channel: string): Promise<void>;
  close(channel: string): Promise<void>;
}

/** The subscriptions of a process: the engine has one for each channel, whatever the number of listeners. */
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

  /** Passes a message on. An error of a listener reaches no other one. */
  deliver(name: string, message: string): void {
    for (const listener of this.#channels.get(name)?.listeners ?? []) deliver(listener.message, message);
  }

  /** Reports that messages of a channel may be lost. */
  reportLoss(name: string): void {
    for (const { lost } of this.#channels.get(name)?.listeners ?? []) if (lost) deliver(lost);
  }

  /** The connection was lost and is back: opens all channels again, and reports that messages may be lost. */
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

/** Calls a listener of a channel. None may throw; if one does, neither the connection nor another listener is to end by it. */
export function deliver<Given extends unknown[]>(listener: (...given: Given) => void, ...given: Given): void {
  try {
    listener(...given);
  } catch {
    // What a listener wants to report, it reports itself.
  }
}
