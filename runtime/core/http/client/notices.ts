import type { Outgoing } from "../../jsonrpc/channel.js";
import { atMost } from "./patience.js";

/** Milliseconds that one message may keep those after it waiting. */
const patience = 2000;

/** Milliseconds after which an exchange that nobody waits for is ended. */
const longest = 30_000;

/** Exchanges that may carry answers at a time. */
const mostAnswering = 64;

/** Answers that may wait for one of them while the server is read. */
const mostWaiting = 256;

/** Messages of a client that nobody answers: each arrives before the next is sent, unless that takes too long. */
export class Notices {
  private readonly send: (message: Outgoing, signal: AbortSignal) => Promise<void>;
  private readonly underWay = new Set<AbortController>();
  private last: Promise<void> = Promise.resolve();
  private readonly answers: Outgoing[] = [];
  private answering = 0;
  /** Who waits for room. */
  private waiting: (() => void)[] = [];

  /** @param send sends one, and resolves when the server has taken it */
  constructor(send: (message: Outgoing, signal: AbortSignal) => Promise<void>) {
    this.send = send;
  }

  /** Resolves when all that were told so far have arrived, or had the time for it. */
  get told(): Promise<void> {
    return this.last;
  }

  /** Sends a notification after those before it. Resolves when it has arrived, or had the time for it. */
  tell(message: Outgoing): Promise<void> {
    return (this.last = atMost(patience, this.after(message)));
  }

  /**
   * Sends what answers a request of the server's: nothing waits for it, for some servers hold its exchange. Many that
   * are held keep the next ones from being sent.
   */
  answer(message: Outgoing): void {
    this.answers.push(message);
    this.next();
  }

  /** Resolves when few answers wait to be sent; nothing if they do. A server that asks more is not read till then. */
  get room(): Promise<void> | undefined {
    if (this.answers.length <= mostWaiting) return undefined;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Ends all that is under way. */
  stop(): void {
    this.answers.length = 0;
    this.roomMade();
    for (const controller of this.underWay) controller.abort();
  }

  private next(): void {
    while (this.answering < mostAnswering && this.answers.length > 0) {
      this.answering++;
      void this.after(this.answers.shift()!).then(() => {
        this.answering--;
        this.next();
      });
    }
    if (this.answers.length <= mostWaiting) this.roomMade();
  }

  private roomMade(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private async after(message: Outgoing): Promise<void> {
    const controller = new AbortController();
    this.underWay.add(controller);
    await this.last;
    const timer = setTimeout(() => controller.abort(), longest);
    try {
      if (!controller.signal.aborted) await this.send(message, controller.signal);
    } catch {
      // The next request will tell.
    } finally {
      clearTimeout(timer);
      this.underWay.delete(controller);
    }
  }
}
