import type { Outgoing } from "../transport/channel.js";
import { atMost } from "./patience.js";

/** Milliseconds that one message may keep those after it waiting. */
const patience = 2000;

/** Milliseconds after which an exchange that nobody waits for is ended. */
const longest = 30_000;

/** Messages of a client that nobody answers: each arrives before the next is sent, unless that takes too long. */
export class Notices {
  private readonly send: (message: Outgoing, signal: AbortSignal) => Promise<void>;
  private readonly underWay = new Set<AbortController>();
  private last: Promise<void> = Promise.resolve();

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

  /** Sends what answers a request of the server's: nothing waits for it, for some servers hold its exchange. */
  answer(message: Outgoing): void {
    void this.after(message);
  }

  /** Ends all that is under way. */
  stop(): void {
    for (const controller of this.underWay) controller.abort();
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
