import type { Server } from "../../server/server.js";
import type { Backlog } from "./backlog.js";
import { BodyBytes } from "./body-bytes.js";
import { Endpoint } from "./endpoint.js";
import { type EventSink, type Exchange, alreadyRead } from "./exchange.js";
import type { HttpOptions } from "./http-options.js";
import type { Reading } from "./load.js";
import { checkHttpOptions } from "./option-check.js";
import { WebWriter } from "./web-writer.js";
import type * as platform from "../../platform/platform.js";

const howToMount = "let what reads bodies in front read that of a clone()";

/** An exchange in web objects, for Bun, Deno and workers. */
class FetchExchange implements Exchange {
  readonly response: Promise<Response>;
  private readonly request: Request;
  private resolve!: (response: Response) => void;
  private gone: (() => void)[] = [];
  size = 0;
  principal = "";

  private readonly backlog: Backlog;

  constructor(request: Request, backlog: Backlog) {
    this.backlog = backlog;
    this.request = request;
    this.response = new Promise((resolve) => (this.resolve = resolve));
    request.signal.addEventListener("abort", () => this.leave());
  }

  get method(): string {
    return this.request.method;
  }

  get url(): string {
    return this.request.url;
  }

  header(name: string): string | undefined {
    const value = this.request.headers.get(name);
    if (value !== null) return value;
    // Platforms keep `Host` from headers; the URL has it.
    return name === "host" ? new URL(this.request.url).host : undefined;
  }

  readBody(
    limit: number,
    reading: Reading,
    done: (text: string | undefined | null) => void,
    gone: () => void,
  ): void {
    if (this.request.bodyUsed || this.request.body?.locked) throw alreadyRead(howToMount);
    void this.read(limit, reading).then(done, () => {
      gone();
      this.leave();
      // Nobody reads it; whoever waits for the promise goes on.
      this.reply(400, {});
    });
  }

  private async read(limit: number, reading: Reading): Promise<string | undefined | null> {
    if (Number(this.request.headers.get("content-length")) > limit) return undefined;
    if (!this.request.body) return "";
    const reader = this.request.body.getReader();
    const bytes = new BodyBytes();
    let length = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return decoded(bytes.whole);
      length += value.length;
      if (length > limit || !reading.take(value.length)) break;
      bytes.push(value);
    }
    // A source may never answer that.
    void reader.cancel().catch(() => undefined);
    return undefined;
  }

  reply(status: number, headers: Readonly<Record<string, string>>, text?: string): void {
    this.resolve(new Response(text ?? null, { status, headers }));
  }

  openStream(status: number, headers: Readonly<Record<string, string>>): EventSink {
    const writer = new WebWriter(this.backlog, this.principal, () => this.leave());
    this.resolve(new Response(writer.body, { status, headers }));
    return writer;
  }

  onGone(listener: () => void): void {
    if (this.request.signal.aborted) queueMicrotask(listener);
    else this.gone.push(listener);
  }

  private leave(): void {
    for (const listener of this.gone.splice(0)) listener();
  }
}

/** Bytes as text; `null` if they are not UTF-8. */
function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** What answers web requests. */
export interface HttpHandler {
  fetch(this: void, request: platform.Request): Promise<platform.Response>;
  /** Ends all sessions and streams. */
  close(): Promise<void>;
}

/**
 * A handler for platforms that speak in `Request` and `Response`.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function createHttpHandler(server: Server, options: HttpOptions = {}): HttpHandler {
  checkHttpOptions(options);
  const endpoint = new Endpoint(server, options);
  return {
    fetch(request) {
      const exchange = new FetchExchange(request, endpoint.backlog);
      endpoint.handle(exchange);
      return exchange.response;
    },
    close: () => endpoint.close(),
  };
}
