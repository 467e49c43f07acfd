import { McpError, messageOf, interrupted } from "../../jsonrpc/errors.js";
import { isObject } from "../../jsonrpc/message.js";
import { connectionClosed } from "./answer-body.js";
import {
  type Challenge,
  type HeaderValues,
  type HttpClientOptions,
  setHeaders,
} from "./http-client-options.js";
import { abortable, pause } from "../../time/clock.js";

/** Redirects that one request follows. */
const mostRedirects = 5;

/** One request of HTTP. */
export interface HttpRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** The URL, if it is not that of the server. */
  readonly to?: string;
  /** Called with the authorization of the request, each time it is sent. */
  readonly authorized?: ((authorization: string) => void) | undefined;
}

/** Sends the HTTP requests of one client, with their authorization. */
export class HttpRequests {
  readonly url: string;
  readonly #options: HttpClientOptions;
  readonly #fetch: NonNullable<HttpClientOptions["fetch"]>;
  /** Whether the server has answered, on this connection or an earlier one. */
  #known: boolean;

  /** @throws {McpError} `invalid-definition`: the URL or a header is invalid */
  constructor(url: string, options: HttpClientOptions, known: boolean) {
    this.#known = known;
    this.url = checked(url);
    this.#options = options;
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
    setHeaders(new Headers(), options.headers ?? {});
  }

  /**
   * Sends one request with its authorization. After 401 or 403 it is sent once more. Redirects on the same origin that
   * keep method and body are followed.
   *
   * @throws {McpError} `connection-closed`: there is no answer; it says whether the request may have arrived.
   *   `authorize-failed`. `invalid-definition`: `authorize` or `fetch` gave a wrong value
   */
  async send(request: HttpRequest): Promise<Response> {
    const first = await this.#attempt(request, await this.#granted(request.signal));
    if (!this.#options.authorize || (first.status !== 401 && first.status !== 403)) return first;
    const challenge = first.headers.get("www-authenticate") ?? undefined;
    await first.body?.cancel();
    return this.#attempt(request, await this.#granted(request.signal, { status: first.status, challenge }));
  }

  /**
   * The authorization that a request would have now: all headers of the application, as a text to compare.
   *
   * @throws {McpError} `authorize-failed`
   */
  async authorization(signal: AbortSignal): Promise<string> {
    return this.#contextOf(await this.#granted(signal));
  }

  #contextOf(granted: HeaderValues): string {
    const all = new Headers();
    setHeaders(all, this.#options.headers ?? {});
    setHeaders(all, granted);
    return JSON.stringify([...all]);
  }

  async #granted(signal: AbortSignal, challenge?: Challenge): Promise<HeaderValues> {
    const { authorize } = this.#options;
    if (!authorize) return {};
    const granting = async (): Promise<HeaderValues> => {
      try {
        return await authorize(challenge, signal);
      } catch (error) {
        throw new McpError("authorize-failed", `http.authorize failed: ${messageOf(error)}`, {
          cause: error,
        });
      }
    };
    return (await abortable(signal, granting(), connectionClosed)) ?? {};
  }

  async #attempt(request: HttpRequest, granted: HeaderValues): Promise<Response> {
    const { method, body, signal } = request;
    request.authorized?.(this.#contextOf(granted));
    // Not "error": workers do not support it.
    const init: RequestInit = {
      method,
      headers: this.#headersOf(request, granted),
      signal,
      redirect: "manual",
    };
    if (body !== undefined) init.body = body;
    let to = request.to ?? this.url;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#reach(to, init);
      const next = redirects < mostRedirects ? onward(response, to) : undefined;
      if (next === undefined) return response;
      await response.body?.cancel();
      to = next;
    }
  }

  /** Headers of the protocol replace those of the user. */
  #headersOf({ method, headers, body }: HttpRequest, granted: HeaderValues): Record<string, string> {
    const all = new Headers();
    setHeaders(all, this.#options.headers ?? {});
    setHeaders(all, granted);
    all.set("accept", method === "GET" ? "text/event-stream" : "application/json, text/event-stream");
    if (body !== undefined) all.set("content-type", "application/json");
    setHeaders(all, headers);
    return Object.fromEntries(all);
  }

  #fetched(to: string, init: RequestInit): Promise<Response> {
    try {
      return this.#fetch(to, init);
    } catch (error) {
      // Only a `fetch` of the user throws synchronously; nothing was sent.
      throw new McpError("invalid-definition", `http.fetch threw: ${messageOf(error)}`, { cause: error });
    }
  }

  async #reach(to: string, init: RequestInit): Promise<Response> {
    const signal = init.signal!;
    for (let tries = 0; ; tries++) {
      try {
        const response: unknown = await this.#fetched(to, init);
        if (!isResponse(response)) throw noResponse(response);
        this.#known = true;
        return response;
      } catch (error) {
        if (error instanceof McpError) throw error;
        // The connection was refused: nothing was sent, and the server may be restarting.
        const code = codeOf(error);
        const most = this.#known ? 5 : 3;
        if (signal.aborted || code !== "ECONNREFUSED" || init.body === undefined || tries >= most)
          throw unanswered(to, error, code);
        await pause(100 * 2 ** tries, signal, connectionClosed);
      }
    }
  }
}

/**
 * Where a response sends the request on to, if it goes there as it is. What authorizes it goes to no other origin.
 */
function onward({ status, headers }: Response, from: string): string | undefined {
  const location = status === 307 || status === 308 ? headers.get("location") : null;
  if (location === null || !URL.canParse(location, from)) return undefined;
  const { href, origin, username, password } = new URL(location, from);
  return origin === new URL(from).origin && username === "" && password === "" ? href : undefined;
}

function isResponse(given: unknown): given is Response {
  return isObject(given) && typeof given["status"] === "number" && isObject(given["headers"]);
}

function noResponse(given: unknown): McpError {
  const what = given === null ? "null" : Array.isArray(given) ? "an array" : typeof given;
  return new McpError("invalid-definition", `http.fetch returned ${what}, not a Response`);
}

/** @throws {McpError} `invalid-definition` */
function checked(url: string): string {
  if (!URL.canParse(url)) throw new McpError("invalid-definition", `not a URL: ${JSON.stringify(url)}`);
  const { username, password, origin, pathname } = new URL(url);
  if (username === "" && password === "") return url;
  throw new McpError(
    "invalid-definition",
    `${origin}${pathname}: a URL must not hold credentials: pass them by http.authorize or http.headers`,
  );
}

/** Failures before the connection was open: nothing was sent. */
const neverSent: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function unanswered(to: string, error: unknown, code: unknown): McpError {
  const cause = isObject(error) ? error["cause"] : undefined;
  const why = messageOf(cause ?? error);
  // The platform blocks some ports (Fetch, 2.9).
  if (why === "bad port")
    return new McpError("invalid-definition", `the platform blocks the port of ${new URL(to).host}`);
  const text = `the server cannot be reached: ${why}`;
  return neverSent.has(code)
    ? new McpError("connection-closed", text, { data: { unreachable: true }, cause: error })
    : interrupted(text, error);
}

/** The error code of a failed `fetch`: Node has it in the cause, Bun in the error, Deno only in the text. */
function codeOf(error: unknown): unknown {
  if (!isObject(error)) return undefined;
  const { cause, code } = error;
  const given = (isObject(cause) ? cause["code"] : undefined) ?? code;
  if (given !== undefined) return given;
  const words = messageOf(cause);
  if (!words.includes("client error (Connect)")) return undefined;
  return /\(os error (111|61|10061)\)/.test(words) ? "ECONNREFUSED" : "EHOSTUNREACH";
}
