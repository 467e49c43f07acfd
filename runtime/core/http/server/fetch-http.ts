import type { platform } from "@mcpgen/base";
import type { BodyReading, Endpoint } from "./endpoint.js";
import { type EventSink, type Exchange, alreadyRead, maxWaitingBytes } from "./exchange.js";
import type { HttpCounts, HttpSessions, HttpStats } from "./http-stats.js";
import type { Backlog, Reader } from "./limits.js";
import type { Server } from "../../server/server.js";

const mountAdvice = "let what reads bodies in front read that of a clone()";

/** An exchange over `Request` and `Response`, for Bun, Deno and workers. */
class FetchExchange implements Exchange {
  readonly response: Promise<Response>;
  readonly method: string;
  readonly #request: Request;
  #resolve!: (response: Response) => void;
  #split: readonly string[] | undefined;
  #gone: (() => void)[] = [];
  #replied = false;
  size = 0;
  principal = "";
  origin: string | undefined;

  readonly #backlog: Backlog;

  constructor(request: Request, backlog: Backlog) {
    this.#backlog = backlog;
    this.#request = request;
    this.method = request.method;
    this.response = new Promise((resolve) => (this.#resolve = resolve));
    request.signal.addEventListener("abort", () => this.#leave());
  }

  get url(): string {
    return this.#request.url;
  }

  get path(): string {
    return this.#parts[2]!;
  }

  get href(): string {
    return this.#request.url;
  }

  /** Host and path of the URL, which the platform has normalized; a parser would take longer than the rest of a refusal. */
  get #parts(): readonly string[] {
    return (this.#split ??= /^\w+:\/\/([^/?#]*)([^?#]*)/.exec(this.#request.url) ?? ["", "", ""]);
  }

  get counts(): HttpCounts {
    return this.#backlog.counts;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name);
    if (value !== null) return value;
    // Some platforms hide the `Host` header; the URL contains the host.
    return name === "host" ? this.#parts[1] : undefined;
  }

  readBody(reading: BodyReading, done: (text: string | undefined | null) => void, gone: () => void): void {
    if (this.#request.bodyUsed || this.#request.body?.locked) throw alreadyRead(mountAdvice);
    void this.#read(reading).then(done, () => {
      gone();
      this.#leave();
      // The client has disconnected, but the platform still awaits a response.
      this.reply(400, {});
    });
  }

  async #read(reading: BodyReading): Promise<string | undefined | null> {
    if (Number(this.#request.headers.get("content-length")) > reading.limit) return undefined;
    if (!this.#request.body) return "";
    const reader = this.#request.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return decoded(reading.whole);
      if (!reading.take(value)) break;
    }
    // The promise may stay pending, so it is not awaited.
    void reader.cancel().catch(() => undefined);
    return undefined;
  }

  reply(status: number, headers: Readonly<Record<string, string>>, text?: string): void {
    if (status >= 400 && !this.#replied) this.counts.refused(status);
    this.#replied = true;
    this.#resolve(new Response(text ?? null, { status, headers }));
  }

  webRequest(url: string, body: string | undefined): Request {
    const { method, headers, signal } = this.#request;
    return new Request(url, { method, headers, body: body ?? null, signal });
  }

  respond(response: Response): void {
    if (response.status >= 400) this.counts.refused(response.status);
    this.#resolve(response);
  }

  openStream(status: number, headers: Readonly<Record<string, string>>): EventSink {
    this.#replied = true;
    const writer = new WebWriter(this.#backlog, this.principal, () => this.#leave());
    this.#resolve(new Response(writer.body, { status, headers }));
    return writer;
  }

  onGone(listener: () => void): void {
    if (this.#request.signal.aborted) queueMicrotask(listener);
    else this.#gone.push(listener);
  }

  #leave(): void {
    for (const listener of this.#gone.splice(0)) listener();
  }
}

/** Decodes bytes; `null` if they are not UTF-8. */
function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Handles web requests. */
export interface HttpHandler {
  fetch(this: void, request: platform.Request): Promise<platform.Response>;
  /** The paths of `routes`, for the router of the application: it passes their requests to `fetch`. */
  readonly routes: readonly string[];
  readonly sessions: HttpSessions;
  stats(this: void): HttpStats;
  /** Ends all sessions and streams. */
  close(): Promise<void>;
}

/** A handler for platforms with `Request` and `Response`. */
export function fetchHandler(endpoint: Endpoint): HttpHandler {
  return {
    fetch(request) {
      const exchange = new FetchExchange(request, endpoint.backlog);
      endpoint.handle(exchange);
      return exchange.response;
    },
    routes: endpoint.routes,
    sessions: endpoint.sessions,
    stats: () => endpoint.stats,
    close: () => endpoint.close(),
  };
}

/** High-water mark that is never reached; some platforms accept no larger number. */
const highWaterMark = 2 ** 30;

/** Waiting bytes below this number are not counted, because platforms buffer as much for each connection anyway. */
const least = 65_536;

/** Writes a response body as a web stream and counts the bytes that its reader has not taken. */
class WebWriter implements EventSink, Reader {
  readonly body: ReadableStream<Uint8Array>;
  readonly #backlog: Backlog;
  readonly principal: string;
  readonly #leave: () => void;
  readonly #encoder = new TextEncoder();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #waiting = 0;
  #ending = false;
  #open = true;

  /** @param leave called when the client disconnects or its connection is closed */
  constructor(backlog: Backlog, principal: string, leave: () => void) {
    this.#backlog = backlog;
    this.principal = principal;
    this.#leave = leave;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (given) => void (this.#controller = given),
        pull: () => this.#look(),
        cancel: () => this.#stop(),
      },
      // The platform calls `pull` after each chunk that is taken.
      { highWaterMark, size: ({ byteLength }) => byteLength },
    );
  }

  write(text: string): boolean {
    if (!this.#open || this.#ending) return false;
    if (this.#waiting > maxWaitingBytes) {
      this.#backlog.counts.limitHit("limits.memory", this.principal);
      this.cut();
      return false;
    }
    this.#controller.enqueue(this.#encoder.encode(text));
    this.#look();
    return true;
  }

  end(): void {
    this.#ending = true;
    if (this.#waiting === 0) this.#close();
  }

  /** Reports the waiting bytes; closes the stream once all are taken after `end`. */
  #look(): void {
    if (!this.#open) return;
    const waiting = highWaterMark - this.#controller.desiredSize!;
    const took = waiting < this.#waiting;
    this.#waiting = waiting;
    this.#backlog.wait(this, waiting < least ? 0 : waiting, took);
    if (waiting === 0 && this.#ending) this.#close();
  }

  #close(): void {
    if (this.#open) this.#controller.close();
    this.#open = false;
  }

  cut(): void {
    if (!this.#open) return;
    this.#controller.error(new Error("the reader is too slow"));
    this.#stop();
  }

  #stop(): void {
    this.#open = false;
    this.#backlog.wait(this, 0);
    this.#leave();
  }
}

/**
 * Where a platform may end the process between two requests, no call waits for answers, unless `state.parking` says so.
 */
export function withoutParking(server: Server): Server {
  const { definition } = server;
  if (definition.parking?.isGiven === false) definition.parking = undefined;
  return server;
}
