import { Aborts } from "../time/aborts.js";
import { type ClientLimits, limitExceeded } from "./limits.js";
import type * as platform from "../platform/platform.js";

/** Characters of all questions that wait. */
const mostCharacters = 16 * 1_048_576;

interface Waiting {
  readonly begin: () => void;
  readonly characters: number;
}

/** The questions of a server that the application is asked: few at a time, in their order. */
export class Questions {
  private readonly limits: ClientLimits;
  private readonly aborts = new Aborts();
  private readonly waiting = new Set<Waiting>();
  private characters = 0;
  private running = 0;

  constructor(limits: ClientLimits) {
    this.limits = limits;
  }

  /**
   * Asks the application, once it is the question's turn. The turn lasts until the application has answered, even if
   * the question was cancelled meanwhile.
   *
   * @param question what waits, for its size
   * @throws {McpError} `limit-exceeded`: too many wait already. The signal's reason: it aborted before the turn came
   */
  async ask<Result>(
    question: object,
    signal: platform.AbortSignal,
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    if (this.running < this.limits.maxQuestions) this.running++;
    else await this.turn(question, signal);
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  private turn(question: object, signal: platform.AbortSignal): Promise<void> {
    if (signal.aborted) throw signal.reason;
    const { maxWaitingQuestions } = this.limits;
    const characters = JSON.stringify(question).length;
    if (this.waiting.size >= maxWaitingQuestions || this.characters + characters > mostCharacters)
      throw limitExceeded(
        `the client has ${this.waiting.size} questions waiting and takes no more`,
        "maxWaitingQuestions",
        maxWaitingQuestions,
      );
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        ignore();
        this.waiting.delete(entry);
        this.characters -= characters;
      };
      const entry = {
        characters,
        begin: () => {
          leave();
          resolve();
        },
      };
      const ignore = this.aborts.on(signal, () => {
        leave();
        reject(signal.reason as Error);
      });
      this.waiting.add(entry);
      this.characters += characters;
    });
  }

  /** Hands the turn of a question that is answered to the one that waits longest. */
  private next(): void {
    const [first] = this.waiting;
    if (first) first.begin();
    else this.running--;
  }
}
