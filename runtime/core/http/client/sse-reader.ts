import { tooLong } from "./answer-body.js";

/** The prefix of a data line. */
const fieldName = "data: ".length;

/** One server-sent event. */
export interface ServerEvent {
  /** `message` if the stream does not name it. */
  readonly event: string;
  readonly data: string;
  /** The last id seen on the stream, this event's or an earlier one's. */
  readonly id: string | undefined;
}

/**
 * Parses text/event-stream (WHATWG HTML, server-sent events): all line ends, chunks that end anywhere, data in several
 * lines, comments and unknown fields.
 */
export class SseReader {
  /** The last `retry` of the stream, in milliseconds. */
  retryMs: number | undefined;
  lastId: string | undefined;
  readonly #onEvent: (event: ServerEvent) => void;
  readonly #decoder = new TextDecoder();
  /** The parts of a line whose end has not arrived. */
  #rest: string[] = [];
  #data: string[] = [];
  #event = "";
  /** The id of the current event. It counts when the event is complete: an event that was cut off is sent again. */
  #id: string | undefined;
  #endedInReturn = false;

  /** UTF-16 units that are buffered for the current line, and for the current event. */
  #waiting = { line: 0, event: 0 };
  readonly #limit: number;

  /** @param limit UTF-16 units of an event */
  constructor(onEvent: (event: ServerEvent) => void, limit = Infinity) {
    this.#onEvent = onEvent;
    this.#limit = limit;
  }

  /** @throws {McpError} `message-too-long`: nothing more can be read */
  push(chunk: Uint8Array): void {
    let text = this.#decoder.decode(chunk, { stream: true });
    if (text === "") return;
    // A return at the end of a chunk may be the first half of a line end.
    if (this.#endedInReturn && text.startsWith("\n")) text = text.slice(1);
    this.#endedInReturn = text.endsWith("\r");
    const lines = text.split(/\r\n|\r|\n/);
    const last = lines.pop()!;
    for (const line of lines) this.#line(this.#completed(line));
    if (last === "") return;
    this.#rest.push(last);
    this.#waiting.line += last.length;
    this.#weigh();
  }

  #weigh(): void {
    const { line, event } = this.#waiting;
    if (event > this.#limit || line + event > this.#limit + fieldName) throw tooLong(this.#limit);
  }

  #completed(end: string): string {
    if (this.#rest.length === 0) return end;
    const line = this.#rest.join("") + end;
    this.#rest = [];
    this.#waiting.line = 0;
    return line;
  }

  #line(line: string): void {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const raw = colon < 0 ? "" : line.slice(colon + 1);
    const value = raw.startsWith(" ") ? raw.slice(1) : raw;
    if (field === "data") {
      this.#data.push(value);
      this.#waiting.event += value.length + (this.#data.length > 1 ? 1 : 0);
      this.#weigh();
    } else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  #dispatch(): void {
    this.lastId = this.#id ?? this.lastId;
    this.#waiting.event = 0;
    const event = this.#event || "message";
    this.#event = "";
    if (this.#data.length === 0) return;
    const data = this.#data.join("\n");
    this.#data = [];
    if (data !== "") this.#onEvent({ event, data, id: this.lastId });
  }
}
