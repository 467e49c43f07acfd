import type { EventStreams, Lost } from "./event-streams.js";

/** Milliseconds that requests wait, after a handshake, for a stream to listen on. */
const promptness = 500;

/** Listens to a server for what belongs to no request; requests go on, whatever becomes of that. */
export class Listening {
  private readonly streams: EventStreams;
  private readonly signal: AbortSignal;
  private readonly onWarning: (message: string) => void;
  private state: "idle" | "listening" | "over" = "idle";
  /** Why it was lost, where the server may have it again. */
  private lost: Lost | undefined;
  private warned = false;

  constructor(streams: EventStreams, signal: AbortSignal, onWarning: (message: string) => void) {
    this.streams = streams;
    this.signal = signal;
    this.onWarning = onWarning;
  }

  /** Resolves once it has begun: many servers ask by it what a call needs, and drop what nobody listens for. */
  begin(): Promise<void> {
    if (this.state !== "idle") return Promise.resolve();
    this.state = "listening";
    return new Promise<void>((resolve) => {
      // Some servers do not begin a stream before they have something to say.
      const timer = setTimeout(resolve, promptness);
      const decided = (): void => {
        clearTimeout(timer);
        resolve();
      };
      void this.streams.listen(this.lost?.lastId, this.signal, decided).then((lost) => this.ended(lost));
    });
  }

  /** The server has answered: what was lost is asked for again. */
  again(): void {
    if (this.lost && this.state === "idle") void this.begin();
  }

  private ended(lost: Lost | undefined): void {
    this.state = lost?.passing ? "idle" : "over";
    this.lost = lost;
    if (!lost || this.signal.aborted || this.warned) return;
    this.warned = true;
    const next = lost.passing
      ? "the stream is asked for again with the next request"
      : "lists that are cached may be out of date";
    try {
      this.onWarning(`the server is not listened to any more: ${lost.why.message}; ${next}`);
    } catch {
      // What the application's own function fails at ends nothing of ours.
    }
  }
}
