import { McpError } from "../peer/errors.js";

/** When to connect to a lost stream again, and when to give it up. */
export class Pace {
  private readonly most: number;
  private ms: number;
  private failed = 0;

  /**
   * @param most attempts in a row that may fail
   * @param ms milliseconds to wait first, until the server says otherwise; doubled with each failure
   */
  constructor(most = 5, ms = 1000) {
    this.most = most;
    this.ms = ms;
  }

  /** The server said how long to wait (2025-11-25, Streamable HTTP, sending messages). */
  told(ms: number | undefined): void {
    this.ms = ms ?? this.ms;
  }

  /** Whether too many attempts have failed. */
  get isWorn(): boolean {
    return this.failed >= this.most;
  }

  connected(): void {
    this.failed = 0;
  }

  missed(): void {
    this.failed++;
  }

  /**
   * Resolves when it is time, after five minutes at most.
   *
   * @throws {McpError} `connection-closed`: too many attempts have failed, or the signal was aborted
   */
  async next(signal: AbortSignal): Promise<void> {
    if (this.isWorn)
      throw lost(`the stream was lost, and ${this.failed} attempts to connect to it again failed`);
    const ms = Math.max(this.ms, shortest) * 2 ** Math.min(this.failed, 5);
    await wait(Math.min(ms, longest), signal);
  }
}

/** Nobody is asked more often than this, whatever a server says. */
const shortest = 10;

/** Nor more rarely; and timers that are set for longer than 24 days fire at once. */
const longest = 300_000;

/** Waits, unless the signal is aborted: then it rejects. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(lost("the connection is closed"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

export function lost(message: string): McpError {
  return new McpError("connection-closed", message);
}
