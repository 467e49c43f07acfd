import { McpError, messageOf } from "../peer/errors.js";
import type { HttpClientOptions } from "./http-client-options.js";
import { wait } from "./pace.js";
import { interrupted } from "./interrupted.js";

type Headers = Readonly<Record<string, string>>;

/** One request of HTTP. */
export interface HttpRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers: Headers;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Where it goes, if not where the server is. */
  readonly to?: string;
}

/** Requests that a client sends to one server, with what authorizes them. */
export class HttpRequests {
  readonly url: string;
  private readonly options: HttpClientOptions;
  private readonly fetch: typeof fetch;
  /** Whether the server is known to be one: it has answered, or an earlier connection to it stood. */
  private known: boolean;

  constructor(url: string, options: HttpClientOptions, known: boolean) {
    this.known = known;
    this.url = url;
    this.options = options;
    this.fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  /**
   * Sends one request, with what authorizes it; a refusal is answered once.
   *
   * @throws {McpError} `connection-closed`: there is no answer; it says whether the request may have arrived
   */
  async send(request: HttpRequest): Promise<Response> {
    const { authorize } = this.options;
    const first = await this.attempt(request, await authorize?.());
    if (!authorize || (first.status !== 401 && first.status !== 403)) return first;
    const challenge = first.headers.get("www-authenticate") ?? undefined;
    await first.body?.cancel();
    return this.attempt(request, await authorize({ status: first.status, challenge }));
  }

  private async attempt(request: HttpRequest, granted: Headers = {}): Promise<Response> {
    const { method, headers, body, signal, to = this.url } = request;
    const all = {
      accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...this.options.headers,
      ...headers,
      ...granted,
    };
    // Not followed; "error" would say so, and workers do not take it.
    const init: RequestInit = { method, headers: all, signal, redirect: "manual" };
    if (body !== undefined) init.body = body;
    for (let tries = 0; ; tries++) {
      try {
        const response = await this.fetch(to, init);
        this.known = true;
        return response;
      } catch (error) {
        // Nobody listened: the request was not seen, and may be sent again while a server starts anew.
        const code = codeOf(error);
        const most = this.known ? 5 : 3;
        if (signal.aborted || code !== "ECONNREFUSED" || body === undefined || tries >= most)
          throw unanswered(error, code);
        await wait(100 * 2 ** tries, signal);
      }
    }
  }
}

/** Failures before a connection stood: nothing was sent. */
const neverSent: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function unanswered(error: unknown, code: unknown): McpError {
  const { cause } = error as { readonly cause?: unknown };
  const text = `the server cannot be reached: ${messageOf(cause ?? error)}`;
  return neverSent.has(code)
    ? new McpError("connection-closed", text, { data: { unreachable: true }, cause: error })
    : interrupted(text, error);
}

/** Why `fetch` failed, as a code: Node has one in the cause, Bun in the error, Deno only words. */
function codeOf(error: unknown): unknown {
  const { cause, code } = error as { readonly cause?: { readonly code?: unknown }; readonly code?: unknown };
  const given = cause?.code ?? code;
  if (given !== undefined) return given;
  const words = messageOf(cause);
  if (!words.includes("client error (Connect)")) return undefined;
  return /\(os error (111|61|10061)\)/.test(words) ? "ECONNREFUSED" : "EHOSTUNREACH";
}
