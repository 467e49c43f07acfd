import { Silence } from "../../capture/server-error.js";

/** Milliseconds without a sign of life, unless `--timeout` says otherwise. */
const usual = 60_000;

/** Ends a request after a time without an answer or progress. The time in which the user answers questions does not count. */
export class RequestTimeout {
  readonly #controller = new AbortController();
  readonly #limit: number;
  #timer: NodeJS.Timeout | undefined;
  #asking = 0;
  #isOff = false;

  constructor(limit = usual) {
    this.#limit = limit;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the wait: progress has arrived. */
  restart(): void {
    clearTimeout(this.#timer);
    if (this.#asking > 0 || this.#isOff) return;
    this.#timer = setTimeout(() => this.#controller.abort(new Silence(this.#limit, "request")), this.#limit);
  }

  /** The request goes on as a task, for as long as it likes. */
  off(): void {
    this.#isOff = true;
    clearTimeout(this.#timer);
  }

  /** Stops the clock until `work` settles. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#asking++;
    clearTimeout(this.#timer);
    try {
      return await work();
    } finally {
      this.#asking--;
      this.restart();
    }
  }

  /** Resolves with the result of the request. A request that this limit ended rejects with `Silence`. */
  async over<T>(request: Promise<T>): Promise<T> {
    this.restart();
    try {
      return await request;
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : error;
    } finally {
      clearTimeout(this.#timer);
    }
  }
}
