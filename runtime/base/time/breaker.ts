import { type Clock, systemClock, withTimeout } from "./clock.js";

/** Commands without an answer. Clients of databases keep what they cannot send, most of them without limit. */
const mostPending = 1024;

/**
 * Sends commands to an engine that may be away. A command fails if it has no answer within the timeout. Then others fail at
 * once, but one in each timeout, until the engine answers any of them.
 */
export class Breaker {
  readonly #name: string;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  #pending = 0;
  /** The time before which commands fail at once; 0 if the engine answers. */
  #openUntil = 0;

  /**
   * @param name of the engine, for errors
   * @param timeoutMs milliseconds
   */
  constructor(name: string, timeoutMs: number, clock: Clock = systemClock) {
    this.#name = name;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  /**
   * The answer to a command. The engine may execute a command that failed here later.
   *
   * @throws {Error} the engine does not answer; or as the command does
   */
  async run<T>(command: () => Promise<T>): Promise<T> {
    const now = this.#clock.now();
    if (this.#pending >= mostPending || now < this.#openUntil)
      throw new Error(`${this.#name} does not answer: the command was not sent`);
    if (this.#openUntil > 0) this.#openUntil = now + this.#timeoutMs;
    const answer = await withTimeout(this.#timeoutMs, this.#answerTo(command), this.#clock);
    if (answer) return answer.value;
    this.#openUntil = this.#clock.now() + this.#timeoutMs;
    throw new Error(`${this.#name} did not answer within ${this.#timeoutMs} ms`);
  }

  async #answerTo<T>(command: () => Promise<T>): Promise<{ readonly value: T }> {
    this.#pending++;
    try {
      const value = await command();
      this.#openUntil = 0;
      return { value };
    } finally {
      this.#pending--;
    }
  }
}
