/** What one client may have, in each process. `Infinity` lifts a limit. */
export interface Quotas {
  /** Tasks that run at once. Default: 100. */
  readonly running?: number;
  /** Tasks that it makes in a minute. Default: 600. */
  readonly perMinute?: number;
  /** Characters of the JSON of one result. A longer one fails the task. Default: 10,000,000. */
  readonly resultBytes?: number;
}

const minute = 60_000;

/** Counts the tasks of each client. */
export class QuotaCounter {
  readonly #most: Required<Quotas>;
  readonly #running = new Map<string, number>();
  /** Times of creations, by client, the earliest first. */
  readonly #made = new Map<string, number[]>();

  constructor({ running = 100, perMinute = 600, resultBytes = 10_000_000 }: Quotas = {}) {
    this.#most = { running, perMinute, resultBytes };
  }

  get resultBytes(): number {
    return this.#most.resultBytes;
  }

  /** The name of the quota that a further task would exceed. */
  exceeded(owner: string, now: number): keyof Quotas | undefined {
    if ((this.#running.get(owner) ?? 0) >= this.#most.running) return "running";
    const made = this.#made.get(owner) ?? [];
    while (made.length > 0 && made[0]! <= now - minute) made.shift();
    return made.length >= this.#most.perMinute ? "perMinute" : undefined;
  }

  made(owner: string, now: number): void {
    const made = this.#made.get(owner);
    if (made) made.push(now);
    else this.#made.set(owner, [now]);
  }

  /** @param more 1 when a run begins, -1 when it ends */
  ran(owner: string, more: 1 | -1): void {
    const running = (this.#running.get(owner) ?? 0) + more;
    if (running > 0) this.#running.set(owner, running);
    else this.#running.delete(owner);
  }

  /** Forgets clients that made nothing in the last minute. */
  sweep(now: number): void {
    for (const [owner, made] of this.#made) if (made.at(-1)! <= now - minute) this.#made.delete(owner);
  }
}
