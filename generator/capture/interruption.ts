import { constants } from "node:os";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Milliseconds that what is ended may take. */
const patience = 3_000;

/** npm passes on what the terminal has sent to all: one Ctrl-C comes twice, at nearly the same moment (milliseconds). */
const echo = 200;

/** What signals do while something is to be ended before this process is. */
export class Interruption {
  readonly #exit: (code: number) => void;
  readonly #endings = new Set<() => Promise<unknown>>();
  #arrived: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;

  /** @param exit ends this process */
  constructor(exit: (code: number) => void) {
    this.#exit = exit;
  }

  /**
   * From here until what it returns is called, a signal ends what `end` ends, then this process, with 128 and the
   * signal's number as its exit code; a second one ends it at once. What it returns never resolves once a signal has
   * arrived: what follows is not to be done any more.
   */
  endsFirst(end: () => Promise<unknown>): () => Promise<void> {
    if (this.#endings.size === 0) for (const signal of signals) process.on(signal, this.#interrupted);
    // Twice the same function would be one.
    const ending = (): Promise<unknown> => end();
    this.#endings.add(ending);
    return async () => {
      if (this.#arrived) await new Promise<never>(() => {});
      this.#endings.delete(ending);
      if (this.#endings.size === 0) for (const signal of signals) process.off(signal, this.#interrupted);
    };
  }

  readonly #interrupted = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    // Whatever still runs for this process hears of its end (runtime/core/stdio/after-process.ts).
    const exit = (): void => this.#exit(128 + constants.signals[signal]);
    if (this.#arrived) {
      if (signal !== this.#arrived.signal || now - this.#arrived.at > echo) exit();
      return;
    }
    this.#arrived = { signal, at: now };
    setTimeout(exit, patience);
    void Promise.allSettled([...this.#endings].map((end) => end())).then(exit);
  };
}

/** What signals do to this process. */
export const interruption = new Interruption((code) => process.exit(code));
