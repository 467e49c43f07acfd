/** Waits between polls, in milliseconds. */
export interface PollOptions {
  /** The shortest wait, whatever the server advises. Default: 0. */
  readonly minPollMs?: number;
  /** The longest wait where the server advises none. Default: 30,000. */
  readonly maxPollMs?: number;
}

/** The first wait where the server advises none. */
const firstWait = 1000;
const growth = 1.5;
/** Part of a wait that is drawn at random: clients that started together do not poll together. */
const jitter = 0.1;
/** Polls in a row that may fail. */
export const mostFailures = 8;

/** The waits of one task. */
export class Waits {
  readonly #least: number;
  readonly #most: number;
  #own = firstWait;
  #failures = 0;

  constructor({ minPollMs = 0, maxPollMs = 30_000 }: PollOptions) {
    this.#least = minPollMs;
    this.#most = maxPollMs;
  }

  /** The wait before the next poll. @param advised by the server */
  next(advised: number | undefined): number {
    this.#failures = 0;
    const wait = advised ?? this.#own;
    if (advised === undefined) this.#own = Math.min(this.#own * growth, this.#most);
    return this.#spread(Math.max(wait, this.#least));
  }

  /**
   * The wait after a poll that failed: twice as long each time.
   *
   * @param atLeast what the server asks for
   * @returns `undefined` if too many failed in a row
   */
  failed(atLeast = 0): number | undefined {
    this.#failures++;
    if (this.#failures > mostFailures) return undefined;
    const wait = Math.min(firstWait * 2 ** (this.#failures - 1), this.#most);
    return this.#spread(Math.max(wait, atLeast, this.#least));
  }

  /** Never shorter: a server may refuse a poll that comes too early. */
  #spread(wait: number): number {
    return Math.ceil(wait * (1 + jitter * Math.random()));
  }
}
