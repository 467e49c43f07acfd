import type { Clock } from "../time/clock.js";

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** Time that stands still until a test moves it. */
export class VirtualClock implements Clock {
  private time: number;
  /** In the order they were set, which is the order of those that are due together. */
  private readonly timers = new Set<Timer>();

  constructor(start = 0) {
    this.time = start;
  }

  /** Timers that are set: none are left when nothing waits. */
  get waiting(): number {
    return this.timers.size;
  }

  now(): number {
    return this.time;
  }

  wallTime(): number {
    return this.time;
  }

  schedule(callback: () => void, delay: number): unknown {
    const timer = { due: this.time + Math.max(delay, 0), callback };
    this.timers.add(timer);
    return timer;
  }

  clear(timer: unknown): void {
    this.timers.delete(timer as Timer);
  }

  /**
   * Moves time on by `milliseconds`: calls what becomes due, in order and each at its own time, and lets what
   * follows from it happen before the next. Timers set on the way count.
   */
  async advance(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    await settled();
    for (let timer = this.next(end); timer; timer = this.next(end)) {
      this.timers.delete(timer);
      this.time = Math.max(this.time, timer.due);
      timer.callback();
      await settled();
    }
    this.time = end;
  }

  private next(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.timers) if (timer.due <= end && (!first || timer.due < first.due)) first = timer;
    return first;
  }
}

/** Resolves when all that follows from what has happened has happened, short of work outside this thread. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
