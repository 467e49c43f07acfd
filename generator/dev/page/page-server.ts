import { randomBytes, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { parsedText } from "../../files/json-file.js";
import { type Listening, listenOnLoopback } from "../../files/loopback.js";
import type { PageEvent } from "../../page/browser/dev/messages.js";

/** Answers requests for one path of the page: returns a body, or writes the response itself. */
export type Route = (
  body: unknown,
  response: ServerResponse,
  /** The path after the route's path. */
  rest: string,
) => Reply | void | Promise<Reply>;

/** A response with a body. */
export interface Reply {
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Routes by path below the secret; "" is the page. Those for POST begin with `POST `; one for several paths
 * ends with `/`.
 */
export type Routes = ReadonlyMap<string, Route>;

/** Maximum size in bytes of a request's body. */
const mostBytes = 16_000_000;

/** Headers of every response: no other origin may read, frame or cache it. */
const always = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

export function jsonReply(value: unknown): Reply {
  return { type: "application/json; charset=utf-8", body: JSON.stringify(value) };
}

/** An HTTP server for one page, only on the loopback interface. */
export class PageServer {
  readonly #listening: Listening;
  readonly #access: Access;
  readonly #routes: Routes;

  private constructor(listening: Listening, access: Access, routes: Routes) {
    this.#listening = listening;
    this.#access = access;
    this.#routes = routes;
  }

  static async open(routes: Routes): Promise<PageServer> {
    const server = createServer();
    const listening = await listenOnLoopback(server);
    const access = { token: randomBytes(24).toString("base64url"), port: listening.port };
    const page = new PageServer(listening, access, routes);
    server.on("request", (request, response) => void page.#answer(request, response));
    return page;
  }

  /** The URL of the page, which contains the secret. */
  get url(): string {
    const { port, token } = this.#access;
    return `http://127.0.0.1:${port}/${token}/`;
  }

  /** The secret part of the URL. */
  get secret(): string {
    return this.#access.token;
  }

  close(): Promise<void> {
    return this.#listening.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(always)) response.setHeader(name, value);
    try {
      const found = guarded(request, this.#access);
      if ("status" in found) return refuse(response, found.status);
      const { path } = found;
      const key = this.#routes.has(path) ? path : path.slice(0, path.indexOf("/") + 1);
      const route = this.#routes.get(key);
      if (!route || (key === "" && path !== "")) return refuse(response, 404);
      const body = request.method === "POST" ? await bodyOf(request) : undefined;
      const reply = await route(body, response, path.slice(key.length));
      if (!reply) return;
      response.writeHead(200, { "content-type": reply.type, ...reply.headers });
      response.end(reply.body);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      refuse(response, error instanceof BadRequest ? 400 : 500, messageOf(error));
    }
  }
}

/** Thrown for a request of the page that cannot be answered. */
export class BadRequest extends Error {}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw new BadRequest(`expected at most ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  const body = parsedText(Buffer.concat(chunks).toString("utf8"));
  if (body === undefined) throw new BadRequest("expected JSON");
  return body;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function refuse(response: ServerResponse, status: number, message = ""): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  response.end(message);
}

/** The parts of an HTTP request that decide whether it is answered. */
interface GuardedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** What a request must contain: the secret in its path, and the port. */
interface Access {
  readonly token: string;
  readonly port: number;
}

/** The path below the secret of an accepted request, or the status that rejects it. */
type Guarded = { readonly path: string } | { readonly status: 403 | 404 | 405 | 415 };

/**
 * Accepts only requests of the page. Other sites can send requests to this machine: the check of `Host` stops
 * names that resolve to it (DNS rebinding), `Origin` and `Sec-Fetch-Site` stop pages of other origins, the
 * secret stops other users and programs.
 */
export function guarded({ method, url = "", headers }: GuardedRequest, { token, port }: Access): Guarded {
  const host = `127.0.0.1:${port}`;
  if (headers["host"] !== host) return { status: 403 };
  const origin = headers["origin"];
  if (origin !== undefined && origin !== `http://${host}`) return { status: 403 };
  const site = headers["sec-fetch-site"];
  const [, given = "", path] = /^\/([^/?]*)\/([^?]*)(?:\?|$)/.exec(url) ?? [];
  // `none`: the user typed the URL, or another program opened it. A local file may also lead to the page, and
  // only to the page; a browser treats it as another site.
  const isOwn = site === undefined || site === "same-origin" || site === "none";
  if (!isOwn && !(path === "" && method === "GET" && isWholePage(headers))) return { status: 403 };
  if (path === undefined || !isSame(given, token)) return { status: 404 };
  if (method === "GET") return { path };
  if (method !== "POST") return { status: 405 };
  // Forms cannot send this content type, so browsers send a preflight request for other origins.
  return /^application\/json\s*(;|$)/i.test(String(headers["content-type"]))
    ? { path: `POST ${path}` }
    : { status: 415 };
}

/** Whether the request loads the page in a browser tab, where no other page can read its content. */
function isWholePage(headers: GuardedRequest["headers"]): boolean {
  return headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
}

function isSame(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Maximum number of events of each kind that are kept for pages opened later. */
const kept = { cycle: 50, log: 500, wire: 2_000, call: 100 } as const;

/** Maximum number of characters of all kept events. */
const mostKept = 32_000_000;

/**
 * Maximum number of bytes buffered for a slow page. Beyond it, its connection ends; it reconnects and
 * receives the kept events.
 */
const mostBuffered = 64_000_000;

/** An event with the text sent to all pages. */
interface Sent {
  readonly event: PageEvent;
  readonly text: string;
}

/** Sends events to every open page, and the kept events to each page that opens. */
export class EventStream {
  readonly #pages = new Set<ServerResponse>();
  /** Kept events by key: a later event replaces the earlier one with the same key. */
  readonly #kept = new Map<string, Sent>();
  #size = 0;
  #count = 0;

  send(event: PageEvent): void {
    const text = `data: ${JSON.stringify(event)}\n\n`;
    this.#keep({ event, text });
    for (const page of this.#pages) {
      page.write(text);
      if (page.writableLength > mostBuffered) page.destroy();
    }
  }

  /** Sends events to a page until it disconnects. */
  open(page: ServerResponse): void {
    page.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    page.write(`retry: 500\n\n${[...this.#kept.values()].map(({ text }) => text).join("")}`);
    this.#pages.add(page);
    page.on("close", () => this.#pages.delete(page));
  }

  close(): void {
    for (const page of this.#pages) page.end();
    this.#pages.clear();
  }

  #keep(sent: Sent): void {
    const { event } = sent;
    if (event.type === "settled") return this.#forget(`question ${event.question}`);
    const key = this.#keyOf(event);
    const place = this.#kept.get(key);
    this.#size += sent.text.length - (place?.text.length ?? 0);
    this.#kept.set(key, sent);
    if (!place && event.type in kept) this.#limit(event.type as keyof typeof kept);
    for (const [oldest, { event: old }] of this.#kept) {
      if (this.#size <= mostKept) break;
      if (old.type in kept) this.#forget(oldest);
    }
  }

  #keyOf(event: PageEvent): string {
    switch (event.type) {
      case "wire":
        return `wire ${event.number}`;
      case "call":
        return `call ${event.id}`;
      case "question":
        return `question ${event.question}`;
      case "connection":
      case "offer":
        return event.type;
      default:
        return `${event.type} ${++this.#count}`;
    }
  }

  #limit(type: keyof typeof kept): void {
    const keys = [...this.#kept].flatMap(([key, { event }]) => (event.type === type ? [key] : []));
    if (keys.length > kept[type]) this.#forget(keys[0]!);
  }

  #forget(key: string): void {
    this.#size -= this.#kept.get(key)?.text.length ?? 0;
    this.#kept.delete(key);
  }
}
