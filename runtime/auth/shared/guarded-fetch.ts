import { boundedBytes } from "./bounded-bytes.js";
import { AuthError } from "./errors.js";
import { jsonObject } from "./json-object.js";
import { endpointUrl, hostOf } from "./urls.js";

/** Sends one request; does not follow redirects. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Bounds of a request to a server that another server named. */
export interface Guard {
  /** Gets URLs whose addresses are all public. Default: connections to the internet alone, see `pinnedFetch`. */
  readonly fetch?: Fetch | undefined;
  /** Accepts addresses of private networks. */
  readonly privateNetwork?: boolean | undefined;
  /** Accepts `http:` to this machine. */
  readonly local: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the body is read. Default: 5,000. */
  readonly timeout?: number;
}

/** Bytes of a body at most. */
const longestBody = 65_536;

/** The headers that callers need; the platform's parsers get no other. */
const kept = ["content-type", "dpop-nonce", "cache-control"];

/**
 * Sends a request without following redirects, and reads at most 64 KB of the answer in five seconds.
 *
 * @throws {AuthError} `auth-metadata-unsafe`: the URL, a redirect, the size. `auth-unavailable`: no answer in time
 */
export async function guardedFetch(url: string, init: RequestInit, guard: Guard): Promise<Response> {
  const { local, signal, timeout = 5000 } = guard;
  if (!endpointUrl(url, local)) {
    const text = `${hostOf(url)}: authorization needs a URL with https`;
    throw new AuthError("auth-metadata-unsafe", text);
  }
  const fetch = await fetchOf(guard);
  const limits = [AbortSignal.timeout(timeout), ...(signal ? [signal] : [])];
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.any(limits) });
    const { status } = response;
    if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
      await response.body?.cancel();
      throw new AuthError("auth-metadata-unsafe", `${hostOf(url)}: redirects are not followed`);
    }
    const headers = new Headers();
    for (const name of kept) {
      const value = response.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    // Bytes, for a text would set a content type.
    const body = await boundedBytes(response.body, longestBody);
    if (!body) throw new AuthError("auth-metadata-unsafe", `${hostOf(url)}: the answer is longer than 64 KB`);
    return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
  } catch (error) {
    if (error instanceof AuthError) throw error;
    signal?.throwIfAborted();
    throw new AuthError(
      "auth-unavailable",
      `${hostOf(url)}: no connection, or no answer within ${timeout} ms`,
    );
  }
}

let standard: Fetch | undefined;

/** What sends the requests. A `fetch` of the application does not switch the guard off: `privateNetwork` does. */
async function fetchOf({ fetch: given, privateNetwork, local }: Guard): Promise<Fetch> {
  if (privateNetwork) return given ?? globalThis.fetch;
  const { judgedFetch, pinnedFetch } = await import("./pinned-fetch.js");
  return given ? judgedFetch(given, local) : (standard ??= pinnedFetch(true));
}

/**
 * The JSON object that a response holds; `undefined` if its body is another, or its content type is not JSON. A document
 * without content type counts as JSON.
 */
export async function objectIn(response: Response): Promise<Readonly<Record<string, unknown>> | undefined> {
  const type = response.headers.get("content-type") ?? "application/json";
  const isJson = /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(type);
  return isJson ? jsonObject(await response.text()) : undefined;
}

/**
 * The JSON object at a URL; `undefined` if the server has none there (4xx).
 *
 * @throws {AuthError} as `guardedFetch`; `auth-metadata-invalid`: another answer
 */
export async function fetchDocument(
  url: string,
  guard: Guard,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const response = await guardedFetch(url, { headers: { accept: "application/json", ...headers } }, guard);
  if (response.status >= 400 && response.status < 500) return undefined;
  const document = response.status === 200 ? await objectIn(response) : undefined;
  if (document) return document;
  throw new AuthError("auth-metadata-invalid", `${hostOf(url)}: expected metadata as a JSON object`);
}
