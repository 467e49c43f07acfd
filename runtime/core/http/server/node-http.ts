import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Server } from "../../server/server.js";
import { Endpoint } from "./endpoint.js";
import { BodyBytes, type EventSink, type Exchange, alreadyRead, mostWaiting } from "./exchange.js";
import { type HttpOptions, checkHttpOptions } from "./http-options.js";
import type { Backlog, Reader, Reading } from "./limits.js";

/** Bytes that are read of a body that was refused. */
const mostDropped = 16 * 1_048_576;

/** What tells a client that waits for it to send its body (RFC 9110, 10.1.1). */
const awaited = new WeakMap<IncomingMessage, () => void>();

/** Lets a client wait with its body till the handler has a use for it. */
export function holdBody(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  // Whether a body that was not asked for still comes, nobody knows, nor where the next request begins.
  response.shouldKeepAlive = false;
  awaited.set(request, () => {
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  });
}

/** An exchange of node:http, without web objects. */
class NodeExchange implements Exchange {
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly parsed: unknown;
  size = 0;
  principal = "";

  private readonly backlog: Backlog;

  constructor(request: IncomingMessage, response: ServerResponse, parsed: unknown, backlog: Backlog) {
    this.backlog = backlog;
    this.request = request;
    this.response = response;
    this.parsed = parsed;
  }

  get method(): string {
    return this.request.method ?? "";
  }

  get url(): string {
    // Frameworks take off the path they mounted us at.
    return (this.request as { readonly originalUrl?: string }).originalUrl ?? this.request.url ?? "";
  }

  header(name: string): string | undefined {
    if (name === "host") return this.host();
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /** Whom the target names, if it is a whole URL, and no `Host` then; else every `Host` (RFC 9112, 3.2). */
  private host(): string | undefined {
    const { request, url } = this;
    const { headers, rawHeaders } = request;
    let hosts = 0;
    for (let at = 0; at < rawHeaders.length; at += 2)
      if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === "host") hosts++;
    // Node takes the first alone.
    if (hosts > 1) return request.headersDistinct["host"]?.join(", ");
    return (url.startsWith("/") ? undefined : /^\w+:\/\/([^/?#]*)/.exec(url)?.[1]) ?? headers.host;
  }

  readBody(
    limit: number,
    reading: Reading,
    done: (text: string | undefined | null) => void,
    gone: () => void,
  ): void {
    // A framework in front may have read it. Parsers that pass a body by set one, too: an empty object.
    const { request } = this;
    // Of what is destroyed already nothing ever comes, not even an end.
    if (request.destroyed && !request.readableEnded) return gone();
    const read = request.readableDidRead || request.readableEnded;
    const { parsed = read ? (request as { readonly body?: unknown }).body : undefined } = this;
    if (parsed !== undefined) return done(textOf(parsed, limit));
    if (read) throw alreadyRead(howToMount);
    if (Number(request.headers["content-length"]) > limit) return this.tooLong(done);
    if (request.headers.expect !== undefined) awaited.get(request)?.();
    let only: Buffer | undefined;
    let pieces: BodyBytes | undefined;
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= limit && reading.take(chunk.length)) {
        // Most bodies come in one piece.
        if (length === chunk.length) only = chunk;
        else pieces = added(chunk, pieces ?? added(only!));
        return;
      }
      request.off("data", onData);
      request.off("end", onEnd);
      only = pieces = undefined;
      this.tooLong(done);
    };
    const onEnd = (): void => done(decoded(pieces ? bufferOf(pieces.whole) : (only ?? Buffer.alloc(0))));
    request.on("data", onData);
    request.on("end", onEnd);
    request.on("error", gone);
    request.on("close", gone);
  }

  /**
   * Answers while the body is still coming. A connection that is cut with bytes on their way takes the answer
   * with it, so what comes is dropped for a while, and only who goes on sending is cut off.
   */
  private tooLong(done: (text: undefined) => void): void {
    const { request } = this;
    let dropped = 0;
    request.on("data", (chunk: Buffer) => {
      dropped += chunk.length;
      if (dropped > mostDropped) request.destroy();
    });
    request.resume();
    done(undefined);
  }

  reply(status: number, headers: Readonly<Record<string, string>>, text?: string): void {
    if (this.response.headersSent || this.response.destroyed) return;
    if (text === undefined) return void this.response.writeHead(status, headers).end();
    const length = Buffer.byteLength(text);
    // As many bytes as characters: all of them ASCII, and written as latin1 they are not counted and encoded again.
    const encoding = length === text.length ? "latin1" : "utf8";
    this.response.writeHead(status, { ...headers, "content-length": length });
    if (length < longBody) this.response.end(text, encoding);
    else this.writer().writeAll(Buffer.from(text, encoding));
  }

  openStream(status: number, headers: Readonly<Record<string, string>>): EventSink {
    const { response } = this;
    if (!response.headersSent && !response.destroyed) {
      response.writeHead(status, headers);
      response.flushHeaders();
    }
    return this.writer();
  }

  private writer(): NodeWriter {
    return new NodeWriter(this.request, this.response, this.backlog, this.principal);
  }

  onGone(listener: () => void): void {
    const { request, response } = this;
    if (response.destroyed || (request.socket.destroyed && !response.writableFinished))
      return queueMicrotask(listener);
    const forget = response.socket === null ? whenCut(request.socket, listener) : undefined;
    response.once("close", () => {
      if (forget?.() !== false && !response.writableFinished) listener();
    });
  }
}

/** Of each connection, whom to tell when it closes. */
const cut = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `listener` when the connection closes: a response that waits for another there (pipelining) hears nothing.
 * Returns what calls it off, and says whether there was anything to call off.
 */
function whenCut(socket: Socket, listener: () => void): () => boolean {
  const listeners = cut.get(socket) ?? new Set();
  if (!cut.has(socket)) {
    cut.set(socket, listeners);
    socket.once("close", () => {
      for (const each of listeners) {
        listeners.delete(each);
        each();
      }
    });
  }
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The text of a body that was read in front of us; nothing if it is longer than `limit` bytes. */
function textOf(parsed: unknown, limit: number): string | undefined | null {
  if (parsed instanceof Uint8Array) return parsed.byteLength > limit ? undefined : decoded(bufferOf(parsed));
  const text = typeof parsed === "string" ? parsed : JSON.stringify(parsed);
  return Buffer.byteLength(text) <= limit ? text : undefined;
}

/** Bytes as text; `null` if they are not UTF-8. */
function decoded(bytes: Buffer): string | null {
  const text = bytes.toString();
  // What is not UTF-8 becomes this character, which few texts have: the others cost no second look.
  return text.includes("\ufffd") && !Buffer.from(text).equals(bytes) ? null : text;
}

const howToMount =
  "mount the handler in front of what reads bodies, or hand the body over: handler(request, response, body)";

function added(chunk: Buffer, pieces = new BodyBytes()): BodyBytes {
  pieces.push(chunk);
  return pieces;
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** What answers requests of node:http, and of frameworks on top of it. */
export interface NodeHandler {
  /**
   * @param body what a parser in front made of the body: its value, text or bytes; `request.body` without it. A
   *   function is the `next` of Express and Connect, and no body.
   */
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** Ends all sessions and streams. */
  close(): Promise<void>;
}

/**
 * A handler to mount into a server of node:http, Express, Fastify and the like.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function createNodeHandler(server: Server, options: HttpOptions = {}): NodeHandler {
  checkHttpOptions(options);
  return nodeHandler(server, options);
}

/** The same with options that were looked at. */
export function nodeHandler(server: Server, options: HttpOptions): NodeHandler {
  const endpoint = new Endpoint(server, options);
  const handle = (request: IncomingMessage, response: ServerResponse, body?: unknown): void =>
    endpoint.handle(
      new NodeExchange(request, response, typeof body === "function" ? undefined : body, endpoint.backlog),
    );
  return Object.assign(handle, { close: () => endpoint.close() });
}

/** Bytes of a long body that are written at a time: how far its reader is, shows between them. */
const piece = 262_144;

/** A body from which on it is written in pieces. */
export const longBody = piece;

/**
 * Writes the body of a response as fast as its reader takes it: what it leaves waiting is counted, and stays here,
 * rather than in the platform.
 */
export class NodeWriter implements EventSink, Reader {
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly backlog: Backlog;
  readonly principal: string;
  private queue: (string | Uint8Array)[] = [];
  /** Bytes in it. */
  private queued = 0;
  private ending = false;
  private watching = false;

  constructor(request: IncomingMessage, response: ServerResponse, backlog: Backlog, principal: string) {
    this.request = request;
    this.response = response;
    this.backlog = backlog;
    this.principal = principal;
  }

  write(text: string): boolean {
    const { response } = this;
    if (response.destroyed || response.writableEnded || this.ending) return false;
    if (this.queue.length === 0 && !response.writableNeedDrain) {
      if (!response.write(text)) this.wait(false);
      return true;
    }
    if (this.waiting > mostWaiting) {
      this.cut();
      return false;
    }
    this.enqueue(text, Buffer.byteLength(text));
    this.wait(false);
    return true;
  }

  /** Writes a whole body, and ends it. */
  writeAll(body: Buffer): void {
    for (let at = 0; at < body.length; at += piece) {
      const part = body.subarray(at, at + piece);
      this.enqueue(part, part.length);
    }
    this.flush();
    this.end();
  }

  end(): void {
    if (this.response.destroyed || this.ending) return;
    this.ending = true;
    if (this.queue.length === 0) this.response.end();
  }

  cut(): void {
    this.drop();
    this.response.destroy();
    // A response that waits for others on its connection has no hold on it yet.
    if (!this.response.socket) this.request.socket.destroy();
  }

  private drop(): void {
    this.queue = [];
    this.queued = 0;
    this.backlog.wait(this, 0);
  }

  private get waiting(): number {
    return this.queued + this.response.writableLength;
  }

  private enqueue(part: string | Uint8Array, bytes: number): void {
    this.queue.push(part);
    this.queued += bytes;
  }

  /** @param took whether the reader took something */
  private wait(took: boolean): void {
    this.backlog.wait(this, this.waiting, took);
    if (this.watching) return;
    this.watching = true;
    const { response } = this;
    response.on("drain", () => this.flush());
    const done = (): void => this.drop();
    response.once("finish", done);
    response.once("close", done);
  }

  /** The reader took what was written: more of what waits is. */
  private flush(): void {
    const { response, queue } = this;
    if (response.destroyed) return;
    let written = 0;
    while (written < queue.length && !response.writableNeedDrain) {
      const part = queue[written++]!;
      this.queued -= typeof part === "string" ? Buffer.byteLength(part) : part.length;
      response.write(part);
    }
    queue.splice(0, written);
    if (queue.length === 0 && this.ending && !response.writableEnded) response.end();
    this.wait(true);
  }
}
