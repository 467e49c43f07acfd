import type * as platform from "../platform/platform.js";
import { Admission } from "../admission/admission.js";
import { Aborts } from "../time/clock.js";
import { type ClientLimits, limitExceeded } from "./client-profile.js";

/** Characters of all waiting questions. */
const maxWaitingCharacters = 16 * 1_048_576;

/** Limits how many questions of the server the application gets at a time; the others wait in order. */
export class Questions {
  readonly #limits: ClientLimits;
  readonly #aborts = new Aborts();
  /** Begin what waits; the first one has waited longest. */
  readonly #waiting = new Set<() => void>();
  /** Of what waits. */
  readonly #room: Admission;
  #running = 0;

  constructor(limits: ClientLimits) {
    this.#limits = limits;
    this.#room = new Admission({ count: limits.maxWaitingQuestions, bytes: maxWaitingCharacters });
  }

  /**
   * Calls the application when the turn of the question comes. The turn lasts until the application has answered, even if
   * the question is cancelled first.
   *
   * @param question the parameters, for their size
   * @param context its signal is read only if the question waits
   * @throws {McpError} `limit-exceeded`: too many questions wait. The reason of the signal, if it aborts before the turn
   */
  async ask<Result>(
    question: object,
    context: { readonly signal: platform.AbortSignal },
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    if (this.#running < this.#limits.maxQuestions) this.#running++;
    else await this.#turn(question, context.signal);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(question: object, signal: platform.AbortSignal): Promise<void> {
    if (signal.aborted) throw signal.reason;
    const { maxWaitingQuestions } = this.#limits;
    const characters = JSON.stringify(question).length;
    if (this.#room.admit(undefined, characters))
      throw limitExceeded(
        `the client has ${this.#waiting.size} questions waiting and takes no more`,
        "maxWaitingQuestions",
        maxWaitingQuestions,
      );
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        ignore();
        this.#waiting.delete(begin);
        this.#room.release(undefined, characters);
      };
      const begin = (): void => {
        leave();
        resolve();
      };
      const ignore = this.#aborts.on(signal, () => {
        leave();
        reject(signal.reason as Error);
      });
      this.#waiting.add(begin);
    });
  }

  /** Passes the turn to the question that has waited longest. */
  #next(): void {
    const [first] = this.#waiting;
    if (first) first();
    else this.#running--;
  }
}
