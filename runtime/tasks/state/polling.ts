import { waitAsked } from "@mcpgen/base";

// Waits between polls, in milliseconds.

/** Minimum wait, even if the server suggests a shorter one. */
const shortest = 100;
/** The first and the longest wait if the server suggests none. */
const firstWait = 1000;
const longestOwn = 30_000;
/** Maximum wait, even if the server suggests a longer one: an hour. */
const longest = 3_600_000;
const growth = 1.5;
/** Random fraction of a wait, so that clients that started together do not poll together. */
const jitter = 0.1;
/** Maximum number of consecutive failed polls. */
export const mostFailures = 8;

/** The waits between polls of one task. */
export class Waits {
  #own = firstWait;
  #failures = 0;

  /**
   * Returns the wait before the next poll.
   *
   * @param advised interval that the server suggests, of any type; ignored unless it is a number above 0
   * @param isBackstop whether the server also announces changes, so that polls may be rare
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
   * Returns the wait after a failed poll, doubled each time.
   *
   * @param atLeast minimum that the server demands, of any type
   * @returns `undefined` after too many consecutive failures
   */
  failed(atLeast?: unknown): number | undefined {
    this.#failures++;
    if (this.#failures > mostFailures) return undefined;
    const wait = Math.min(firstWait * 2 ** (this.#failures - 1), longestOwn);
    return this.#spread(Math.max(wait, waitAsked(atLeast, { usual: 0 })));
  }

  /** Adds a random part. Never shortens a wait, because a server may refuse an early poll. */
  #spread(wait: number): number {
    return Math.ceil(Math.max(Math.min(wait, longest), shortest) * (1 + jitter * Math.random()));
  }
}
