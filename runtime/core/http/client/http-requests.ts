import {
  abortable,
  attempts,
  growing,
  type HeaderValues,
  interrupted,
  isObject,
  McpError,
  messageOf,
  type platform,
  setHeaders,
} from "@mcpgen/base";
import {
  type HttpRequest,
  type HttpResponse,
  type Reach,
  connectionClosed,
  headerOf,
  textWithin,
} from "./http-response.js";
import { type Authorize, type Authorizer, type HttpClientOptions } from "./http-client-options.js";
import { nodeRequest } from "./node-request.js";

/** Redirects that one request follows. */
const mostRedirects = 5;

/** Maximum number of answers to one request, including refusals. */
const mostAnswers = 4;

/** Maximum bytes of a refusal's body that are kept. */
const keptBody = 65_536;

/** The header that names the revision of a request, in lower case. */
const versionHeader = "mcp-protocol-version";

/** Sends the HTTP requests of one client, with their authorization. */
export class HttpRequests {
  readonly url: string;
  readonly #options: HttpClientOptions;
  readonly #reach: Reach;
  readonly #authorizer: Authorizer | undefined;
  /** Whether the server has answered, on this connection or an earlier one. */
  #known: boolean;

  /** @throws {McpError} `invalid-definition`: the URL, a header or `authorize` is invalid */
  constructor(url: string, options: HttpClientOptions, known: boolean) {
    this.#known = known;
    this.#authorizer = authorizerOf(options.authorize);
    this.url = checked(url);
    this.#options = options;
    const node = options.fetch ? undefined : nodeRequest();
    this.#reach = node ?? fetching(options.fetch ?? globalThis.fetch.bind(globalThis));
    setHeaders(new Headers(), options.headers ?? {});
  }

  /**
   * Sends one request with its authorization. After 401 or 403 it is sent again if the authorizer returns headers, at
   * most three times. Redirects on the same origin that keep method and body are followed.
   *
   * @throws {McpError} `connection-closed`: there is no answer; the text states whether the request may have arrived.
   *   `authorize-failed`. `invalid-definition`: `authorize` or `fetch` returned an invalid value
   */
  send(request: HttpRequest): Promise<HttpResponse> {
    // Without an authorizer, there is always a response.
    return this.#authorizer
      ? this.#authorized(request)
      : (this.#attempt(request, 0) as Promise<HttpResponse>);
  }

  async #authorized(request: HttpRequest): Promise<HttpResponse> {
    let refused: HttpResponse | undefined;
    for (let attempt = 0; ; attempt++) {
      const response = await this.#attempt(request, attempt, refused);
      if (!response) return refused!;
      if (response.status !== 401 && response.status !== 403) return response;
      if (attempt === mostAnswers - 1) return response;
      refused = await buffered(response);
    }
  }

  /**
   * The current authorization of a request, as a text to compare; `undefined` if the authorizer names no principal.
   *
   * @throws {McpError} `authorize-failed`
   */
  async authorization(signal: platform.AbortSignal): Promise<string | undefined> {
    // Headers of an authorizer may differ for each request.
    if (typeof this.#options.authorize === "object") return this.#contextOf(undefined);
    return this.#contextOf(await this.#granted({ method: "POST", headers: {}, signal }, this.url, 0));
  }

  /** All headers of the application, or its own headers and its principal. */
  #contextOf(granted: HeaderValues | undefined): string | undefined {
    const all = new Headers();
    setHeaders(all, this.#options.headers ?? {});
    if (typeof this.#options.authorize !== "object") {
      setHeaders(all, granted ?? {});
      return JSON.stringify([...all]);
    }
    const principal = this.#authorizer!.identity?.();
    return principal === undefined ? undefined : JSON.stringify([...all, principal]);
  }

  #granted(
    asked: Pick<HttpRequest, "method" | "signal" | "headers" | "revision">,
    url: string,
    attempt: number,
    refused?: HttpResponse,
  ): Promise<HeaderValues | undefined> | undefined {
    const authorizer = this.#authorizer;
    if (!authorizer) return undefined;
    const { method, signal, headers, revision } = asked;
    const named = new Headers(headers).get(versionHeader) ?? revision;
    const request = {
      ...{ method, url, signal, attempt },
      ...(refused && { refused: { status: refused.status, headers: refused.headers } }),
      ...(named !== undefined && { revision: named }),
    };
    const granting = async (): Promise<HeaderValues | undefined> => {
      try {
        return await authorizer.authorize(request);
      } catch (error) {
        throw authorizeFailed(error);
      }
    };
    return abortable(signal, granting(), connectionClosed);
  }

  /** Sends a request once, and follows redirects. Resolves with `undefined` if the authorizer accepts the refusal. */
  async #attempt(
    request: HttpRequest,
    attempt: number,
    refused?: HttpResponse,
  ): Promise<HttpResponse | undefined> {
    let url = request.to ?? this.url;
    let granted: HeaderValues | undefined;
    for (let redirects = 0; ; redirects++) {
      // A proof of possession is valid for one URL, so an authorizer object is asked again after a redirect.
      const isAsked = redirects === 0 || typeof this.#options.authorize === "object";
      const granting = isAsked ? this.#granted(request, url, attempt, refused) : undefined;
      if (granting) granted = await granting;
      if (refused && granted === undefined) return undefined;
      request.authorized?.(this.#contextOf(granted));
      const headers = this.#headersOf(request, granted);
      const response = await this.#response(url, request, headers);
      this.#observe(response, url);
      const next = redirects < mostRedirects ? onward(response, url) : undefined;
      if (next === undefined) return response;
      await response.body?.cancel();
      url = next;
    }
  }

  #observe(response: HttpResponse, url: string): void {
    const { status } = response;
    if (status === 401 || status === 403 || !this.#authorizer?.observe) return;
    try {
      this.#authorizer.observe({ status, headers: response.headers, url });
    } catch (error) {
      throw authorizeFailed(error);
    }
  }

  /** Headers of the protocol replace headers of the user. Names are in lower case. */
  #headersOf({ method, headers, body }: HttpRequest, granted: HeaderValues = {}): Record<string, string> {
    const { headers: own } = this.#options;
    const users = own || this.#authorizer ? new Headers() : undefined;
    if (users) setHeaders(users, own ?? {});
    if (users) setHeaders(users, granted);
    const all: Record<string, string> = users ? Object.fromEntries(users) : {};
    all["accept"] = method === "GET" ? "text/event-stream" : "application/json, text/event-stream";
    if (body !== undefined) all["content-type"] = "application/json";
    for (const name in headers) all[name.toLowerCase()] = headers[name]!;
    return all;
  }

  #sent(...given: Parameters<Reach>): Promise<unknown> {
    try {
      return this.#reach(...given);
    } catch (error) {
      // Only a `fetch` of the user throws synchronously; nothing was sent.
      throw new McpError("invalid-definition", `http.fetch threw: ${messageOf(error)}`, { cause: error });
    }
  }

  #accepted(response: unknown): HttpResponse {
    if (!isResponse(response)) throw noResponse(response);
    this.#known = true;
    return response;
  }

  async #response(...given: Parameters<Reach>): Promise<HttpResponse> {
    const [to, request] = given;
    let failure: unknown;
    try {
      return this.#accepted(await this.#sent(...given));
    } catch (error) {
      if (error instanceof McpError) throw error;
      failure = error;
    }
    const { signal, body } = request;
    const growth = growing({ first: 100, count: 5 });
    let tries = 0;
    const pauses = (): number | undefined => {
      // The connection was refused: nothing was sent, and the server may be restarting.
      const mayRestart = codeOf(failure) === "ECONNREFUSED" && (this.#known || tries++ < 3);
      return mayRestart && !signal.aborted && body !== undefined ? growth() : undefined;
    };
    for await (const _ of attempts({ pauses, waitsFirst: true, signal, reason: connectionClosed }))
      try {
        return this.#accepted(await this.#sent(...given));
      } catch (error) {
        if (error instanceof McpError) throw error;
        failure = error;
      }
    throw unanswered(to, failure, codeOf(failure));
  }
}

function fetching(fetch: NonNullable<HttpClientOptions["fetch"]>): Reach {
  return (url, { method, body, signal }, headers) => {
    // Not "error": workers do not support it.
    const init = { method, headers, signal, redirect: "manual" } as const;
    return fetch(url, body === undefined ? init : { ...init, body });
  };
}

/** @throws {McpError} `invalid-definition` */
function authorizerOf(given: Authorize | Authorizer | undefined): Authorizer | undefined {
  if (typeof given === "function")
    return {
      authorize: async ({ attempt, refused, signal }) => {
        if (attempt > 1) return undefined;
        const challenge = refused?.headers.get("www-authenticate") ?? undefined;
        // A JavaScript function may return undefined.
        return (
          ((await given(refused && { status: refused.status, challenge }, signal)) as HeaderValues | null) ??
          {}
        );
      },
    };
  if (given === undefined || (isObject(given) && typeof given.authorize === "function")) return given;
  throw new McpError(
    "invalid-definition",
    `http.authorize: expected a function, or an object with the method authorize, got ${JSON.stringify(given) ?? typeof given}`,
  );
}

function authorizeFailed(cause: unknown): McpError {
  return new McpError("authorize-failed", `http.authorize failed: ${messageOf(cause)}`, { cause });
}

/** A refusal whose body was read, so that its connection is free while the application authorizes. */
async function buffered(response: HttpResponse): Promise<HttpResponse> {
  const { status, headers } = response;
  return new Response(await textWithin(response, keptBody).catch(() => ""), { status, headers });
}

/**
 * The target of a redirect to which the request can be sent unchanged; `undefined` otherwise. Redirects to other
 * origins are not followed, because the request carries the authorization.
 */
function onward(response: HttpResponse, from: string): string | undefined {
  const { status } = response;
  const location = status === 307 || status === 308 ? headerOf(response, "location") : null;
  if (location === null || !URL.canParse(location, from)) return undefined;
  const { href, origin, username, password } = new URL(location, from);
  return origin === new URL(from).origin && username === "" && password === "" ? href : undefined;
}

function isResponse(given: unknown): given is HttpResponse {
  return (
    isObject(given) &&
    ("pump" in given || (typeof given["status"] === "number" && isObject(given["headers"])))
  );
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
  const failure = cause ?? error;
  // Node's error has no text if each address of a name failed.
  const why = messageOf(failure) || String(code);
  // The platform blocks some ports (Fetch, 2.9).
  if (why === "bad port")
    return new McpError("invalid-definition", `the platform blocks the port of ${new URL(to).host}`);
  const text = `the server cannot be reached: ${why}`;
  const syscall = isObject(failure) ? failure["syscall"] : undefined;
  return neverSent.has(code) || syscall === "connect"
    ? new McpError("connection-closed", text, { data: { unreachable: true }, cause: error })
    : interrupted(text, error);
}

/**
 * The error code of a failed request: it is in the cause with `fetch` of Node, in the error with `node:http` and Bun,
 * and only in the text with Deno.
 */
function codeOf(error: unknown): unknown {
  if (!isObject(error)) return undefined;
  const { cause, code } = error;
  const given = (isObject(cause) ? cause["code"] : undefined) ?? code;
  if (given !== undefined) return given;
  const words = messageOf(cause);
  if (!words.includes("client error (Connect)")) return undefined;
  return /\(os error (111|61|10061)\)/.test(words) ? "ECONNREFUSED" : "EHOSTUNREACH";
}
