import { type IncomingHttpHeaders, type IncomingMessage, request as open } from "node:http";
import { Arrivals } from "./arrivals.js";

/** A server-sent event, as received. */
export interface WireEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data?: string;
}

/** An HTTP response that may still be arriving. */
export class WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The part of the body that has arrived. */
  text = "";
  /** Whether the body is complete; it is not if the connection was cut. */
  complete = false;
  private readonly message: IncomingMessage;
  private over = false;
  private readonly arrivals = new Arrivals();

  constructor(message: IncomingMessage) {
    this.message = message;
    this.status = message.statusCode!;
    this.headers = message.headers;
    message.setEncoding("utf8").on("data", (chunk: string) => {
      this.text += chunk;
      this.arrivals.announce();
    });
    message.on("error", () => undefined);
    message.on("close", () => {
      this.over = true;
      this.complete = message.complete;
      this.arrivals.announce();
    });
  }

  get isStream(): boolean {
    return this.type === "text/event-stream";
  }

  get type(): string {
    return (this.headers["content-type"] ?? "").split(";")[0]!;
  }

  /** The complete events that have arrived, without comments. */
  get events(): WireEvent[] {
    return this.text
      .split("\n\n")
      .slice(0, -1)
      .map((block) =>
        Object.fromEntries(
          block
            .split("\n")
            .filter((line) => !line.startsWith(":"))
            .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
        ),
      )
      .filter((event) => Object.keys(event).length > 0);
  }

  /** The number of comments that have arrived. */
  get comments(): number {
    return this.text.split("\n").filter((line) => line.startsWith(":")).length;
  }

  /** Resolves when `found` returns a value. Rejects if the body ends earlier. */
  async until<T>(found: (answer: this) => T | undefined | false): Promise<T> {
    for (;;) {
      const value = found(this);
      if (value !== undefined && value !== false) return value as T;
      if (this.over) throw new Error(`ended without it: ${this.status} ${this.text}`);
      await this.arrivals.next();
    }
  }

  /** Resolves with the whole body. */
  async whole(): Promise<string> {
    while (!this.over) await this.arrivals.next();
    return this.text;
  }

  /** Cuts the connection. */
  cut(): void {
    this.message.destroy();
  }
}

/** Sends a request and ignores the response. The returned function cuts the connection. */
export function sendOff(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): () => void {
  const request = open(url, { method, headers, agent: false });
  request.on("error", () => undefined);
  request.end(body);
  return () => void request.destroy();
}

/** Sends a request on a separate connection. Resolves when the head of the response has arrived. */
export function send(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string | Buffer,
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const request = open(url, { method, headers, agent: false }, (message) => {
      resolve(new WireAnswer(message));
    });
    request.on("error", reject);
    request.end(body);
  });
}
