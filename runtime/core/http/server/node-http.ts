import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { BodyReading, Endpoint } from "./endpoint.js";
import {
  type EventSink,
  type Exchange,
  alreadyRead,
  maxWaitingBytes,
  parseTarget,
  unslashed,
} from "./exchange.js";
import type { HttpCounts, HttpSessions, HttpStats } from "./http-stats.js";
import type { Backlog, Reader } from "./limits.js";

/** Bytes of a rejected body that are read and dropped. */
const mostDropped = 16 * 1_048_576;

/** Sends the deferred `100 Continue` of a request (RFC 9110, 10.1.1). */
const deferredContinue = new WeakMap<IncomingMessage, () => void>();

/** Defers `100 Continue` until the body is read. */
export function deferContinue(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  // Without 100 Continue, the client may or may not send the body, so the connection cannot be reused.
  response.shouldKeepAlive = false;
  deferredContinue.set(request, () => {
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  });
}

/**
 * Headers of which node:http uses the first value, while a proxy in front may use the last. They decide the principal
 * and the reading of the body, so several values are joined, and then are neither a credential nor a type.
 */
const firstAlone: ReadonlySet<string> = new Set(["authorization", "content-type"]);

/** An exchange over node:http, without web objects. */
class NodeExchange implements Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #parsed: unknown;
  size = 0;
  principal = "";
  origin: string | undefined;

  readonly #backlog: Backlog;

  constructor(request: IncomingMessage, response: ServerResponse, parsed: unknown, backlog: Backlog) {
    this.#backlog = backlog;
    this.#request = request;
    this.#response = response;
    this.#parsed = parsed;
  }

  get method(): string {
    return this.#request.method ?? "";
  }

  get url(): string {
    // Frameworks remove the mount path from `url`.
    return (this.#request as { readonly originalUrl?: string }).originalUrl ?? this.#request.url ?? "";
  }

  get path(): string {
    return pathOf(this.url);
  }

  get href(): string {
    const { url } = this;
    const isSecure = (this.#request.socket as { readonly encrypted?: boolean }).encrypted === true;
    const base = `${isSecure ? "https" : "http"}://${this.#host() ?? "localhost"}`;
    const whole = url.startsWith("/") ? base + url : url;
    return URL.canParse(whole) ? new URL(whole).href : "http://localhost/";
  }

  get counts(): HttpCounts {
    return this.#backlog.counts;
  }

  get address(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  header(name: string): string | undefined {
    if (name === "host") return this.#host();
    const value = firstAlone.has(name) ? this.#all(name) : this.#request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /** The host of the target if it is a whole URL, otherwise all `Host` headers (RFC 9112, 3.2). */
  #host(): string | undefined {
    const { url } = this;
    const all = this.#all("host");
    if (Array.isArray(all)) return all.join(", ");
    return (url.startsWith("/") ? undefined : /^\w+:\/\/([^/?#]*)/.exec(url)?.[1]) ?? all;
  }

  /** All values of a header of which `headers` contains only the first; a single value is a string. */
  #all(name: string): string | string[] | undefined {
    const { headers, rawHeaders } = this.#request;
    let count = 0;
    for (let at = 0; at < rawHeaders.length; at += 2)
      if (rawHeaders[at]!.length === name.length && rawHeaders[at]!.toLowerCase() === name) count++;
    return count > 1 ? this.#request.headersDistinct[name] : headers[name];
  }

  readBody(reading: BodyReading, done: (text: string | undefined | null) => void, gone: () => void): void {
    // A framework may have read the body. Parsers that skip a body also set `request.body`, to an empty object.
    const request = this.#request;
    // A destroyed request emits no events, not even an end.
    if (request.destroyed && !request.readableEnded) return gone();
    const read = request.readableDidRead || request.readableEnded;
    let parsed = this.#parsed;
    if (parsed === undefined && read) parsed = (request as { readonly body?: unknown }).body;
    if (parsed !== undefined) return done(textOf(parsed, reading.limit, isForm(request)));
    if (read) throw alreadyRead(mountAdvice);
    if (Number(request.headers["content-length"]) > reading.limit) return this.#tooLong(done);
    if (request.headers.expect !== undefined) deferredContinue.get(request)?.();
    const onData = (chunk: Buffer): void => {
      if (reading.take(chunk)) return;
      request.off("data", onData);
      request.off("end", onEnd);
      this.#tooLong(done);
    };
    const onEnd = (): void => done(decoded(bufferOf(reading.whole)));
    request.on("data", onData);
    request.on("end", onEnd);
    request.on("error", gone);
    request.on("close", gone);
  }

  /**
   * Answers while the body is still arriving. Closing the connection now would lose the answer, so the rest of the
   * body is dropped; the connection is closed only if the client sends too much.
   */
  #tooLong(done: (text: undefined) => void): void {
    const request = this.#request;
    let dropped = 0;
    request.on("data", (chunk: Buffer) => {
      dropped += chunk.length;
      if (dropped > mostDropped) request.destroy();
    });
    request.resume();
    done(undefined);
  }

  reply(status: number, headers: Readonly<Record<string, string>>, text?: string): void {
    if (this.#response.headersSent || this.#response.destroyed) return;
    if (status >= 400) this.counts.refused(status);
    if (text === undefined) return void this.#response.writeHead(status, headers).end();
    const length = Buffer.byteLength(text);
    // Equal lengths mean pure ASCII; latin1 then avoids counting and encoding the text again.
    const encoding = length === text.length ? "latin1" : "utf8";
    // Without a spread: in Node 20, each spread object that then gets a member needs a new hidden class.
    this.#response.writeHead(status, Object.assign({ "content-length": length }, headers));
    if (length < longBody) this.#response.end(text, encoding);
    else this.#writer().writeAll(Buffer.from(text, encoding));
  }

  webRequest(url: string, body: string | undefined): Request {
    const gone = new AbortController();
    this.onGone(() => gone.abort());
    const headers = new Headers();
    const { rawHeaders, method } = this.#request;
    for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
    return new Request(url, { method: method!, headers, body: body ?? null, signal: gone.signal });
  }

  async respond(response: Response): Promise<void> {
    const body = Buffer.from(await response.arrayBuffer());
    const { status } = response;
    if (this.#response.headersSent || this.#response.destroyed) return;
    if (status >= 400) this.counts.refused(status);
    // One header for each cookie.
    this.#response
      .writeHead(status, [...(response.headers as unknown as Iterable<[string, string]>)].flat())
      .end(body);
  }

  openStream(status: number, headers: Readonly<Record<string, string>>): EventSink {
    const response = this.#response;
    if (!response.headersSent && !response.destroyed) {
      response.writeHead(status, headers);
      response.flushHeaders();
    }
    return this.#writer();
  }

  #writer(): NodeWriter {
    return new NodeWriter(this.#request, this.#response, this.#backlog, this.principal);
  }

  onGone(listener: () => void): void {
    const request = this.#request;
    const response = this.#response;
    if (response.destroyed || (request.socket.destroyed && !response.writableFinished))
      return queueMicrotask(listener);
    if (response.socket !== null) return watchForGone(response, listener);
    const forget = whenCut(request.socket, listener);
    response.once("close", () => {
      if (forget() && !response.writableFinished) listener();
    });
  }
}

/** The member of a response that holds the callback for a disconnect of its client. */
const whenGone = Symbol("whenGone");

interface WatchedResponse extends ServerResponse {
  [whenGone]?: () => void;
}

/**
 * Calls `listener` if the client disconnects before the response is complete. The callback is a member of the response,
 * so that an open stream needs no further object.
 */
function watchForGone(response: WatchedResponse, listener: () => void): void {
  const before = response[whenGone];
  if (!before) response.on("close", reportGone);
  response[whenGone] = before
    ? () => {
        before();
        listener();
      }
    : listener;
}

function reportGone(this: WatchedResponse): void {
  if (!this.writableFinished) this[whenGone]!();
}

/** Listeners for the close of each connection. */
const cut = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `listener` when the connection closes. A pipelined response that has no socket yet emits no such event.
 * Returns a function that removes the listener and returns whether it was still registered.
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

/**
 * The text of a body that a framework has read; `undefined` if it exceeds `limit` bytes.
 *
 * @param fromForm whether it was read as a form, which only routes take
 */
function textOf(parsed: unknown, limit: number, fromForm: boolean): string | undefined | null {
  if (parsed instanceof Uint8Array) return parsed.byteLength > limit ? undefined : decoded(bufferOf(parsed));
  const text = typeof parsed === "string" ? parsed : fromForm ? formText(parsed) : JSON.stringify(parsed);
  return Buffer.byteLength(text) <= limit ? text : undefined;
}

function isForm({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
}

/** A form that a framework has parsed, as its text. */
function formText(parsed: unknown): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parsed as object) as [string, unknown][])
    for (const each of [value].flat()) form.append(name, String(each));
  return form.toString();
}

/** Decodes bytes; `null` if they are not UTF-8. */
function decoded(bytes: Buffer): string | null {
  const text = bytes.toString();
  // Invalid UTF-8 decodes to U+FFFD. Only texts that contain it are compared with their bytes.
  return text.includes("\ufffd") && !Buffer.from(text).equals(bytes) ? null : text;
}

const mountAdvice =
  "mount the handler in front of what reads bodies, or hand the body over: handler(request, response, body)";

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Handles requests of node:http and of frameworks built on it. */
export interface NodeHandler {
  /**
   * @param body the body if a parser has read it: parsed value, text or bytes; defaults to `request.body`. A function
   *   is the `next` of Express and Connect and is ignored.
   */
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** The paths of `routes`, for the router of the application: it passes their requests to this handler. */
  readonly routes: readonly string[];
  readonly sessions: HttpSessions;
  stats(): HttpStats;
  /** Ends all sessions and streams. */
  close(): Promise<void>;
}

/**
 * A handler for a server of node:http, Express, Fastify and similar frameworks.
 *
 * @param path the path of the endpoint, with or without a final slash; requests for other paths get 404. Absent if
 *   the framework routes
 * @param url the URL of the endpoint in these 404 answers. Default: its path
 */
export function nodeHandler(endpoint: Endpoint, path?: string, url = path): NodeHandler {
  const serves = (target: string): boolean =>
    target === path || unslashed(target) === unslashed(path!) || endpoint.routeOf(target) !== undefined;
  const handle = (request: IncomingMessage, response: ServerResponse, body?: unknown): void => {
    if (path !== undefined && !serves(pathOf(request.url)))
      return void response
        .writeHead(404, { "content-type": "text/plain" })
        .end(`There is nothing at this path. The MCP endpoint is ${url}\n`);
    const parsed = typeof body === "function" ? undefined : body;
    endpoint.handle(new NodeExchange(request, response, parsed, endpoint.backlog));
  };
  return Object.assign(handle, {
    routes: endpoint.routes,
    sessions: endpoint.sessions,
    stats: () => endpoint.stats,
    close: () => endpoint.close(),
  });
}

/** The path of a request target, which may be a whole URL (RFC 9112, 3.2.2). */
function pathOf(target = ""): string {
  if (!target.startsWith("/")) return parseTarget(target)?.pathname ?? "";
  const end = target.indexOf("?");
  return end < 0 ? target : target.slice(0, end);
}

/** Bytes of a long body in one write; the reader's progress is measured between writes. */
const piece = 262_144;

/** Bodies of at least this many bytes are written in pieces. */
const longBody = piece;

/**
 * Writes a response body as fast as its reader takes it. Waiting bytes are counted and queued here, not in the
 * platform.
 */
class NodeWriter implements EventSink, Reader {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #backlog: Backlog;
  readonly principal: string;
  /**
   * Absent until bytes wait, because most readers take everything at once. Texts are ASCII, so that a character is a
   * byte.
   */
  #queue: (string | Uint8Array)[] | undefined;
  /** Bytes in the queue. */
  #queued = 0;
  #ending = false;
  #watching = false;

  constructor(request: IncomingMessage, response: ServerResponse, backlog: Backlog, principal: string) {
    this.#request = request;
    this.#response = response;
    this.#backlog = backlog;
    this.principal = principal;
  }

  write(text: string): boolean {
    const response = this.#response;
    if (response.destroyed || response.writableEnded || this.#ending) return false;
    if (!this.#queue?.length && !response.writableNeedDrain) {
      if (!response.write(text)) this.#wait(false);
      return true;
    }
    if (this.#waiting > maxWaitingBytes) {
      this.#backlog.counts.limitHit("limits.memory", this.principal);
      this.cut();
      return false;
    }
    // Other text is kept as bytes, because a string may take two bytes per character. Not as a `Buffer`: a short one
    // would keep a larger buffer in memory.
    this.#enqueue(Buffer.byteLength(text) === text.length ? text : new TextEncoder().encode(text));
    this.#wait(false);
    return true;
  }

  /** Writes a whole body and ends the response. */
  writeAll(body: Buffer): void {
    for (let at = 0; at < body.length; at += piece) {
      const part = body.subarray(at, at + piece);
      this.#enqueue(part);
    }
    this.#flush();
    this.end();
  }

  end(): void {
    if (this.#response.destroyed || this.#ending) return;
    this.#ending = true;
    if (!this.#queue?.length) this.#response.end();
  }

  cut(): void {
    this.#drop();
    this.#response.destroy();
    // A pipelined response has no socket yet.
    if (!this.#response.socket) this.#request.socket.destroy();
  }

  #drop(): void {
    this.#queue = undefined;
    this.#queued = 0;
    this.#backlog.wait(this, 0);
  }

  get #waiting(): number {
    return this.#queued + this.#response.writableLength;
  }

  #enqueue(part: string | Uint8Array): void {
    (this.#queue ??= []).push(part);
    this.#queued += part.length;
  }

  /** @param took whether the reader took some bytes */
  #wait(took: boolean): void {
    this.#backlog.wait(this, this.#waiting, took);
    if (this.#watching) return;
    this.#watching = true;
    const response = this.#response;
    response.on("drain", () => this.#flush());
    const done = (): void => this.#drop();
    response.once("finish", done);
    response.once("close", done);
  }

  /** Writes queued parts after the reader took the earlier ones. */
  #flush(): void {
    const response = this.#response;
    const queue = this.#queue ?? [];
    if (response.destroyed) return;
    let written = 0;
    while (written < queue.length && !response.writableNeedDrain) {
      const part = queue[written++]!;
      this.#queued -= part.length;
      response.write(part);
    }
    queue.splice(0, written);
    if (queue.length === 0 && this.#ending && !response.writableEnded) response.end();
    this.#wait(true);
  }
}
