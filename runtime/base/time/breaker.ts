import { type Clock, systemClock, withTimeout } from "./clock.js";

/**
 * Maximum number of commands without an answer. Database clients queue commands that they cannot send, most of them
 * without a limit.
 */
const mostPending = 1024;

/**
 * Milliseconds after which a command without an answer fails: more than a loaded engine takes, and less than clients and
 * proxies wait for a response.
 */
const timeoutMs = 2000;

/**
 * Sends commands to an engine that may be unavailable. A command fails if it has no answer within the timeout. From
 * then on, all commands fail at once except one per timeout, until the engine answers.
 */
export class Breaker {
  readonly #name: string;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  #pending = 0;
  /** Commands before this time fail at once; 0 if the engine answers. */
  #openUntil = 0;

  /**
   * @param name the name of the engine in errors
   * @param blockMs milliseconds for which a command may wait in the engine, in addition to the timeout
   */
  constructor(name: string, blockMs = 0, clock: Clock = systemClock) {
    this.#name = name;
    this.#timeoutMs = blockMs + timeoutMs;
    this.#clock = clock;
  }

  /**
   * Sends a command and returns its answer. The engine may still execute a command that has failed here.
   *
   * @throws {Error} the engine does not answer; or the error of the command
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
