import { interrupted, McpError, type platform, type RequestId } from "@mcpgen/base";
import { type HttpResponse, defaultLimit, pump, strayAnswerIn, tooLong } from "./http-response.js";

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
  /** Made when a chunk may end inside a character: few do. */
  #decoder: typeof utf8 | undefined;
  #isFirst = true;
  /** The parts of a line whose end has not arrived, and their bytes. */
  #rest: string[] = [];
  #restBytes = 0;
  /** The data lines of the current event, and their bytes. */
  #data: string[] = [];
  #dataBytes = 0;
  #event = "";
  /** The id of the current event. It counts when the event is complete: an event that was cut off is sent again. */
  #id: string | undefined;
  #endedInReturn = false;
  readonly #limit: number;

  /** @param limit bytes of an event */
  constructor(onEvent: (event: ServerEvent) => void, limit = Infinity) {
    this.#onEvent = onEvent;
    this.#limit = limit;
  }

  /** @throws {McpError} `message-too-long`: nothing more can be read */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    let text = this.#decoded(chunk);
    if (text === "") return;
    // In most chunks, each byte is a character.
    const sizeOf = !this.#decoder && text.length === chunk.length ? lengthOf : bytesOf;
    // A byte order mark is no part of the stream.
    if (this.#isFirst && text.startsWith("\ufeff")) text = text.slice(1);
    this.#isFirst = false;
    // A return at the end of a chunk may be the first half of a line end.
    if (this.#endedInReturn && text.startsWith("\n")) text = text.slice(1);
    this.#endedInReturn = text.endsWith("\r");
    const lines = text.split(text.includes("\r") ? /\r\n|\r|\n/ : "\n");
    const last = lines.pop()!;
    for (const line of lines) this.#line(this.#completed(line), this.#restBytes + sizeOf(line));
    if (last === "") return;
    this.#rest.push(last);
    this.#restBytes += sizeOf(last);
    this.#weigh(this.#restBytes);
  }

  #decoded(chunk: Uint8Array): string {
    // No byte below 0x80 is a part of a longer character.
    if (!this.#decoder && chunk[chunk.length - 1]! < 0x80) return utf8.decode(chunk);
    this.#decoder ??= new TextDecoder("utf-8", wholeText);
    return this.#decoder.decode(chunk, { stream: true });
  }

  /** @param line bytes of a line whose end has not arrived */
  #weigh(line: number): void {
    if (this.#dataBytes > this.#limit || this.#dataBytes + line > this.#limit + fieldName)
      throw tooLong(this.#limit);
  }

  #completed(end: string): string {
    if (this.#rest.length === 0) return end;
    const line = this.#rest.join("") + end;
    this.#rest = [];
    return line;
  }

  /** @param bytes of the line */
  #line(line: string, bytes: number): void {
    this.#restBytes = 0;
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const raw = colon < 0 ? "" : line.slice(colon + 1);
    const value = raw.startsWith(" ") ? raw.slice(1) : raw;
    if (field === "data") {
      this.#data.push(value);
      // What stands before the value is ASCII.
      this.#dataBytes += bytes - (line.length - value.length) + (this.#data.length > 1 ? 1 : 0);
      this.#weigh(0);
    } else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  #dispatch(): void {
    this.lastId = this.#id ?? this.lastId;
    this.#dataBytes = 0;
    const event = this.#event || "message";
    this.#event = "";
    if (this.#data.length === 0) return;
    const data = this.#data.join("\n");
    this.#data = [];
    if (data !== "") this.#onEvent({ event, data, id: this.lastId });
  }
}

/** `ignoreBOM` keeps a byte order mark: a later chunk of a text may begin with that character. */
const wholeText = { ignoreBOM: true };

/** Reads whole chunks: what it reads in parts costs more. */
const utf8 = new TextDecoder("utf-8", wholeText);

const lengthOf = (text: string): number => text.length;

/** The bytes of a text in UTF-8. */
function bytesOf(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair stands for two bytes.
    if (unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff)) bytes += 2;
    else if (unit >= 0x80) bytes += 1;
  }
  return bytes;
}

/** What reads event streams. */
export interface StreamReader {
  /** @param origin the only request of the stream */
  message(text: string, origin?: RequestId): void;
  /** Takes a response that answers the request of the stream, though it names another request or none. */
  stray(answer: unknown, id: RequestId): void;
  /** All messages that arrived together were delivered. */
  turn(): void;
  /** Resolves when more may be read; `undefined` if it may be read now. */
  room(): Promise<void> | undefined;
}

/** A request whose answer is read from a stream. */
export interface StreamedRequest {
  readonly id: RequestId;
  /** The stream answers other requests, too. */
  readonly isBatch: boolean;
  readonly signal: platform.AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the stream can be resumed. */
  readonly resumable: boolean;
  /** The server has ended the stream before the answer, and the stream is resumed. */
  readonly disconnected: (retryMs: number | undefined) => void;
  /** Whether the request was answered or given up. */
  readonly isDone: () => boolean;
  /** Ends the exchange. */
  readonly end: () => void;
}

/** How a stream ended. */
export interface StreamEnd {
  /** Messages and other events that arrived. */
  readonly events: number;
  /** The last message. */
  readonly last: string | undefined;
  readonly lastId: string | undefined;
  /** The last `retry` of the stream, in milliseconds. */
  readonly retryMs: number | undefined;
  /** Milliseconds that it was open. */
  readonly lastedMs: number;
  /** The error of the connection, unless the server ended the stream. */
  readonly broken: { readonly cause: unknown } | undefined;
}

/** Milliseconds that a server has to end a stream after its answer. */
const endGrace = 250;

/**
 * Reads a stream to its end. The stream of one request also ends soon after the answer.
 *
 * @throws {McpError} `message-too-long`
 */
export async function readStream(
  response: HttpResponse,
  user: StreamReader,
  limit = defaultLimit,
  request?: StreamedRequest,
): Promise<StreamEnd> {
  const began = performance.now();
  let last: string | undefined;
  let events = 0;
  let broken: StreamEnd["broken"];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const origin = request?.isBatch ? undefined : request?.id;
  const reader = new SseReader(({ event, data }) => {
    events++;
    if (event === "message") user.message((last = data), origin);
  }, limit);
  await pump(response, (chunk) => {
    reader.push(chunk);
    // Some servers leave the stream and its socket open. Others end it now, and the connection is used again.
    if (timer === undefined && request?.isDone()) timer = setTimeout(request.end, endGrace);
    return user.room();
  }).catch((error: unknown) => {
    // A message that is too long would be too long again.
    if (error instanceof McpError && error.code === "message-too-long") throw error;
    broken = { cause: error };
  });
  clearTimeout(timer);
  user.turn();
  const { lastId, retryMs } = reader;
  return { events, last, lastId, retryMs, lastedMs: performance.now() - began, broken };
}

/** Reads the stream that answers a request. @returns how it ended, if that was without the answer */
export async function readAnswer(
  response: HttpResponse,
  user: StreamReader,
  limit: number | undefined,
  request: StreamedRequest,
): Promise<StreamEnd | undefined> {
  const end = await readStream(response, user, limit, request);
  if (request.signal.aborted || request.isDone()) return undefined;
  const stray = end.last !== undefined && !end.broken ? strayAnswerIn(end.last) : undefined;
  if (!stray) return end;
  user.stray(stray, request.id);
  return undefined;
}

/** The error of a request whose stream ended without the answer. */
export function unfinished({ status }: HttpResponse, { broken }: StreamEnd): McpError {
  return interrupted("the stream ended without the answer", broken?.cause, broken ? undefined : status);
}
