import type { RequestId } from "./message.js";
import type { Channel, Receiver } from "./channel.js";

/**
 * Two connected channels inside one process. Messages arrive in a later microtask, and messages of one turn arrive
 * together.
 */
export function memoryChannels(): [Channel, Channel] {
  const one = new MemoryChannel();
  const other = new MemoryChannel();
  one.peer = other;
  other.peer = one;
  return [one, other];
}

class MemoryChannel implements Channel {
  peer: MemoryChannel | undefined;
  #receiver: Receiver | undefined;
  /** Messages that arrived before `open`. */
  #arrived: string[] = [];
  #queue: string[] = [];
  #over = false;

  open(receiver: Receiver): void {
    this.#receiver = receiver;
    queueMicrotask(() => this.#deliver());
  }

  send(text: string, _origin?: RequestId): void {
    if (this.#over) return;
    if (this.#queue.length === 0) queueMicrotask(() => this.flush());
    this.#queue.push(text);
  }

  flush(): void {
    const texts = this.#queue;
    if (texts.length === 0) return;
    this.#queue = [];
    for (const text of texts) this.peer!.#arrived.push(text);
    queueMicrotask(() => this.peer!.#deliver());
  }

  async close(): Promise<void> {
    if (this.#over) return;
    this.flush();
    this.#over = true;
    const { peer } = this;
    await Promise.resolve();
    queueMicrotask(() => peer!.#hangUp());
  }

  #deliver(): void {
    if (!this.#receiver || this.#arrived.length === 0) return;
    const texts = this.#arrived;
    this.#arrived = [];
    for (const text of texts) this.#receiver.message(text);
    this.#receiver.turn();
  }

  #hangUp(): void {
    if (this.#over) return;
    this.#deliver();
    this.#over = true;
    this.#receiver?.closed();
  }
}
