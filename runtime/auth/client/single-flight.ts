interface Flight {
  readonly result: Promise<unknown>;
  readonly controller: AbortController;
  waiting: number;
}

/** Runs one task per key at a time. Calls during a run get the result of that run. */
export class SingleFlight {
  readonly #flights = new Map<string, Flight>();

  /** @param task gets a signal that aborts when all callers have given up */
  async run<T>(key: string, signal: AbortSignal, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    let flight = this.#flights.get(key);
    if (!flight) {
      const controller = new AbortController();
      const result = task(controller.signal).finally(() => {
        if (this.#flights.get(key) === started) this.#flights.delete(key);
      });
      const started: Flight = { result, controller, waiting: 0 };
      this.#flights.set(key, (flight = started));
    }
    const { result, controller } = flight;
    flight.waiting++;
    let abort!: () => void;
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal.reason as Error);
      signal.addEventListener("abort", abort, { once: true });
    });
    try {
      return (await Promise.race([result, aborted])) as T;
    } finally {
      signal.removeEventListener("abort", abort);
      if (--flight.waiting === 0) {
        if (this.#flights.get(key) === flight) this.#flights.delete(key);
        controller.abort(signal.reason);
      }
    }
  }
}
