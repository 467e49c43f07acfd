import type { Clock } from "@mcpgen/runtime";

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** A clock that a test moves. */
export class VirtualClock implements Clock {
  #time: number;
  /** In the order of their creation, which is also the order of timers due at the same time. */
  readonly #timers = new Set<Timer>();

  constructor(start = 0) {
    this.#time = start;
  }

  /** The number of timers; 0 if no code waits. */
  get waiting(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#time;
  }

  wallTime(): number {
    return this.#time;
  }

  schedule(callback: () => void, delay: number): unknown {
    const timer = { due: this.#time + Math.max(delay, 0), callback };
    this.#timers.add(timer);
    return timer;
  }

  clear(timer: unknown): void {
    this.#timers.delete(timer as Timer);
  }

  /**
   * Moves the time forward by `milliseconds`. Fires each timer at its due time, in order, and awaits the resulting work
   * before it fires the next one. Timers created meanwhile also fire.
   */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#time + milliseconds;
    await settled();
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#time = Math.max(this.#time, timer.due);
      timer.callback();
      await settled();
    }
    this.#time = end;
  }

  #next(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers)
      if (timer.due <= end && (!first || timer.due < first.due)) first = timer;
    return first;
  }
}

/** Resolves when all pending microtasks and their follow-ups on this thread are done. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
