import type { EventStreams, Lost } from "./event-streams.js";

/** Milliseconds that requests wait, after a handshake, for the GET stream to open. */
const longestOpening = 500;

/** Keeps the GET stream open (2025-11-25, listening for messages from the server). Its failure never fails a request. */
export class GetStream {
  private readonly streams: EventStreams;
  private readonly signal: AbortSignal;
  private readonly onWarning: (message: string) => void;
  private state: "idle" | "listening" | "over" = "idle";
  /** Why the stream was lost, if the server may offer it again. */
  private lost: Lost | undefined;
  private warned = false;

  constructor(streams: EventStreams, signal: AbortSignal, onWarning: (message: string) => void) {
    this.streams = streams;
    this.signal = signal;
    this.onWarning = onWarning;
  }

  /**
   * Opens the stream. Resolves when the server has answered: many servers send the requests that belong to a call on
   * this stream, and drop them if it is not open.
   */
  begin(): Promise<void> {
    if (this.state !== "idle") return Promise.resolve();
    this.state = "listening";
    return new Promise<void>((resolve) => {
      // Some servers send no headers before the first event.
      const timer = setTimeout(resolve, longestOpening);
      const decided = (): void => {
        clearTimeout(timer);
        resolve();
      };
      void this.streams.listen(this.lost?.lastId, this.signal, decided).then((lost) => this.ended(lost));
    });
  }

  /** Requests a lost stream again: the server has answered a request. */
  again(): void {
    if (this.lost && this.state === "idle") void this.begin();
  }

  private ended(lost: Lost | undefined): void {
    this.state = lost?.isTransient ? "idle" : "over";
    this.lost = lost;
    if (!lost || this.signal.aborted || this.warned) return;
    this.warned = true;
    const next = lost.isTransient
      ? "the stream is asked for again with the next request"
      : "lists that are cached may be out of date";
    try {
      this.onWarning(`the server is not listened to any more: ${lost.why.message}; ${next}`);
    } catch {
      // An error of the application's callback must not end the connection.
    }
  }
}
