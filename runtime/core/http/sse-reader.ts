/** One server-sent event. */
export interface ServerEvent {
  readonly data: string;
  /** The last id seen on the stream, this event's or an earlier one's. */
  readonly id: string | undefined;
}

/**
 * Takes a text/event-stream apart (WHATWG HTML, server-sent events): any line end, chunks cut anywhere, data in
 * several lines, comments and unknown fields.
 */
export class SseReader {
  /** Milliseconds the server asked to wait before connecting again. */
  retryMs: number | undefined;
  lastId: string | undefined;
  private readonly onEvent: (event: ServerEvent) => void;
  private readonly decoder = new TextDecoder();
  private rest = "";
  private data: string[] = [];
  private endedInReturn = false;

  constructor(onEvent: (event: ServerEvent) => void) {
    this.onEvent = onEvent;
  }

  push(chunk: Uint8Array): void {
    let text = this.decoder.decode(chunk, { stream: true });
    if (this.endedInReturn && text.startsWith("\n")) text = text.slice(1);
    if (text === "") return;
    // A return at the end of a chunk may be the first half of a line end.
    this.endedInReturn = text.endsWith("\r");
    const lines = (this.rest + text).split(/\r\n|\r|\n/);
    this.rest = lines.pop()!;
    for (const line of lines) this.line(line);
  }

  private line(line: string): void {
    if (line === "") return this.dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const raw = colon < 0 ? "" : line.slice(colon + 1);
    const value = raw.startsWith(" ") ? raw.slice(1) : raw;
    if (field === "data") this.data.push(value);
    else if (field === "id" && !value.includes("\0")) this.lastId = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  private dispatch(): void {
    if (this.data.length === 0) return;
    const data = this.data.join("\n");
    this.data = [];
    if (data !== "") this.onEvent({ data, id: this.lastId });
  }
}
