import { Silence } from "../../contract/capture/server-error.js";

/** Milliseconds without a sign of life, unless `--timeout` says otherwise. */
const usual = 60_000;

/** Ends a request whose server gives no sign of life. The time in which its user is asked is not the server's. */
export class RequestTimeout {
  readonly #controller = new AbortController();
  readonly #limit: number;
  #timer: NodeJS.Timeout | undefined;
  #asking = 0;

  constructor(limit = usual) {
    this.#limit = limit;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The server has given a sign of life. */
  restart(): void {
    clearTimeout(this.#timer);
    if (this.#asking > 0) return;
    this.#timer = setTimeout(() => this.#controller.abort(new Silence(this.#limit, "request")), this.#limit);
  }

  /** Stands still while `work` is under way. */
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

  /** What a request came to; its end by this limit is told as the server's silence. */
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
