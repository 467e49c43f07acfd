import { McpError } from "../../jsonrpc/errors.js";

/** Milliseconds that pass before a stream is asked for again at least, unless the application says less. */
const shortest = 100;

/** Milliseconds that pass at most; timers that are set for longer than 24 days fire at once. */
const longest = 300_000;

/** Milliseconds up to which the pauses between streams that end soon grow: no more than 60 of them a minute. */
const longestAfterBrief = 1000;

/**
 * When to connect to a lost stream again, and when to give it up. What the server asks for is obeyed where that is
 * not too soon: pauses double while attempts fail, and while streams end soon after they began.
 */
export class Pace {
  private readonly most: number;
  private readonly shortest: number;
  private ms: number;
  private failed = 0;
  private brief = 0;

  /**
   * @param most attempts in a row that may fail
   * @param ms milliseconds to wait first, until the server says otherwise
   */
  constructor(most = 5, ms = 1000) {
    this.most = most;
    this.ms = ms;
    this.shortest = Math.max(Math.min(ms, shortest), 1);
  }

  /** The server said how long to wait (2025-11-25, Streamable HTTP, sending messages). */
  told(ms: number | undefined): void {
    this.ms = ms ?? this.ms;
  }

  /** Whether too many attempts have failed. */
  get isWorn(): boolean {
    return this.failed >= this.most;
  }

  /** There was a stream. @param steady whether it lasted */
  connected(steady: boolean): void {
    this.failed = 0;
    this.brief = steady ? 0 : this.brief + 1;
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
    const failing = Math.max(this.ms, this.shortest) * 2 ** Math.min(this.failed, 5);
    const hasty = Math.min(this.shortest * 2 ** Math.min(Math.max(this.brief - 1, 0), 30), longestAfterBrief);
    await wait(Math.min(Math.max(failing, hasty), longest), signal);
  }
}

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
