import { waitAsked } from "@mcpgen/base";

// Waits between polls, in milliseconds.

/** The shortest wait, whatever the server advises. */
const shortest = 100;
/** The first wait where the server advises none, and the longest one. */
const firstWait = 1000;
const longestOwn = 30_000;
/** The longest wait, whatever the server advises: an hour. */
const longest = 3_600_000;
const growth = 1.5;
/** Part of a wait that is drawn at random: clients that started together do not poll together. */
const jitter = 0.1;
/** Polls in a row that may fail. */
export const mostFailures = 8;

/** The waits of one task. */
export class Waits {
  #own = firstWait;
  #failures = 0;

  /**
   * The wait before the next poll.
   *
   * @param advised by the server, of any type; only a number above 0 is advice
   * @param isBackstop the server announces changes, too
   */
  next(advised?: unknown, isBackstop = false): number {
    this.#failures = 0;
    let wait = waitAsked(advised, { most: longest, usual: 0 });
    if (wait === 0) {
      wait = this.#own;
      this.#own = Math.min(this.#own * growth, longestOwn);
    }
    return this.#spread(isBackstop ? Math.max(wait, longestOwn) : wait);
  }

  /**
   * The wait after a poll that failed: twice as long each time.
   *
   * @param atLeast what the server asks for, of any type
   * @returns `undefined` if too many failed in a row
   */
  failed(atLeast?: unknown): number | undefined {
    this.#failures++;
    if (this.#failures > mostFailures) return undefined;
    const wait = Math.min(firstWait * 2 ** (this.#failures - 1), longestOwn);
    return this.#spread(Math.max(wait, waitAsked(atLeast, { usual: 0 })));
  }

  /** Never shorter: a server may refuse a poll that comes too early. */
  #spread(wait: number): number {
    return Math.ceil(Math.max(Math.min(wait, longest), shortest) * (1 + jitter * Math.random()));
  }
}
